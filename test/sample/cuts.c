/* cuts.c - frames that are left without a return, and entered without a call.  roads: all
 * run: cuts 0 | cuts 1 | cuts 2 | cuts 3 | cuts 4 | cuts 5 | cuts 7 | cuts 8 | cuts 10 | cuts 12 | cuts 13
 * with: -O0, -O1, -O2, -O2 -fomit-frame-pointer -fno-pie -no-pie, -O3, -Os, -static, -O2 -static-pie */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf env;
static sigjmp_buf senv;
static volatile int depth, sink;
static int how;

static void handler(int sig) { sink += sig; siglongjmp(senv, 1); }        //= 3
static void counted(int sig) { sink += sig > 3 ? sig : 1; }               //= 1
static void late(void) { sink++; if (how == 5) exit(9); }                 //= 0

__attribute__((noinline)) static int
end(int which)
{
	switch (which) {                                                  //= 28
	case 0: longjmp(env, 1);                                          //= 12
	case 1: exit(3);                                                  //= 0
	case 2: _exit(4);                                                 //= 0
	case 3: abort();                                                  //= 0
	case 4: quick_exit(5);                                            //= 0
	case 5: atexit(late); exit(6);                                    //= 0
	case 6: raise(SIGUSR1); break;                                    //= 3
	case 7: pthread_exit(NULL);                                       //= 3
	case 8: if (fork() == 0) { sink++; return 1; } wait(NULL); break; //= 0
	case 9: siglongjmp(senv, 2);                                      //= 4
	case 10: if (fork() == 0) { sink++; exit(0); } wait(NULL); break; //= 0
	case 11: raise(SIGUSR2); break;                                   //= 1
	case 12: execl("/bin/sh", "sh", "-c", "exit $1", "x", "8", (char *)0); break; //= 0
	case 13: { char *a[] = {"true", 0}; execvp("true", a); } break;   //= 0
	case 14: execl("/nonexistent", "x", "1", "2", "3", "4", "5", "6", "7", (char *)0); break; //= 3
	default: break;                                                   //= 2
	}
	return which;                                                     //= 6
}

__attribute__((noinline)) static int
down(int n, int which)
{
	char buf[n + 1];
	int r;

	memset(buf, n, (size_t)n + 1);                                    //= 144
	depth++;                                                          //= 144
	if (n == 0)                                                       //= 144
		r = end(which);                                           //= 28
	else if (n & 1)                                                   //= 116
		r = down(n - 1, which) + buf[n / 2];                      //= 64
	else
		r = buf[n / 2] - down(n - 1, which);                      //= 52
	depth--;                                                          //= 17
	return r;                                                         //= 17
}

static void *thread(void *arg) { down(6, 7); return arg; }                //= 3

int
main(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = handler};                    //= 1
	pthread_t t;
	int i;

	how = argc > 1 ? atoi(argv[1]) : 0;                               //= 1
	sigaction(SIGUSR1, &sa, NULL);                                    //= 1
	sa.sa_handler = counted;                                          //= 1
	sigaction(SIGUSR2, &sa, NULL);                                    //= 1
	for (i = 0; i < 12; i++)                                          //= 13
		if (setjmp(env) == 0)                                     //= 12
			down(i, 0);                                       //= 12
		else
			depth = 0;                                        //= 12
	for (i = 0; i < 7; i++)                                           //= 8
		if (sigsetjmp(senv, 1) == 0)                              //= 7
			down(i, i & 1 ? 6 : 9);                           //= 7
	down(3, 11);                                                      //= 1
	for (i = 0; i < 3; i++)                                           //= 4
		down(i, 14);                                              //= 3
	for (i = 0; i < 3; i++) {                                         //= 4
		pthread_create(&t, NULL, thread, NULL);                   //= 3
		pthread_join(t, NULL);                                    //= 3
	}
	printf("%d\n", down(5, 99));                                      //= 1
	fflush(stdout);                                                   //= 1
	down(how == 0 ? 0 : 7, how ? how : 99);                           //= 1
	return 0;                                                         //= 1
}
