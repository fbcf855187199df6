/* hooks.h - functions of libraries in whose place we are called. */

#ifndef HOOKS_H
#define HOOKS_H

#include "contexts.h"
#include "evict.h"
#include "rooms.h"
#include "seal.h"
#include "threads.h"

/* unmangle - what the C library keeps in a jmp_buf. */
static uint64_t
unmangle(uint64_t x)
{
	uint64_t key;

	__asm__("movq %%fs:0x30, %0" : "=r"(key));
	return (x >> 17 | x << 47) ^ key;
}

/* setframe - the registers that a function leaves as they are, in the order of the buffer of
 * longjmp.  Its place is hot: it is not cleared by a copy, and the others are nothing. */
static void
setframe(Frame *f, const uint64_t *reg, uint64_t rbp, uint64_t rsp, uint64_t rip)
{
	f->reg[RBX] = reg[0];
	f->reg[RBP] = rbp;
	f->reg[12] = reg[2];
	f->reg[13] = reg[3];
	f->reg[14] = reg[4];
	f->reg[15] = reg[5];
	f->reg[RSP] = rsp;
	f->reg[RIP] = rip;
	f->cfa = 0;
	f->interrupted = f->careful = 0;
}

/* target - where a jmp_buf leads.  glibc mangles three of its registers, musl none of the same; and
 * musl's sigsetjmp returns to its caller by way of itself, with the buffer in rbx. */
static void
target(const uint64_t *buf, Frame *f)
{
	int plain = (buf[6] | buf[7]) >> 47 == 0;

	if (plain)
		setframe(f, buf, buf[1], buf[6], buf[7]);
	else
		setframe(f, buf, unmangle(buf[1]), unmangle(buf[6]), unmangle(buf[7]));
	if (plain && buf[0] == (uint64_t)buf) {
		f->reg[RBX] = buf[10];
		f->reg[RIP] = buf[8];
	}
}

/* raised - where the function was called that has found a personality routine, which f is in: f
 * becomes that frame; NULL if it was not through us, for the thread ends. */
static Jump *
raised(Frame *f)
{
	Frame from = *f;

	while (!from.interrupted && !iscounted(from.reg[RIP] - 1) && step(&from) == 1)
		;
	if (!isjumping(from.reg[RIP]))
		return NULL;
	*f = from;
	return (Jump *)f->reg[RSP];
}

/* land - an exception ends up in a frame, for good or to clean up there; or a thread does that
 * leaves its frames and was not thrown. */
static void
land(Frame *f, void *context, uint64_t ip)
{
	Slot *s = slotof();
	Jump *jump = raised(f);

	if (s->ending)
		cut(ip, CUTENTERED | CUTINTERRUPTED);
	else if (!p->getcfa)
		p->hdr->flags |= PROFLOSTCUTS;
	else if (jump) {
		if (!leaveframes(f, p->getcfa(context), ip, CUTINTERRUPTED, CUTLEFT, &jump->to))
			p->hdr->flags |= PROFLOSTCUTS;
		jump->to.reg[RIP] = ip;
		jump->to.interrupted = 1;
		jump->made = MADE;
	} else {
		leavelast(f, p->getcfa(context), ip, CUTINTERRUPTED);
		s->landing = 1;
	}
}

/* unwinding - a thread leaves its frames, down to that of a buffer that it registered. */
static void
unwinding(Frame *f, const uint64_t *buf)
{
	if (buf)
		leavelast(f, unmangle(buf[6]), unmangle(buf[7]), 0);
	else
		leavelast(f, UINT64_MAX, 0, 0);
}

/* canceled - a thread will be; whether we shall hear of it. */
static void
canceled(uint64_t thread)
{
	const Slot *s;

	for (s = &p->main; s; s = s->next)
		if (s->taken && s->self == thread && iswatched(s))
			return;
	p->hdr->flags |= PROFLOSTCUTS;
}

/* replaced - by exec, or not after all; a child by vfork has frames up to a place. */
static void
replaced(Frame *f, uint64_t to, int failed)
{
	p->undo = failed;
	leaveframes(f, to, 0, 0, CUTLEFT, NULL);
	p->undo = 0;
	if (to != UINT64_MAX)
		return;
	ended(failed ? ENDGONE : ENDEXEC);
	if (failed)
		p->hdr->flags &= ~(uint32_t)PROFALIVE;
	else if (others())
		p->hdr->flags |= PROFALIVE;
}

