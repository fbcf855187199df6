/* signals.c - a process that dies of a signal: it dies as it would, its frames are left where they were, and before
 * that it sees nothing of us.  roads: all
 * run: signals look | signals segv | signals fpe | signals ill | signals trap | signals abort | signals reset | signals once | signals 1 | signals 2 | signals 3 | signals 10 | signals 12 | signals 13 | signals 14 | signals 15 | signals 24 | signals 31 | signals 34 | signals 64
 * with: -O0, -O2, -O2 -fno-pie -no-pie */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int sink, zero;
static volatile int *volatile nowhere;

static void say(int sig) { sink += sig; }                                 //= 1
static void reset(int sig) { sink++; signal(sig, SIG_DFL); raise(sig); }  //= 0
static void twice(int sig) { sink++; raise(sig); }                        //= 0

__attribute__((noinline)) static void
end(const char *how)
{
	struct sigaction sa = {.sa_flags = (int)SA_RESETHAND | SA_NODEFER, .sa_handler = twice}; //= 0

	if (strcmp(how, "segv") == 0)                                     //= 0
		sink = *nowhere;                                          //= 0
	else if (strcmp(how, "fpe") == 0)                                 //= 0
		sink = sink / zero;                                       //= 0
	else if (strcmp(how, "ill") == 0)                                 //= 0
		__asm__("ud2");                                           //= 0
	else if (strcmp(how, "trap") == 0)                                //= 0
		__asm__("int3");                                          //= 0
	else if (strcmp(how, "abort") == 0)                               //= 0
		abort();                                                  //= 0
	else if (strcmp(how, "smash") == 0) /* the frame pointer of the caller, and notice it */ //= 0
		memset(__builtin_frame_address(0), 0x11, 8), abort();     //= 0
	else if (strcmp(how, "reset") == 0)                               //= 0
		signal(SIGSEGV, reset), sink = *nowhere;                  //= 0
	else if (strcmp(how, "once") == 0)                                //= 0
		sigaction(SIGBUS, &sa, NULL), raise(SIGBUS);              //= 0
	else
		raise(atoi(how));                                         //= 0
}

__attribute__((noinline)) static int
down(int n, const char *how)
{
	char buf[n + 1];
	int r;

	memset(buf, n, (size_t)n + 1);                                    //= 0
	if (n == 0) {                                                     //= 0
		end(how);                                                 //= 0
		return 1;                                                 //= 0
	}
	r = n & 1 ? down(n - 1, how) + buf[n / 2] : buf[n / 2] - down(n - 1, how); //= 0
	return r + 1;                                                     //= 0
}

/* What the program sees of its signals: nothing of us. */
static void
look(void)
{
	struct sigaction sa, new = {.sa_handler = say, .sa_flags = SA_RESTART}; //= 1
	int sig;

	for (sig = 1; sig < 65; sig++)                                    //= 65
		if (sigaction(sig, NULL, &sa) == 0 && (sa.sa_handler != SIG_DFL || sa.sa_flags)) //= 64
			printf("%d: %p %x\n", sig, (void *)sa.sa_handler, (unsigned)sa.sa_flags); //= 0
	printf("%d", signal(SIGTERM, say) == SIG_DFL);                    //= 1
	printf("%d", signal(SIGTERM, SIG_DFL) == say);                    //= 1
	printf("%d", signal(SIGTERM, SIG_IGN) == SIG_DFL);                //= 1
	printf("%d", signal(SIGTERM, SIG_DFL) == SIG_IGN);                //= 1
	sigaction(SIGINT, &new, &sa);                                     //= 1
	printf("%d", sa.sa_handler == SIG_DFL && !sa.sa_flags);           //= 1
	new.sa_flags = (int)SA_RESETHAND;                                 //= 1
	sigaction(SIGINT, &new, &sa);                                     //= 1
	printf("%d", sa.sa_handler == say && (sa.sa_flags & SA_RESTART)); //= 1
	sigaction(SIGINT, NULL, &sa);                                     //= 1
	printf("%d", sa.sa_handler == say && (unsigned)sa.sa_flags & SA_RESETHAND); //= 1
	raise(SIGINT);                                                    //= 1
	sigaction(SIGINT, NULL, &sa);                                     //= 1
	printf("%d\n", sa.sa_handler == SIG_DFL);                         //= 1
}

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "look") == 0)                     //= 1
		look();                                                   //= 1
	else if (argc > 1)                                                //= 0
		printf("%d\n", down(7, argv[1]));                         //= 0
	return 0;                                                         //= 1
}
