/* lookup.h - what the program finds by dlsym: our stand-ins instead of the functions that they
 * replace.
 *
 * What dlsym finds may depend on its caller (RTLD_NEXT).  So we call it as if from the caller's
 * module: invariant 10. */

#ifndef LOOKUP_H
#define LOOKUP_H

#include "cuts.h"

/* askfrom - call dlsym or dlvsym so that it returns through a return instruction at `from', in
 * another module, which it takes for its caller.  That instruction returns to `answered'. */
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

/* returnin - the address of some return instruction in the module that contains an address; 0 if
 * there is none. */
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

/* standinfor - the stand-in for a function f that was found by its name, or f if it has none.  f
 * may be the C library's function where another definition preempts it. */
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

/* asked - do what dlsym or dlvsym would do for the caller of the stub. */
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

#endif