/* exited - with a status. */
static void
exited(int status)
{
	p->hdr->status = status & 0xff;
	p->ending = status & 0xff ? ENDFAILED : ENDEXIT;
}

/* comeback - have a call return to one of our stubs; false if there is no room to remember where it
 * is to go on then. */
static int
comeback(Hooked *h, int stub)
{
	uint64_t *to = returnof();

	if (!to) {
		p->hdr->flags |= PROFLOSTCUTS;
		return 0;
	}
	*to = h->ra;
	h->ra = (uint64_t)(stubs + 16 * stub);
	return 1;
}

static int
isexec(int which)
{
	return (which >= EXECVE && which <= EXECVEAT) || which == EXECFAILED;
}

static int
isjump(int which)
{
	return which == LONGJMP || which == _LONGJMP || which == SIGLONGJMP || which == LONGJMP_CHK;
}

static void finish(Frame *);
static void part(void);

#define SWAPPEDSTUB ((uint64_t)(stubs + 16 * SWAPPED))

/* clones - whether a call makes a process or a thread that shares counters: its flags, or
 * -1.  A program may have a clone() of its own. */
static int64_t
clones(int which, const Hooked *h)
{
	switch (which) {
	case _FORK: return 0;
	case CLONE:
		if (!p->isstatic
		    && moduleat(h->which).phdr != moduleat((uint64_t)p->real[_EXIT]).phdr)
			return -1;
		return (uint32_t)h->rdx;
	case SYSCALL:
		if (h->rdi == __NR_clone)
			return (uint32_t)h->rsi;
		return h->rdi == __NR_fork || (h->rdi == __NR_clone3 && h->rdx) ? 0 : -1;
	default: return -1;
	}
}

/* borrowed - in a child that has its parent's memory, by vfork, or its parent's file, since
 * nobody told us of it: the stack where its own frames end, if it leaves them now; 0. */
static uint64_t
borrowed(int which)
{
	uint64_t sp = *SEEN ? slotof()->vforksp : 0;

	if (!sp)
		p->hdr->flags |= PROFFORKED | PROFTHREADS;
	return isexec(which) || which == _EXIT || which == _EXIT_C99 ? sp : 0;
}

/* askfrom - call dlsym or dlvsym so that it returns by a return instruction of some module, which
 * it takes for its caller: what it finds depends on that. */
void *askfrom(const void *handle, const char *name, const void *version, void *real, uint64_t from)
	__attribute__((visibility("hidden")));
extern const char answered[] __attribute__((visibility("hidden")));

__asm__(".text\n"
	".type	askfrom, @function\n"
	"askfrom:\n"
	"	.cfi_startproc\n"
	"	leaq	answered(%rip), %rax\n"
	"	pushq	%rax\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	pushq	%r8\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	jmp	*%rcx\n"
	"	.cfi_adjust_cfa_offset -16\n"
	"	.type	answered, @notype\n"
	"	nop\n"
	"answered:\n"
	"	ret\n"
	"	.cfi_endproc\n");

/* returnin - a return instruction of the module that an address is in; 0. */
static uint64_t
returnin(uint64_t pc)
{
	struct phdrinfo m = moduleat(pc);
	int i;

	for (i = 0; i < m.phnum; i++) {
		const uint8_t *at = (const uint8_t *)m.addr + m.phdr[i].p_vaddr, *end;

		end = at + m.phdr[i].p_filesz;
		if (m.phdr[i].p_type == PT_LOAD && (m.phdr[i].p_flags & PF_X))
			for (; at < end; at++)
				if (*at == 0xc3)
					return (uint64_t)at;
	}
	return 0;
}

/* standinfor - a function that was found by its name, or who stands in for it.  It may be the
 * C library's where something else of that name stands in front of it. */
static void *
standinfor(const char *name, void *f)
{
	void *none = NULL;
	int i;

	for (i = 0; f && i < NHOOK; i++) {
		if (!same(name, hookname[i], length(hookname[i]) + 1))
			continue;
		if (f == p->real[i])
			return p->standin[i];
		if (!p->real[i] || !p->standin[OTHER + i] || !p->library
		    || moduleat((uint64_t)f).phdr != p->library)
			return f;
		if (!__atomic_compare_exchange_n(&p->other[i], &none, f, 0, __ATOMIC_SEQ_CST,
						 __ATOMIC_SEQ_CST)
		    && none != f)
			return f;
		return p->standin[OTHER + i];
	}
	return f;
}

