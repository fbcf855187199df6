#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>
static volatile int sink, trapping;
static sigjmp_buf back;
static ucontext_t here, there;
static char room[65536];
struct Guard { int n; explicit Guard(int k) : n(k) { sink += k; } ~Guard() { sink -= n; if (n > 1) sink++; } };
#define TRAP() do { if (trapping) __asm__ volatile("int3"); } while (0)
#define COUNTED __attribute__((noinline)) static
static void on(int sig) { sink += sig; siglongjmp(back, 1); }
static void swapped() { for (;;) { sink++; swapcontext(&there, &here); } }
COUNTED int away(int how)
{
	TRAP();
	switch (how) {
	case 't': throw 7;
	case 'l': longjmp(back, 1);
	case 's': raise(SIGUSR1); break;
	case 'c': setcontext(&here); break;
	case 'w': swapcontext(&here, &there); break;
	case 'q': quick_exit(3);
	case 'e': execl("/nowhere", "nowhere", (char *)nullptr); break;
	case 'p': pthread_exit(nullptr);
	}
	return 1;
}
COUNTED int bare(int how) { int r = away(how); sink++; return r; }
COUNTED int guarded(int n, int how) { Guard g(n); return (n ? guarded(n - 1, how) : bare(how)) + g.n; }
COUNTED int caught(int how)
{
	try { return guarded(1, how); }
	catch (int k) { sink += k; throw; }
}
COUNTED int once(int how)
{
	volatile int came = 0, r = 0;
	try {
		if (how == 'l' || how == 's')
			r = sigsetjmp(back, how == 's') ? 2 : guarded(1, how);
		else if (how == 'c')
			getcontext(&here), r = came++ ? 3 : guarded(1, how);
		else
			r = caught(how);
	} catch (int k) { r = k; }
	TRAP();
	return r;
}
static void *work(void *arg)
{
	int how = *(char *)arg, i;
	for (i = 0; i < 3; i++) {
		trapping = i == 2;
		if (how != 'p' && how != 'q' || trapping)
			sink += once(how);
	}
	return nullptr;
}
int main(int argc, char **argv)
{
	pthread_t t;
	signal(SIGUSR1, on);
	getcontext(&there);
	there.uc_stack.ss_sp = room;
	there.uc_stack.ss_size = sizeof room;
	makecontext(&there, swapped, 0);
	if (argc < 2)
		return 0;
	if (!argv[1][1])
		work(argv[1]);
	else if (pthread_create(&t, nullptr, work, argv[1]) == 0)
		pthread_join(t, nullptr);
	return 0;
}
