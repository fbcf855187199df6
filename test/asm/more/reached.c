#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#define FLAGS (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)
static volatile long sink[4][64];
static volatile int left = 4;
static pthread_barrier_t all;
__attribute__((noinline)) static void work(long k)
{
	long i;
	for (i = 0; i < 300000; i++)
		sink[k][0] += i & 3; //= 1200000
}
static int body(void *arg)
{
	pthread_barrier_wait(&all);
	work((long)arg); //= 4
	__sync_fetch_and_sub(&left, 1);
	return 0;
}
typedef int Create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
#if defined NEXT
static Create *make;
__attribute__((constructor)) static void early(void) { make = (Create *)dlsym(RTLD_NEXT, "pthread_create"); }
#elif defined VERSION
static Create *make;
__attribute__((constructor)) static void early(void) { make = (Create *)dlvsym(RTLD_DEFAULT, "pthread_create", "GLIBC_2.34"); }
#elif defined WRAPPER || defined WRAPS
struct wrapped { void *(*f)(void *); void *arg; };
static struct wrapped made[8];
static int nmade;
static void *wrapped(void *p) { struct wrapped *w = p; return w->f(w->arg); }
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg)
{
	Create *real = (Create *)dlsym(RTLD_NEXT, "pthread_create");
	struct wrapped *w = &made[nmade++];
	*w = (struct wrapped){f, arg};
	return real(t, a, wrapped, w);
}
#define make pthread_create
#elif defined TABLE
static Create *const volatile table[] = {pthread_create};
#define make table[0]
#else
#define make pthread_create
#endif
static void *nothing(void *arg) { return arg; }
int main(void)
{
	long k;
	pthread_t t[4];
	pthread_barrier_init(&all, NULL, 4);
#ifdef MIXED
	(pthread_create)(&t[0], NULL, nothing, NULL);
	pthread_join(t[0], NULL);
#endif
	for (k = 0; k < 4; k++) {
#if defined CLONE || defined RAW
		char *stack = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#ifdef CLONE
		if (clone(body, stack + (1 << 20), FLAGS, (void *)k) < 0)
			return 2;
#else
		long ret;
		void **top = (void **)(stack + (1 << 20)) - 4;
		top[0] = (void *)body;
		top[1] = (void *)k;
		__asm__ volatile("xorl %%r10d, %%r10d\n\txorl %%r8d, %%r8d\n\tsyscall\n\ttestq %%rax, %%rax\n\tjne 1f\n\t"
				 "popq %%rax\n\tpopq %%rdi\n\tcall *%%rax\n\tmovl $60, %%eax\n\txorl %%edi, %%edi\n\tsyscall\n1:"
				 : "=a"(ret) : "a"((long)SYS_clone), "D"((long)FLAGS), "S"(top), "d"(0l)
				 : "rcx", "r8", "r10", "r11", "memory");
		if (ret < 0)
			return 2;
#endif
#else
		if (make(&t[k], NULL, (void *(*)(void *))body, (void *)k) != 0)
			return 2;
#endif
	}
	while (left)
		usleep(1000);
#if !defined CLONE && !defined RAW
	for (k = 0; k < 4; k++)
		pthread_join(t[k], NULL);
#endif
	usleep(5000);
	return 0; //= 1
}
