# selfcall.sh - a function whose last call is a jump to its own name, past the counter of calls.
cat >p.c <<'C'
struct Node { int kids, way; };
static volatile int sink;
__attribute__((noinline)) static void look(struct Node *d, int n) { d->kids = n % 3; d->way = n % 5; }
/* visit - its last call cannot become a loop: there each has a d of its own. */
__attribute__((noinline)) static void visit(int n)
{
	struct Node d;
	int i;
	look(&d, n);
	for (i = 0; i < d.kids; i++) visit(n / 3 - 1);
	switch (d.way) {
	case 0: sink++; break;
	case 1: sink--; break;
	case 2: sink += 2; break;
	case 3: sink += 3; visit(n / 2); break;
	}
}
int main(void) { visit(333); return 0; }
C
for cc in gcc clang; do for o in -O1 -O2 -Os; do for d in '' -Dstatic=; do
	rm -rf tally.out
	# shellcheck disable=SC2086
	tally build --quiet --counters=check $cc $o $d p.c -o p
	./p
	exact "$cc $o $d"
done; done; done