/* asked - dlsym or dlvsym, by the caller of a stand-in. */
static void
asked(Hooked *h)
{
	uint64_t from = returnin(h->ra);
	const char *name = (const char *)h->rsi;

	if (!from)
		return;
	h->rax = (uint64_t)standinfor(name, askfrom((const void *)h->rdi, name,
						    (const void *)h->rdx, (void *)h->which, from));
	h->which = 0;
}

/* clonethread - in the place of clone(): a thread counts for itself. */
static void
clonethread(Hooked *h)
{
	Slot *s = takeslot((void *(*)(void *))h->rdi, (void *)h->rcx);

	if (!s)
		return;
	h->rdi = (uint64_t)runbare;
	h->rcx = (uint64_t)s;
}

/* hooked - do what is to be done when such a function is called.  True if it leaves frames, and
 * is to be called above `made', where it is said that they are left. */
__attribute__((used)) static int
hooked(Hooked *h, Jump *made)
{
	const uint64_t kept[] = {h->rbx, 0, h->r12, h->r13, h->r14, h->r15};
	const uint64_t *buf = (const uint64_t *)h->rdi;
	int which = (int)h->which;
	int64_t flags;
	uint64_t to = UINT64_MAX;
	int leaves = 0, held;
	Hold own;
	Frame f;

	if (!p) { /* only what happens at ends leads here: in a copy that never counted, or after evict.h */
		if (which == FINISH)
			part();
		h->which = 0;
		return 0;
	}
	setframe(&f, kept, h->rbp, (uint64_t)(&h->ra + 1), h->ra);
	h->which = which < NHOOK || which >= OTHER ? (uint64_t)functionof(which) : 0;
	if (which >= OTHER)
		which -= OTHER;
	if ((which == PRCTL || which == SYSCALL) && seals(which, h))
		seal();
	if (which >= MMAP && which <= SBRK && p->hdr)
		giveway(&f, which, h);
	if (((which >= SETUID && which <= CAPSET) || which == SYSCALL) && p->hdr)
		prepare(&f, which, h);
	if (which >= PRCTL && which <= SBRK)
		return 0;
	flags = clones(which, h);
	if ((which == CLONE || which == SYSCALL) && flags < 0)
		return 0;
	if (which == DLSYM || which == DLVSYM) {
		asked(h);
		return 0;
	}
	if (which == CLONE && (flags & CLONE_THREAD)) {
		clonethread(h);
		return 0;
	}
	if (which == FORKED && isown())
		return 0; /* another module's copy has seen to it */
	if (which == FORKED)
		child();
	if (which == FINISH)
		finish(&f);
	if (which == AFTERFORK) {
		h->ra = f.reg[RIP] = *returnof();
		if (h->rax != 0)
			return 0;
		child();
		which = FORKED;
	}
	if (which == SWAPPED) {
		enter(NULL);
		h->ra = f.reg[RIP] = resume(f.reg[RSP]);
		if (p->hdr && isown())
			enterframes(&f);
		leave();
	}
	if (which == FINISH || which == SWAPPED || !p->hdr)
		return 0;
	if (!isjump(which) && !isown() && !(to = borrowed(which)))
		return 0;
	held = isjump(which) && p->tls && hold(&own);
	if (!held)
		enter(&f);
	if (!held)
		checkbase();
	switch (p->hdr ? which : NHOOK) {
	case FORKED: leaveframes(&f, UINT64_MAX, 0, 0, CUTENTERED, NULL); break;
	case LONGJMP:
	case _LONGJMP:
	case SIGLONGJMP:
	case LONGJMP_CHK:
		target(buf, &made->to);
		jump(&f, &made->to);
		made->by = h->which;
		made->made = MADE;
		leaves = 1;
		break;
	case _EXIT:
	case _EXIT_C99:
		leaveframes(&f, to, 0, 0, CUTLEFT, NULL);
		if (to != UINT64_MAX)
			break;
		exited((int)h->rdi);
		close(1);
		break;
	case QUICK_EXIT: /* more may run; who comes later closes the file */
		leaveframes(&f, UINT64_MAX, 0, 0, CUTLEFT, NULL);
		exited((int)h->rdi);
		ended(p->ending);
		*made = (Jump){.made = MADE};
		leaves = 1;
		break;
	case FORK:
		if (!comeback(h, AFTERFORK))
			p->hdr->flags |= PROFFORKED | PROFTHREADS;
		break;
	case EXIT: exited((int)h->rdi); /* fall through */
	case ABORT:
		p->out = f;
		p->outself = self();
		break;
	case CATCH: p->hdr->flags |= PROFLOSTCUTS; break; /* it was thrown unseen */
	case VFORK: slotof()->vforksp = f.reg[RSP]; break;
	case _FORK:
	case CLONE:
	case SYSCALL: p->hdr->flags |= PROFTHREADS | (flags & CLONE_VM ? 0 : PROFFORKED); break;
	case PTHREAD_EXIT:
		if (iswatched(slotof()) && p->real[REGISTER_CANCEL])
			break;
		if (slotof()->ncleanup && p->real[REGISTER_CANCEL])
			p->hdr->flags |= PROFLOSTCUTS;
		slotof()->ending = 1;
		unwinding(&f, NULL);
		break;
	case PTHREAD_CANCEL: canceled(h->rdi); break;
	case UNWINDING:
		if (!slotof()->ending)
			unwinding(&f, buf);
		break;
	case SWAPCONTEXT:
		if (wait(&f, h->rdi))
			h->ra = SWAPPEDSTUB;
		turn(&f, (const char *)h->rsi, SWAPPEDSTUB);
		break;
	case SETCONTEXT:
		*made = (Jump){MADE, h->which, turn(&f, (const char *)h->rdi, SWAPPEDSTUB)};
		leaves = 1;
		break;
	case MAKECONTEXT: /* who waits on that stack has waited long enough */
		abandon(*(uint64_t *)(h->rdi + UCSTACK),
			*(uint64_t *)(h->rdi + UCSTACK) + *(uint64_t *)(h->rdi + UCSIZE));
		break;
	case RAISE_EXCEPTION:
	case RESUME:
	case RETHROW:
		slotof()->landing = 0;
		made->by = h->which;
		leaves = 1;
		break;
	case EXECVE:
	case EXECV:
	case EXECVP:
	case EXECVPE:
	case EXECL:
	case EXECLP:
	case EXECLE:
	case FEXECVE:
	case EXECVEAT:
		replaced(&f, to, 0);
		comeback(h, EXECFAILED);
		break;
	case DAEMON: /* nobody tells of the parent's end: it has not ended only if that returns to it */
		replaced(&f, to, 0);
		ended(ENDEXIT);
		p->parent = p->pid;
		comeback(h, EXECFAILED);
		break;
	case EXECFAILED:
		h->ra = f.reg[RIP] = *returnof();
		if (!p->parent || p->parent == p->pid)
			replaced(&f, to, 1);
		else
			leaveframes(&f, UINT64_MAX, 0, 0, CUTENTERED, NULL);
		p->parent = 0;
		break;
	case SET_IP: land(&f, (void *)h->rdi, h->rsi); break;
	default: break;
	}
	if (held)
		unhold(&own);
	else
		leave();
	return leaves;
}

