#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 3, STACK = 32768 };

typedef struct Co Co;

struct Co {
	void *regs[8], *back[8]; /* where it waits, and who called it */
	char *stack;
	int k, n, over;
};

static Co co[N];
static const char *how;
static Co *fresh;
static volatile int sink;
static void run(Co *c);

#if KIND == 1 /* saved on the stack, and a return */
void swap(void *from, void *to);
__asm__(".text\n.globl swap\n.type swap, @function\nswap:\n"
	"	pushq %rbp\n	pushq %rbx\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n"
	"	movq %rsp, (%rdi)\n	movq (%rsi), %rsp\n"
	"	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbx\n	popq %rbp\n	ret\n"
	".size swap, .-swap\n"
	".type start, @function\nstart:\n	movq %r12, %rdi\n	pushq $0\n	jmp *%r13\n.size start, .-start\n");
extern const char start[];
static void
make(Co *c)
{
	void **top = (void **)(c->stack + STACK - 64);

	*--top = (void *)start;
	top -= 6;
	top[2] = (void *)run;
	top[3] = c;
	c->regs[0] = top;
}
#elif KIND == 2 /* room on the stack, and a jump */
void swap(void *from, void *to);
__asm__(".text\n.globl swap\n.type swap, @function\n.align 16\nswap:\n"
	"	leaq -0x40(%rsp), %rsp\n	stmxcsr (%rsp)\n	fnstcw 4(%rsp)\n"
	"	movq %r12, 8(%rsp)\n	movq %r13, 16(%rsp)\n	movq %r14, 24(%rsp)\n	movq %r15, 32(%rsp)\n"
	"	movq %rbx, 40(%rsp)\n	movq %rbp, 48(%rsp)\n"
	"	movq %rsp, %rax\n	movq %rax, (%rdi)\n	movq (%rsi), %rsp\n"
	"	movq 0x40(%rsp), %r8\n	testl $1, 64(%rsi)\n	jne 1f\n"
	"	ldmxcsr (%rsp)\n	fldcw 4(%rsp)\n"
	"1:	movq 8(%rsp), %r12\n	movq 16(%rsp), %r13\n	movq 24(%rsp), %r14\n	movq 32(%rsp), %r15\n"
	"	movq 40(%rsp), %rbx\n	movq 48(%rsp), %rbp\n	leaq 0x48(%rsp), %rsp\n"
	"	jmp *%r8\n.size swap, .-swap\n"
	".type start, @function\nstart:\n	movq %r12, %rdi\n	pushq %rbp\n	jmp *%rbx\n"
	"finish:\n	xorl %edi, %edi\n	call _exit@PLT\n	hlt\n.size start, .-start\n");
extern const char start[], finish[];
static void
make(Co *c)
{
	void **top = (void **)(c->stack + STACK - 64);

	*--top = (void *)start;
	top -= 8;
	__asm__("stmxcsr %0\n	fnstcw %1" : "=m"(top[0]), "=m"(*((char *)top + 4)));
	top[1] = c;
	top[5] = (void *)run;
	__asm__("leaq finish(%%rip), %0" : "=r"(top[6]));
	c->regs[0] = top;
}
#elif KIND == 3 /* all in a buffer, and a place by distance */
void swap(void *from, void *to);
__asm__(".text\n.globl swap\n.type swap, @function\nswap:\n"
	"	leaq 0x3d(%rip), %rax\n	movq %rax, (%rdi)\n	movq %rsp, 8(%rdi)\n"
	"	movq %rbp, 16(%rdi)\n	movq %rbx, 24(%rdi)\n	movq %r12, 32(%rdi)\n"
	"	movq %r13, 40(%rdi)\n	movq %r14, 48(%rdi)\n	movq %r15, 56(%rdi)\n"
	"	movq 56(%rsi), %r15\n	movq 48(%rsi), %r14\n	movq 40(%rsi), %r13\n"
	"	movq 32(%rsi), %r12\n	movq 24(%rsi), %rbx\n	movq 16(%rsi), %rbp\n"
	"	movq 8(%rsi), %rsp\n	jmpq *(%rsi)\n	ret\n.size swap, .-swap\n"
	".type start, @function\nstart:\n	movq %r13, %rdi\n	jmpq *%r12\n.size start, .-start\n");
extern const char start[];
static void
make(Co *c)
{
	void **top = (void **)(c->stack + STACK - 128 - 8);

	*top = (void *)0xdeaddeaddeaddead;
	c->regs[0] = (void *)start;
	c->regs[1] = top;
	c->regs[4] = (void *)run;
	c->regs[5] = c;
}
#elif KIND == 4 /* in the middle of a function in C */
__attribute__((noinline)) static void
swap(void **from, void **to)
{
	__asm__ volatile("pushq %%rbp\n	pushq %%rbx\n	leaq 1f(%%rip), %%rax\n	movq %%rax, 8(%0)\n"
			 "	movq %%rsp, (%0)\n	movq (%1), %%rsp\n	jmp *8(%1)\n"
			 "1:	popq %%rbx\n	popq %%rbp\n"
			 : "+D"(from), "+S"(to)
			 :
			 : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory",
			   "cc");
	sink++;
}

