/* contexts.c - contexts that come to their end, are left by exit, a jump or a signal while others wait, are
 * forked, are made anew.  roads: all
 * run: contexts | contexts exit | contexts flee | contexts stop | contexts abort | contexts fork | contexts again
 * with: -O0, -O2 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <sys/wait.h>
static ucontext_t home, co[3], back;
static char stack[3][65536];
static volatile int sink, rounds;
__attribute__((noinline)) static void yield(int k) { sink++; swapcontext(&co[k], &home); sink--; } //= 18
__attribute__((noinline)) static int nest(int k, int n) { int r; if (n == 0) { yield(k); return 1; } r = nest(k, n - 1); return r + n; } //= 54
static void body(int k, int times) { while (times-- > 0) sink += nest(k, k + times % 3); } //= 21
static void quits(int k, int times) { body(k, times); exit(4); } //= 0
static void flees(int k, int times) { body(k, times); sink++; setcontext(&back); } //= 0
int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";               //= 1
	int i, k;
	volatile int came = 0;                                   //= 1
	for (k = 0; k < 3; k++) {                                //= 4
		getcontext(&co[k]);                              //= 3
		co[k].uc_stack.ss_sp = stack[k];                 //= 3
		co[k].uc_stack.ss_size = sizeof stack[k];        //= 3
		co[k].uc_link = &home;                           //= 3
		makecontext(&co[k], (void (*)(void))(k == 2 && !strcmp(how, "exit") ? quits : k == 2 && !strcmp(how, "flee") ? flees : body), 2, k, 5 + k); //= 3
	}
	getcontext(&back);                                       //= 1
	if (came++) { printf("back %d\n", sink); return 3; }     //= 1
	for (i = 0; i < 10; i++)                                 //= 11
		for (k = 0; k < 3; k++)                          //= 40
			if (i < 6 + k) {                         //= 30
				swapcontext(&home, &co[k]);      //= 21
				if (!strcmp(how, "stop") && i == 3) return 2; //= 21
				if (!strcmp(how, "abort") && i == 3) abort(); //= 21
				if (!strcmp(how, "fork") && i == 2 && k == 1) { if (fork() == 0) sink += 2; else wait(NULL); } //= 21
				if (!strcmp(how, "again") && i == 2 && k == 1) { makecontext(&co[k], (void (*)(void))body, 2, 1, 3); } //= 21
			}
	printf("%d\n", sink);                                    //= 1
	return 0;                                                //= 1
}