/* The stubs.  They leave the registers as they are, and go on to where hooked() says without a
 * trace on the stack; or call it, and leave a Jump there. */
extern const char jumping[] __attribute__((visibility("hidden")));
extern const char jumped[] __attribute__((visibility("hidden")));

_Static_assert(FINISH == NHOOK + 1 && EXECFAILED == NHOOK + 3 && OTHER == NHOOK + 6, "as the stubs are below");
_Static_assert(sizeof(Jump) == 168 && sizeof(Hooked) == 120, "as the stubs are below");

/* One more, when the stubs are counted. */
#define ONEMORE(number, name) ".set .Ltally_nhook, .Ltally_nhook + 1\n"

/* keep, unkeep - a register on the stack. */
__asm__(".macro .Ltally_keep reg\n"
	"	pushq	%\\reg\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset \\reg, 0\n"
	".endm\n"
	".macro .Ltally_unkeep reg\n"
	"	popq	%\\reg\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_restore \\reg\n"
	".endm\n"
	/* vector registers, in 256 bytes below an aligned stack pointer: the C library uses some */
	".macro .Ltally_vectors load\n"
	"	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"	.if \\load\n"
	"	movups	16*\\n(%rsp), %xmm\\n\n"
	"	.else\n"
	"	movups	%xmm\\n, 16*\\n(%rsp)\n"
	"	.endif\n"
	"	.endr\n"
	".endm\n"
	".text\n"
	".balign 16\n"
	".type	stubs, @function\n"
	"stubs:\n"
	".set .Ltally_nhook, 0\n" HOOKS(ONEMORE) STATICHOOKS(ONEMORE)
	".set .Ltally_which, 0\n"
	".rept .Ltally_nhook + 3\n"
	"	.balign 16\n"
	"	.cfi_startproc\n"
	"	pushq	$.Ltally_which\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	jmp	stub\n"
	"	.cfi_endproc\n"
	"	.set .Ltally_which, .Ltally_which + 1\n"
	".endr\n"
	".rept 2\n"
	"	.balign 16\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	call	1f\n" /* room for the return address; a walk ends here until it is known */
	"1:	pushq	$.Ltally_which\n"
	"	jmp	stub\n"
	"	.cfi_endproc\n"
	"	.set .Ltally_which, .Ltally_which + 1\n"
	".endr\n"
	"	.balign 16\n"
	"	pushq	$0\n"
	"	pushq	$.Ltally_which\n"
	"	jmp	stub\n"
	"	.set .Ltally_which, .Ltally_which + 1\n"
	".rept .Ltally_nhook\n"
	"	.balign 16\n"
	"	.cfi_startproc\n"
	"	pushq	$.Ltally_which\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	jmp	stub\n"
	"	.cfi_endproc\n"
	"	.set .Ltally_which, .Ltally_which + 1\n"
	".endr\n"
	".type	finishing, @function\n"
	".set finishing, stubs + 16 * (.Ltally_nhook + 1)\n"
	".type	stub, @function\n"
	"stub:\n"
	"	.cfi_startproc\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.Ltally_keep rdi\n"
	"	.Ltally_keep rsi\n"
	"	.Ltally_keep rdx\n"
	"	.Ltally_keep rcx\n"
	"	.Ltally_keep r8\n"
	"	.Ltally_keep r9\n"
	"	.Ltally_keep rax\n"
	"	.Ltally_keep rbx\n"
	"	.Ltally_keep rbp\n"
	"	.Ltally_keep r12\n"
	"	.Ltally_keep r13\n"
	"	.Ltally_keep r14\n"
	"	.Ltally_keep r15\n"
	"	movq	%rsp, %rdi\n"
	"	movq	%rsp, %rbp\n"
	"	.cfi_def_cfa_register rbp\n"
	"	subq	$168, %rsp\n"
	"	andq	$-16, %rsp\n"
	"	movq	$0, (%rsp)\n"
	"	movq	%rsp, %rsi\n"
	"	call	hooked\n"
	"	.type	jumping, @notype\n" /* so that the name becomes a local one */
	"	.type	jumped, @notype\n"
	"jumping:\n"
	"	testl	%eax, %eax\n"
	"	je	jumped\n"
	"	movq	96(%rbp), %rdi\n"
	"	movq	88(%rbp), %rsi\n"
	"	call	*104(%rbp)\n"
	"	movq	%rax, 48(%rbp)\n" /* it has not left after all */
	"	movq	$0, 104(%rbp)\n"
	"jumped:\n"
	"	movq	%rbp, %rsp\n"
	"	.cfi_def_cfa_register rsp\n"
	"	.Ltally_unkeep r15\n"
	"	.Ltally_unkeep r14\n"
	"	.Ltally_unkeep r13\n"
	"	.Ltally_unkeep r12\n"
	"	.Ltally_unkeep rbp\n"
	"	.Ltally_unkeep rbx\n"
	"	.Ltally_unkeep rax\n"
	"	.Ltally_unkeep r9\n"
	"	.Ltally_unkeep r8\n"
	"	.Ltally_unkeep rcx\n"
	"	.Ltally_unkeep rdx\n"
	"	.Ltally_unkeep rsi\n"
	"	.Ltally_unkeep rdi\n"
	"	cmpq	$0, (%rsp)\n"
	"	jne	1f\n"
	"	addq	$8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"1:	ret\n"
	"	.cfi_endproc\n");