static void begin(void) { run(fresh); }
static void
make(Co *c)
{
	void **top = (void **)(c->stack + STACK - 64);

	*--top = NULL;

	c->regs[0] = top;
	c->regs[1] = (void *)begin;
}
#elif KIND == 5 /* setjmp and longjmp, by hand, and a call on another stack */
int keep(void *) __attribute__((returns_twice));
void away(void *, int);
void begin(void *stack, void (*)(Co *), Co *);
__asm__(".text\n.globl keep\n.type keep, @function\nkeep:\n	.cfi_startproc\n"
	"	movq %rbx, (%rdi)\n	movq %rbp, 8(%rdi)\n	movq %r12, 16(%rdi)\n	movq %r13, 24(%rdi)\n"
	"	movq %r14, 32(%rdi)\n	movq %r15, 40(%rdi)\n	leaq 8(%rsp), %rdx\n	movq %rdx, 48(%rdi)\n"
	"	movq (%rsp), %rdx\n	movq %rdx, 56(%rdi)\n	xorl %eax, %eax\n	ret\n	.cfi_endproc\n"
	".size keep, .-keep\n"
	".globl away\n.type away, @function\naway:\n	.cfi_startproc\n"
	"	movl %esi, %eax\n	testl %eax, %eax\n	jne 1f\n	incl %eax\n"
	"1:	movq (%rdi), %rbx\n	movq 8(%rdi), %rbp\n	movq 16(%rdi), %r12\n	movq 24(%rdi), %r13\n"
	"	movq 32(%rdi), %r14\n	movq 40(%rdi), %r15\n	movq 48(%rdi), %rsp\n	jmp *56(%rdi)\n"
	"	.cfi_endproc\n.size away, .-away\n"
	".globl begin\n.type begin, @function\nbegin:\n"
	"	pushq %rbp\n	movq %rsp, %rbp\n	movq %rdi, %rsp\n	movq %rdx, %rdi\n"
	"	pushq $0\n	jmp *%rsi\n.size begin, .-begin\n");
static void
swap(void *from, void *to)
{
	Co *c = (Co *)((char *)to - offsetof(Co, regs));

	if (keep(from) != 0)
		return;
	if (c >= co && c < co + N && to == c->regs && !c->regs[7])
		begin(c->stack + STACK - 64, run, c);
	away(to, 1);
}
static void make(Co *c) { c->regs[7] = NULL; }
#elif KIND == 6 /* saved on the stack, and a place in the middle */
void swap(void *from, void *to);
__asm__(".text\n.globl swap\n.type swap, @function\nswap:\n"
	"	pushq %rbp\n	pushq %rbx\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n"
	"	leaq 1f(%rip), %rax\n	movq %rax, 8(%rdi)\n	movq %rsp, (%rdi)\n	movq (%rsi), %rsp\n"
	"	jmp *8(%rsi)\n"
	"1:	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbx\n	popq %rbp\n	ret\n"
	".size swap, .-swap\n");
static void begin(void) { run(fresh); }
static void
make(Co *c)
{
	void **top = (void **)(c->stack + STACK - 64);

	*--top = NULL;
	c->regs[0] = top;
	c->regs[1] = (void *)begin;
}
#endif

__attribute__((noinline)) static void
yield(Co *c)
{
	sink++;
	swap((void *)c->regs, (void *)c->back);
	sink++;
}

__attribute__((noinline)) static int
nest(Co *c, int n)
{
	int r;

	if (n == 0) {
		yield(c);
		return 1;
	}
	r = nest(c, n - 1);
	return r + n;
}

static void
run(Co *c)
{
	int i;

	for (i = 0; i < c->n; i++) {
		sink += nest(c, c->k + i % 3);
		if (c->k == 1 && i == 4 && !strcmp(how, "exit"))
			exit(4);
		if (c->k == 1 && i == 4 && !strcmp(how, "abort"))
			abort();
		if (c->k == 1 && i == 2 && !strcmp(how, "fork")) {
			if (fork() == 0)
				sink += 2;
			else
				wait(NULL);
		}
	}
	c->over = 1;
	for (;;)
		yield(c);
}

__attribute__((noinline)) static void
resume(Co *c)
{
	fresh = c;
	swap((void *)c->back, (void *)c->regs);
}

static void
renew(int k)
{
	co[k] = (Co){.k = k, .n = 5 + k, .stack = calloc(1, STACK)};
	make(&co[k]);
}

static void *
thread(void *arg)
{
	int k;

	for (k = 0; k < N; k++)
		resume(&co[k]);
	return arg;
}

int
main(int argc, char **argv)
{
	pthread_t t;
	int i, k;

	how = argc > 1 ? argv[1] : "";
	for (k = 0; k < N; k++)
		renew(k);
	if (!strcmp(how, "die")) { /* at any moment */
		struct itimerval it = {.it_value.tv_usec = atoi(argv[2])};

		for (setitimer(ITIMER_REAL, &it, NULL);;)
			for (k = 0; k < N; k++)
				resume(&co[k]);
	}
	for (i = 0; i < 6; i++) {
		for (k = 0; k < N; k++)
			resume(&co[k]);
		if (i == 3 && !strcmp(how, "free")) {
			memset(co[1].stack, 0x55, STACK);
			free(co[1].stack);
			renew(1);
		}
		if (i > 1 && !strcmp(how, "threads")) {
			pthread_create(&t, NULL, thread, NULL);
			pthread_join(t, NULL);
		}
	}
	printf("%d %d %d %d\n", sink, co[0].over, co[1].over, co[2].over);
	return 0;
}
