/* raw.c - threads and processes that a program makes by system calls of its own.
 *
 * The runtime does not see them, and when the process ends they may be gone without a trace.  But
 * if counted code made them, that code ran, and it has the number of the system call near the
 * instruction:
 *
 *	mov	$56, %eax
 *	...
 *	syscall
 *
 * The stand-in for as notes whether there are any such instructions.  A number that comes from
 * elsewhere is unknown; the runtime looks for threads in other ways, too. */

#include "profile.h"

#include "arch/arch.h"

#include <string.h>

static const uint8_t syscallcode[] = {0x0f, 0x05};

/* makesprocess - returns whether the number is that of a system call that returns twice: clone,
 * fork, vfork, clone3. */
static bool
makesprocess(uint32_t number)
{
	return (number >= 56 && number <= 58) || number == 435;
}

/* clonesin - returns whether there is such a call in the code from addr to end. */
static bool
clonesin(const Module *m, uint64_t addr, uint64_t end)
{
	static const uint8_t loads = 0xb8; /* mov $number, %eax */
	uint32_t number = 0;
	const uint8_t *code;
	size_t len;
	Insn in;

	for (; (code = insnat(m, &addr, &len)) && addr < end; addr += (uint64_t)in.len) {
		if (!decode(code, len, &in))
			return false;
		if (memcmp(code, syscallcode, sizeof syscallcode) == 0 && makesprocess(number))
			return true;
		if (code[0] == loads && in.len == 5)
			memcpy(&number, code + 1, sizeof number);
		else if (in.writes & AX)
			number = 0;
	}
	return false;
}

bool
clonesitself(Module *m, Arena *run)
{
	int i;

	findstarts(m, run);
	for (i = 0; i < m->nstart; i++) {
		const Start *s = &m->start[i];
		size_t len = 0;
		const uint8_t *code = codeat(m, s->addr, &len);

		if (i + 1 < m->nstart && s[1].addr - s->addr < len)
			len = s[1].addr - s->addr;
		if (code && s->fn->flow && s->fn->flow->count[s->block]
		    && memmem(code, len, syscallcode, sizeof syscallcode)
		    && clonesin(m, s->addr, s->addr + len))
			return true;
	}
	return false;
}