/* standin - who is called in the place of a function; NULL. */
static void *
standin(int which)
{
	switch (which) {
	case PTHREAD_CREATE: return (void *)create;
	case THRD_CREATE: return (void *)thrd;
	case REGISTER_CANCEL: return (void *)registercancel;
	case REGISTER_CANCEL_DEFER: return (void *)registerdefer;
	case UNREGISTER_CANCEL: return (void *)unregistercancel;
	case UNREGISTER_CANCEL_RESTORE: return (void *)unregisterrestore;
	case SIGACTION: return (void *)setaction;
	case SIGNAL:
	case BSD_SIGNAL: return (void *)setbsd;
	case SYSV_SIGNAL: return (void *)setsysv;
	case SIGSET: return (void *)setsigset;
	case OTHER + PTHREAD_CREATE: return (void *)createother;
	case OTHER + THRD_CREATE: return (void *)thrdother;
	case OTHER + SIGACTION: return (void *)setactionother;
	case OTHER + SIGNAL: return (void *)setbsdother;
	case OTHER + REGISTER_CANCEL:
	case OTHER + REGISTER_CANCEL_DEFER:
	case OTHER + UNREGISTER_CANCEL:
	case OTHER + UNREGISTER_CANCEL_RESTORE:
	case OTHER + BSD_SIGNAL:
	case OTHER + SYSV_SIGNAL:
	case OTHER + SIGSET: return NULL;
	default: return (void *)(stubs + 16 * which);
	}
}

