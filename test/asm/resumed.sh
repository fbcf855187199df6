# resumed.sh - a context that swapcontext saved can be gone to again: after others have been saved in the same frame, and
# after more of them wait than there is room for.
cat >again.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t first, back, *many;
static volatile int times, started;

static void
nothing(void)
{
}

static void
wait(int i)
{
	started++;
	swapcontext(&many[i], &back);
}

static void
make(ucontext_t *c, void (*f)(void), int i, ucontext_t *link)
{
	enum { STACK = 16384 };

	getcontext(c);
	c->uc_stack.ss_sp = malloc(STACK);
	c->uc_stack.ss_size = STACK;
	c->uc_link = link;
	makecontext(c, f, 1, i);
}

int
main(int argc, char **argv)
{
	volatile int n = argc > 1 ? atoi(argv[1]) : 1, i;
	ucontext_t other;

	many = calloc(n, sizeof *many);
	make(&other, nothing, 0, &first);
	swapcontext(&first, &other);
	if (++times == 1) {
		for (i = 0; i < n; i++) {
			make(&many[i], (void (*)(void))wait, i, NULL);
			swapcontext(&back, &many[i]);
		}
		setcontext(&first);
	}
	printf("%d %d\n", times, started);
	return 0;
}
C
for cc in gcc clang; do
	for o in -O0 -O2; do
		$cc $o -w again.c -o plain && tally build --quiet --counters=check $cc $o -w again.c -o counted || exit 1
		for n in 1 3000; do
			rm -rf tally.out
			alike "$cc $o, $n contexts" ./plain ./counted $n
			[ $n = 3000 ] || sound "$cc $o, $n contexts"
		done
		tally print 2>&1 >/dev/null | grep -q 'counts of .* may be wrong, and are marked$' ||
			{ echo "$cc $o: more contexts wait than there is room for, and nothing is marked"; exit 1; }
	done
done
