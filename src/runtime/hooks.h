/* hooks.h - functions of libraries in whose place we are called. */

#ifndef HOOKS_H
#define HOOKS_H

#include "cuts.h"
#include "threads.h"

/* The stubs that call hooked(), 16 bytes each; see below. */
extern const char stubs[] __attribute__((visibility("hidden")));

typedef struct Hooked Hooked;

/* What a stand-in finds: registers as its stub leaves them on the stack. */
struct Hooked {
	uint64_t r15, r14, r13, r12, rbp, rbx, rax, r9, r8, rcx, rdx, rsi, rdi;
	uint64_t which; /* in: the stand-in; out: where to go on */
	uint64_t ra;    /* return address */
};

/* unmangle - what the C library keeps in a jmp_buf. */
static uint64_t
unmangle(uint64_t x)
{
	uint64_t key;

	__asm__("movq %%fs:0x30, %0" : "=r"(key));
	return (x >> 17 | x << 47) ^ key;
}

/* slotof - that of this thread; of one that nobody told us of, whose it shares. */
static Slot *
slotof(void)
{
	int64_t D = 0;
	int k;

	SYS(__NR_arch_prctl, ARCH_GET_GS, &D, 0);
	for (k = 1; k < p->nslot; k++)
		if (p->slot[k].D == D)
			return &p->slot[k];
	return &p->slot[0];
}

/* land - an exception ends up in a frame, for good or to clean up there. */
static void
land(void *context, uint64_t ip)
{
	Slot *s = slotof();

	if (s->ending)
		cut(ip, CUTENTERED | CUTINTERRUPTED);
	else if (s->thrown.reg[RIP] && p->getcfa)
		leaveframes(&s->thrown, p->getcfa(context), ip, CUTINTERRUPTED, CUTLEFT);
	else
		p->hdr->flags |= PROFLOSTCUTS;
	s->thrown.reg[RIP] = 0;
}

static void close(void);
static void child(void);

/* isdefault - whether nobody handles a signal. */
static int
isdefault(int sig)
{
	uint64_t act[4] = {0};

	sys(__NR_rt_sigaction, sig, 0, (long)act, 8, 0, 0);
	return act[0] == 0;
}

static int
isjump(int which)
{
	return which == LONGJMP || which == _LONGJMP || which == SIGLONGJMP || which == LONGJMP_CHK;
}

/* hooked - do what is to be done when such a function is called. */
__attribute__((used)) static void
hooked(Hooked *h)
{
	Frame f = {.reg = {[RBX] = h->rbx,
			   [RBP] = h->rbp,
			   [12] = h->r12,
			   [13] = h->r13,
			   [14] = h->r14,
			   [15] = h->r15,
			   [RSP] = (uint64_t)(&h->ra + 1),
			   [RIP] = h->ra}};
	const uint64_t *buf = (const uint64_t *)h->rdi;
	int which = (int)h->which;
	uint64_t to = UINT64_MAX;

	h->which = which < NHOOK ? (uint64_t)p->real[which] : 0;
	if (which == FORKED && p->pid == (uint32_t)SYS(__NR_getpid, 0, 0, 0))
		return; /* another module's copy has seen to it */
	if (which == FORKED)
		child();
	if (!p->hdr || (!isjump(which) && p->pid != (uint32_t)SYS(__NR_getpid, 0, 0, 0)))
		return; /* a child by vfork has its parent's memory, and must not touch this */
	enter();
	switch (which) {
	case FORKED: leaveframes(&f, to, 0, 0, CUTENTERED); break;
	case LONGJMP:
	case _LONGJMP:
	case SIGLONGJMP:
	case LONGJMP_CHK: jump(&f, unmangle(buf[6]), unmangle(buf[7])); break;
	case EXIT:
		if (p->exitsp && f.reg[RSP] < p->exitsp)
			to = p->exitsp;
		else
			p->exitsp = f.reg[RSP];
		leaveframes(&f, to, 0, 0, CUTLEFT);
		break;
	case ABORT:
		if (!isdefault(6))
			break;
		/* fall through */
	case _EXIT:
	case _EXIT_C99:
	case QUICK_EXIT:
		leaveframes(&f, p->exitsp ? p->exitsp : to, 0, 0, CUTLEFT);
		close();
		break;
	case PTHREAD_EXIT:
		slotof()->ending = 1;
		leaveframes(&f, to, 0, 0, CUTLEFT);
		break;
	case PTHREAD_CANCEL: /* the frames of the thread are left unseen */
	case SWAPCONTEXT:    /* so are those of contexts that nobody comes back to */
	case SETCONTEXT: p->hdr->flags |= PROFLOSTCUTS; break;
	case RAISE_EXCEPTION:
	case RESUME:
	case RETHROW: slotof()->thrown = f; break;
	case EXECVE:
	case EXECV:
	case EXECVP:
	case EXECVPE:
	case EXECL:
	case EXECLP:
	case EXECLE:
	case FEXECVE:
	case EXECVEAT:
		leaveframes(&f, to, 0, 0, CUTLEFT);
		p->hdr->endings[ENDGONE] = 0;
		p->hdr->endings[ENDEXEC] = 1;
		slotof()->execra = h->ra;
		h->ra = (uint64_t)(stubs + 16 * EXECFAILED);
		break;
	case EXECFAILED:
		h->ra = f.reg[RIP] = slotof()->execra;
		p->undo = 1;
		leaveframes(&f, to, 0, 0, CUTLEFT);
		p->undo = 0;
		p->hdr->endings[ENDGONE] = 1;
		p->hdr->endings[ENDEXEC] = 0;
		break;
	case SET_IP: land((void *)h->rdi, h->rsi); break;
	}
	leave();
}

