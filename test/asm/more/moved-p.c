#define _GNU_SOURCE
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { N = 1000 };

extern const char fixup[];
static const char *how;
static jmp_buf buf;
static volatile int sum, panics, nodd;
static int *volatile nowhere;
static int one = 1;

int fetch(int *p);      /* *p; -1 if that fails and a handler leads to `fixup' */
int skip(int *p);       /* the same by an instruction that is left out */
__asm__(".text\n.globl fetch\n.type fetch, @function\nfetch:\n"
	"	.cfi_startproc\n	movl (%rdi), %eax\n	ret\nfixup:\n	movl $-1, %eax\n	ret\n	.cfi_endproc\n"
	".size fetch, .-fetch\n"
	".globl skip\n.type skip, @function\nskip:\n"
	"	.cfi_startproc\n	movl $-1, %eax\n	movl (%rdi), %eax\n	ret\n	.cfi_endproc\n"
	".size skip, .-skip\n");

__attribute__((noinline)) static void panic(void) { sum += 3; panics++; longjmp(buf, 1); }
__attribute__((noinline)) static void quit(void) { sum += 5; exit(3); }

static void
on(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	void *stack[64];

	(void)sig;
	(void)info;
	if (!strcmp(how, "fixup")) {
		r[REG_RIP] = (greg_t)fixup;
	} else if (!strcmp(how, "skip")) {
		r[REG_RIP] += 2;
	} else if (!strcmp(how, "return")) { /* from fetch or skip, which have no frame */
		r[REG_RIP] = *(greg_t *)r[REG_RSP];
		r[REG_RSP] += 8;
		r[REG_RAX] = -1;
	} else if (!strcmp(how, "depth")) {
		printf("%d\n", backtrace(stack, 64));
		nowhere = &one;
		r[REG_RDI] = (greg_t)&one;
	} else { /* a call */
		r[REG_RSP] = ((r[REG_RSP] - 128) & -16) - 8;
		*(greg_t *)r[REG_RSP] = r[REG_RIP];
		r[REG_RIP] = (greg_t)(!strcmp(how, "quit") ? quit : panic);
	}
}

__attribute__((noinline)) static int
load(int k)
{
	int x;

	sum++;
	nowhere = k & 1 ? NULL : &one;
	if (!strcmp(how, "skip"))
		x = skip(nowhere);
	else if (!strcmp(how, "quit") || !strcmp(how, "panic"))
		x = *nowhere;
	else
		x = fetch(nowhere);
	sum += x;
	return x;
}

__attribute__((noinline)) static int
middle(int k)
{
	int x = load(k);

	nodd += x < 0;
	return x;
}

int
main(int argc, char **argv)
{
	struct sigaction sa = {.sa_sigaction = on, .sa_flags = SA_SIGINFO | SA_NODEFER};
	int i;

	how = argc > 1 ? argv[1] : "";
	sigaction(SIGSEGV, &sa, NULL);
	for (i = 0; i < (!strcmp(how, "depth") ? 2 : N); i++)
		if (setjmp(buf) == 0)
			middle(i);
	printf("%d %d %d\n", sum, nodd, panics);
	return 0;
}
