# early.sh - what runs before the runtime, and after it, is counted.
cat >p.c <<'C'
static volatile int n;
static void work(void) { n++; }
static void before(void) { for (int i = 0; i < 5; i++) work(); }
__attribute__((section(".preinit_array"), used)) static void (*early)(void) = before;
__attribute__((constructor(101))) static void first(void) { work(); }
__attribute__((destructor(101))) static void last(void) { for (int i = 0; i < 20; i++) work(); }
int main(void) { for (int i = 0; i < 100; i++) work(); return 0; }
C
for opt in -O0 -O2; do
	rm -rf tally.out
	tally build --counters=check gcc $opt -fno-inline p.c -o p
	./p
	tally print --compare | grep -q ' 0 differences'
	[ "$(tally print -f | awk '$1 == "work" { print $2 }')" = 126 ] || { tally print -f; exit 1; }
done