/* isinside - whether an address is in a module, and not in its program headers' gaps. */
static int
isinside(const struct phdrinfo *info, uint64_t at)
{
	int i;

	for (i = 0; i < info->phnum; i++) {
		uint64_t begin = info->addr + info->phdr[i].p_vaddr;

		if (info->phdr[i].p_type == PT_LOAD && at >= begin
		    && at < begin + info->phdr[i].p_memsz)
			return 1;
	}
	return 0;
}

/* patch - a word that the linker or its dynamic sister has filled, and that may be protected now; false if that
 * cannot be. */
static int
patch(const struct phdrinfo *info, void **slot, void *to)
{
	uint64_t page = (uint64_t)slot & ~(PAGE - 1);
	int i, guarded = 0, there = 0;

	for (i = 0; i < info->phnum; i++) {
		const Elf64_Phdr *ph = &info->phdr[i];
		uint64_t begin = info->addr + ph->p_vaddr;

		if ((uint64_t)slot < begin || (uint64_t)slot >= begin + ph->p_memsz)
			continue;
		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X) && !(ph->p_flags & PF_W))
			return 0;
		there |= ph->p_type == PT_LOAD;
		guarded |= ph->p_type == PT_GNU_RELRO /* its last page only if it is whole */
				   ? page + PAGE <= begin + ph->p_memsz
				   : ph->p_type == PT_LOAD && !(ph->p_flags & PF_W);
	}
	if (!there || (guarded && SYS(__NR_mprotect, page, PAGE, PROT_READ | PROT_WRITE) != 0))
		return 0;
	*slot = to;
	if (guarded)
		SYS(__NR_mprotect, page, PAGE, PROT_READ);
	return 1;
}

/* missed - calls of a function may be, for something may have its address. */
static void
missed(int which)
{
	if (!p->hdr)
		return;
	if (which == PTHREAD_CREATE || which == THRD_CREATE || which == CLONE)
		p->hdr->flags |= PROFTHREADS;
	else if (isjump(which) || which == PTHREAD_EXIT || which == SWAPCONTEXT
		 || which == SETCONTEXT)
		p->hdr->flags |= PROFLOSTCUTS;
}

/* A table of relocations, and what it speaks of. */
typedef struct Relocs Relocs;

struct Relocs {
	const struct phdrinfo *info;
	const Elf64_Rela *rel, *end;
	const Elf64_Sym *sym;
	const char *names;
};

/* hookword - one that a relocation of a name fills.  Of a function whose address the program takes without
 * asking the linker, that address is where it calls it through a word of this kind: only that word is
 * ours.  All others are led elsewhere if they lead to the function, so that pointers to it stay
 * equal; a word through which it is called may not have been filled yet. */
static void
hookword(const Relocs *t, const Elf64_Rela *rel, int i, int on)
{
	uint32_t type = (uint32_t)ELF64_R_TYPE(rel->r_info);
	const Elf64_Sym *sym = &t->sym[ELF64_R_SYM(rel->r_info)];
	void **slot = (void **)(t->info->addr + rel->r_offset), *is = *slot;

	if (on && is && (is == p->standin[i] || is == p->standin[OTHER + i]))
		return;
	if (!on) {
		if (is == p->standin[i])
			patch(t->info, slot, p->real[i]);
		else if (is && is == p->standin[OTHER + i])
			patch(t->info, slot, p->other[i]);
		return;
	}
	if (type == R_X86_64_JUMP_SLOT && is != p->real[i] && isinside(t->info, (uint64_t)is)
	    && (sym->st_shndx == 0 || (uint64_t)is != t->info->addr + sym->st_value))
		is = p->real[i];
	else if (is != p->real[i])
		is = standinfor(hookname[i], is);
	if (is == p->real[i])
		is = p->standin[i];
	if (is && is != *slot && !patch(t->info, slot, is))
		missed(i);
}