/* The stubs.  They leave the registers as they are, and go on to where
 * hooked() says without a trace on the stack. */

_Static_assert(EXECFAILED == 29, "as many stubs as there are below");

__asm__(".text\n"
	".balign 16\n"
	".type	stubs, @function\n"
	"stubs:\n"
	".set .Ltally_which, 0\n"
	".rept 29\n"
	"	.balign 16\n"
	"	pushq	$.Ltally_which\n"
	"	jmp	stub\n"
	"	.set .Ltally_which, .Ltally_which + 1\n"
	".endr\n"
	"	.balign 16\n"
	"	pushq	$0\n" /* room for the return address */
	"	pushq	$.Ltally_which\n"
	"	jmp	stub\n"
	".type	stub, @function\n"
	"stub:\n"
	"	pushq	%rdi\n"
	"	pushq	%rsi\n"
	"	pushq	%rdx\n"
	"	pushq	%rcx\n"
	"	pushq	%r8\n"
	"	pushq	%r9\n"
	"	pushq	%rax\n"
	"	pushq	%rbx\n"
	"	pushq	%rbp\n"
	"	pushq	%r12\n"
	"	pushq	%r13\n"
	"	pushq	%r14\n"
	"	pushq	%r15\n"
	"	movq	%rsp, %rdi\n"
	"	movq	%rsp, %rbp\n"
	"	andq	$-16, %rsp\n"
	"	call	hooked\n"
	"	movq	%rbp, %rsp\n"
	"	popq	%r15\n"
	"	popq	%r14\n"
	"	popq	%r13\n"
	"	popq	%r12\n"
	"	popq	%rbp\n"
	"	popq	%rbx\n"
	"	popq	%rax\n"
	"	popq	%r9\n"
	"	popq	%r8\n"
	"	popq	%rcx\n"
	"	popq	%rdx\n"
	"	popq	%rsi\n"
	"	popq	%rdi\n"
	"	cmpq	$0, (%rsp)\n"
	"	jne	1f\n"
	"	addq	$8, %rsp\n"
	"1:	ret\n");

static void *
standin(int which)
{
	switch (which) {
	case PTHREAD_CREATE: return (void *)create;
	case THRD_CREATE: return (void *)thrd;
	default: return (void *)(stubs + 16 * which);
	}
}

/* patch - a word that the dynamic linker has filled, and may have protected since. */
static void
patch(const struct phdrinfo *info, void **slot, void *to)
{
	uint64_t page = (uint64_t)slot & ~(PAGE - 1);
	int i, guarded = 0;

	if (*slot == to)
		return;
	for (i = 0; i < info->phnum; i++) {
		const Elf64_Phdr *ph = &info->phdr[i];

		if (ph->p_type == PT_GNU_RELRO && (uint64_t)slot >= info->addr + ph->p_vaddr
		    && (uint64_t)slot < info->addr + ph->p_vaddr + ph->p_memsz)
			guarded = 1;
	}
	if (guarded && SYS(__NR_mprotect, page, PAGE, PROT_READ | PROT_WRITE) != 0)
		return;
	*slot = to;
	if (guarded)
		SYS(__NR_mprotect, page, PAGE, PROT_READ);
}

/* hookwords - those of one table of relocations. */
static void
hookwords(const struct phdrinfo *info, const Elf64_Rela *rel, uint64_t size, const Elf64_Sym *sym,
	  const char *names, int on)
{
	const Elf64_Rela *end = (const void *)((const char *)rel + size);
	int i;

	for (; rel && rel < end; rel++) {
		uint32_t type = (uint32_t)ELF64_R_TYPE(rel->r_info);
		const char *name = names + sym[ELF64_R_SYM(rel->r_info)].st_name;
		void **slot = (void **)(info->addr + rel->r_offset);

		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
			continue;
		for (i = 0; i < NHOOK; i++)
			if (name[0] == hookname[i][0] && p->real[i]
			    && same(name, hookname[i], length(hookname[i]) + 1))
				patch(info, slot, on ? standin(i) : p->real[i]);
	}
}

/* hookmodule - the words of a module. */
static int
hookmodule(struct phdrinfo *info, size_t size, void *on)
{
	const Elf64_Dyn *d = NULL;
	uint64_t at[DT_JMPREL + 1] = {0};
	int i;

	(void)size;
	for (i = 0; i < info->phnum; i++)
		if (info->phdr[i].p_type == PT_DYNAMIC)
			d = (const Elf64_Dyn *)(info->addr + info->phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag >= 0 && d->d_tag <= DT_JMPREL)
			at[d->d_tag] = d->d_un.d_val;
	if (!at[DT_SYMTAB] || !at[DT_STRTAB] || at[DT_SYMTAB] < info->addr)
		return 0; /* the kernel's own, say */
	hookwords(info, (const void *)at[DT_JMPREL], at[DT_PLTRELSZ], (const void *)at[DT_SYMTAB],
		  (const void *)at[DT_STRTAB], on != NULL);
	hookwords(info, (const void *)at[DT_RELA], at[DT_RELASZ], (const void *)at[DT_SYMTAB],
		  (const void *)at[DT_STRTAB], on != NULL);
	return 0;
}

/* hookall - lead calls to this copy. */
static void
hookall(void)
{
	int i;

	if (!dl_iterate_phdr || !dlsym)
		return;
	p->host = note;
	for (i = 0; i < NHOOK; i++)
		p->real[i] = dlsym(NULL, hookname[i]);
	p->getcfa = (uint64_t(*)(void *))dlsym(NULL, "_Unwind_GetCFA");
	dl_iterate_phdr(hookmodule, p);
	p->hdr->flags |= PROFHASCUTS;
}

#endif
