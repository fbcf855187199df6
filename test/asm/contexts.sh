# contexts.sh - getcontext, makecontext, swapcontext, setcontext: contexts that come to their end,
# are left by exit, a jump or a signal while others wait, are forked, are made anew.
cat >p.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <sys/wait.h>
static ucontext_t home, co[3], back;
static char stack[3][65536];
static volatile int sink, rounds;
__attribute__((noinline)) static void yield(int k) { sink++; swapcontext(&co[k], &home); sink--; }
__attribute__((noinline)) static int nest(int k, int n) { int r; if (n == 0) { yield(k); return 1; } r = nest(k, n - 1); return r + n; }
static void body(int k, int times) { while (times-- > 0) sink += nest(k, k + times % 3); }
static void quits(int k, int times) { body(k, times); exit(4); }
static void flees(int k, int times) { body(k, times); sink++; setcontext(&back); }
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int i, k;
	volatile int came = 0;
	for (k = 0; k < 3; k++) {
		getcontext(&co[k]);
		co[k].uc_stack.ss_sp = stack[k];
		co[k].uc_stack.ss_size = sizeof stack[k];
		co[k].uc_link = &home;
		makecontext(&co[k], (void (*)(void))(k == 2 && !strcmp(how, "exit") ? quits : k == 2 && !strcmp(how, "flee") ? flees : body), 2, k, 5 + k);
	}
	getcontext(&back);
	if (came++) { printf("back %d\n", sink); return 3; }
	for (i = 0; i < 10; i++)
		for (k = 0; k < 3; k++)
			if (i < 6 + k) {
				swapcontext(&home, &co[k]);
				if (!strcmp(how, "stop") && i == 3) return 2;
				if (!strcmp(how, "abort") && i == 3) abort();
				if (!strcmp(how, "fork") && i == 2 && k == 1) { if (fork() == 0) sink += 2; else wait(NULL); }
				if (!strcmp(how, "again") && i == 2 && k == 1) { makecontext(&co[k], (void (*)(void))body, 2, 1, 3); }
			}
	printf("%d\n", sink);
	return 0;
}
C
for cc in gcc clang; do for o in -O0 -O2; do
	$cc $o p.c -o plain
	tally build --quiet --counters=check $cc $o p.c -o p
	for how in '' exit flee stop abort fork again; do
		rm -rf tally.out
		was=0 is=0
		./plain $how >want 2>/dev/null || was=$?
		./p $how >got 2>/dev/null || is=$?
		[ $was = $is ] && cmp want got || { echo "$cc $o $how: status $was and $is"; cat got; exit 1; }
		exact "$cc $o $how"
	done
done; done