/* hookcopy - words of a variable that the dynamic linker has copied from a library. */
static void
hookcopy(const Relocs *t, const Elf64_Rela *rel, int on)
{
	void **word = (void **)(t->info->addr + rel->r_offset);
	uint64_t n = t->sym[ELF64_R_SYM(rel->r_info)].st_size / 8;
	int i;

	for (; n && (uint64_t)word % 8 == 0; n--, word++)
		for (i = 0; *word && i < NHOOK; i++) {
			if (on && *word == p->real[i])
				patch(t->info, word, p->standin[i]);
			else if (!on && *word == p->standin[i])
				patch(t->info, word, p->real[i]);
			else
				continue;
			break;
		}
}

/* hookwords - those of one table. */
static void
hookwords(const Relocs *t, int on)
{
	const Elf64_Rela *rel;
	int i;

	for (rel = t->rel; rel && rel < t->end; rel++) {
		uint32_t type = (uint32_t)ELF64_R_TYPE(rel->r_info);
		const char *name = t->names + t->sym[ELF64_R_SYM(rel->r_info)].st_name;

		if (type == R_X86_64_COPY)
			hookcopy(t, rel, on);
		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT
		    && (type != R_X86_64_64 || rel->r_addend))
			continue;
		for (i = 0; i < NHOOK; i++)
			if (name[0] == hookname[i][0] && p->real[i]
			    && same(name, hookname[i], length(hookname[i]) + 1))
				hookword(t, rel, i, on);
	}
}

/* canonical - find what is called through words, where the name's address is that of the code in
 * the program that does so. */
static void
canonical(const Relocs *t)
{
	void *real = p->real[DLSYM] ? p->real[DLSYM] : (void *)dlsym;
	const Elf64_Rela *rel;
	int i;

	for (rel = t->rel; rel && rel < t->end; rel++) {
		const Elf64_Sym *sym = &t->sym[ELF64_R_SYM(rel->r_info)];
		uint64_t at = t->info->addr + sym->st_value, from;

		if (ELF64_R_TYPE(rel->r_info) != R_X86_64_JUMP_SLOT || sym->st_shndx
		    || !sym->st_value)
			continue;
		for (i = 0; i < NHOOK; i++)
			if ((uint64_t)p->real[i] == at && (from = returnin(at)))
				p->real[i] = askfrom((const void *)~0ull /* RTLD_NEXT */,
						     hookname[i], NULL, real, from);
	}
}

/* tableof - what .dynamic tells of a table: most loaders have put addresses there, others leave
 * what the linker wrote. */
static const void *
tableof(const struct phdrinfo *info, uint64_t at)
{
	if (at && !isinside(info, at))
		at += info->addr;
	return (const void *)at;
}

/* tablesof - the relocations of calls and the others. */
static void
tablesof(const struct phdrinfo *info, Relocs t[2])
{
	const Elf64_Dyn *d = NULL;
	uint64_t at[DT_JMPREL + 1] = {0};
	int i;

	for (i = 0; i < info->phnum; i++)
		if (info->phdr[i].p_type == PT_DYNAMIC)
			d = (const Elf64_Dyn *)(info->addr + info->phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag >= 0 && d->d_tag <= DT_JMPREL)
			at[d->d_tag] = d->d_un.d_val;
	t[0] = (Relocs){.info = info};
	if (at[DT_SYMTAB] && at[DT_STRTAB]) {
		t[0].sym = tableof(info, at[DT_SYMTAB]);
		t[0].names = tableof(info, at[DT_STRTAB]);
		t[0].rel = tableof(info, at[DT_JMPREL]);
		t[0].end = (const void *)((const char *)t[0].rel + at[DT_PLTRELSZ]);
	}
	t[1] = t[0];
	if (t[0].sym) {
		t[1].rel = tableof(info, at[DT_RELA]);
		t[1].end = (const void *)((const char *)t[1].rel + at[DT_RELASZ]);
	}
}

/* hookmodule - the words of a module, or give them back. */
static int
hookmodule(struct phdrinfo *info, size_t size, void *on)
{
	Relocs t[2];

	(void)size;
	tablesof(info, t);
	hookwords(&t[0], on != NULL);
	hookwords(&t[1], on != NULL);
	return 0;
}

static int
canonicalmodule(struct phdrinfo *info, size_t size, void *with)
{
	Relocs t[2];

	(void)size;
	(void)with;
	tablesof(info, t);
	canonical(t);
	return 0;
}

/* know - where the stubs of this copy are. */
static void
know(void)
{
	int k;

	p->stubs = stubs;
	p->jumping = jumping;
	p->jumped = jumped;
	p->answered = answered;
	p->ran = ran;
	for (k = 0; k < NSTUB; k++)
		p->standin[k] = k < NHOOK || k >= OTHER ? standin(k) : NULL;
}

/* isneeded - whether anything is to be done where that function is called: what the C library
 * tells in other ways need not be looked at. */
static int
isneeded(int which, void *f)
{
	switch (which) {
	case CATCH: return p->isstatic;
	case FORK: return !__register_atfork;
	case EXIT:
	case ABORT: return !entryfor((uint64_t)f);
	default: return 1;
	}
}

/* Where these stubs go, if not to the functions themselves. */
__attribute__((visibility("hidden"))) void *standins[NHOOK] __asm__(GUEST("standins"));

/* hookcalls - of counted code, which go through stubs: all of them in a static program, else those
 * of functions that the module has itself, though it did not get them from counted code. */
static void
hookcalls(void)
{
	uint32_t own[NHOOK] = {0};
	const struct Called *c;

	for (c = firstcall; c < lastcall; c++) {
		uint32_t k = c->which & ~OWNNAME;
		void *f = (char *)&c->real + c->real;

		if (c->which == OWNCALLS && p->hdr)
			p->hdr->flags |= PROFOWNCALLS;
		if (k >= NHOOK || own[k])
			continue;
		own[k] = c->which & OWNNAME;
		if (p->isstatic)
			p->real[k] = own[k] || !isneeded((int)k, f) ? NULL : f;
		standins[k] = !own[k] && p->real[k] == f ? p->standin[k] : NULL;
	}
}

/* hookpointers - words of data in a static program that have the address of a function.  If code has
 * it, too, they stay as they are, for they must be equal. */
static void
hookpointers(void)
{
	struct phdrinfo self = selfinfo();
	uint8_t taken[NHOOK] = {0};
	const struct Called *c;
	int i;

	for (c = firstcall; c < lastcall; c++)
		if ((c->which & TAKEN) && (c->which & ~TAKEN) < NHOOK)
			taken[c->which & ~TAKEN] = 1;
	for (c = firstcall; c < lastcall; c++)
		if ((c->which & OWNNAME) && (c->which & ~OWNNAME) < NHOOK)
			taken[c->which & ~OWNNAME] = 0;
	for (c = firstcall; c < lastcall; c++) {
		uint32_t k = c->which & ~POINTER;
		void **word = (void **)((char *)&c->real + c->real);

		if (!(c->which & POINTER) || k >= NHOOK || !p->real[k] || *word != p->real[k])
			continue;
		if (!taken[k])
			taken[k] = !patch(&self, word, p->standin[k]);
	}
	for (i = 0; i < NHOOK; i++)
		if (taken[i])
			missed(i);
}

/* findall - the functions of the C library and others that are looked at, or called.  That some
 * are not there is no error of the program's. */
static void
findall(void)
{
	void *(*find)(void *, const char *) =
		p->real[DLSYM] ? p->real[DLSYM] : (void *)dlsym; /* its word may be led here */
	char *(*forget)(void);
	int i;

	for (i = 0; i < NHOOK; i++) {
		void *f = find(NULL, hookname[i]);

		p->real[i] = f && isneeded(i, f) ? f : NULL;
	}
	p->getcfa = (uint64_t(*)(void *))find(NULL, "_Unwind_GetCFA");
	p->dlclose = find(NULL, "dlclose");
	p->push = (void (*)(Cleanup *, void *, void *))find(NULL, "_pthread_cleanup_push");
	p->pop = (void (*)(Cleanup *, int))find(NULL, "_pthread_cleanup_pop");
	p->library = moduleat((uint64_t)find(NULL, "__errno_location")).phdr;
	forget = (char *(*)(void))find(NULL, "dlerror");
	if (forget)
		forget();
}

/* hookall - lead calls to this copy. */
static void
hookall(void)
{
	if (!p->isstatic && (!dl_iterate_phdr || !dlsym)) {
		if (p->hdr) /* nothing can be looked at */
			p->hdr->flags |= PROFLOSTCUTS;
		return;
	}
	p->host = note;
	p->join = joined;
	know();
	if (!p->isstatic) {
		findall();
		dl_iterate_phdr(canonicalmodule, NULL);
		dl_iterate_phdr(hookmodule, p);
	}
	hookcalls();
	if (p->isstatic)
		hookpointers();
	guardall();
	if (p->hdr)
		p->hdr->flags |= PROFHASCUTS;
}

#endif
