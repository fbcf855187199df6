/* places.c - names of addresses in the code of a module. */

#include "report.h"

#include "arch/arch.h"

#include <string.h>

const char *
slotname(const Module *m, uint64_t addr)
{
	size_t len;
	const uint8_t *code = codeat(m, addr, &len);
	int32_t disp;

	if (code && len > 4 && memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0)
		code += 4, addr += 4, len -= 4; /* endbr64 */
	if (code && len > 1 && code[0] == 0xf2)
		code++, addr++, len--; /* bnd */
	if (!code || len < 6 || code[0] != 0xff || (code[1] != 0x15 && code[1] != 0x25))
		return NULL;
	memcpy(&disp, code + 2, 4);
	return wordat(m, addr + 6 + (uint64_t)(int64_t)disp);
}

const char *
calledname(const Report *r, const Module *m, uint64_t addr)
{
	const Fn *fn = calledfn(m, addr);
	const char *name;
	size_t n;

	if (fn)
		return nameof(r, fn);
	addr = overstub(m, addr);
	name = nameat(m, addr);
	n = name ? strlen(name) : 0;
	if (n > 10 && strncmp(name, "__tally_", 8) == 0) /* our stub for a static program */
		return astrndup(r->run, name + 8, n - 10);
	return name ? name : slotname(m, addr);
}

const char *
placename(const Report *r, const Module *m, uint64_t addr, Buf *b)
{
	const Start *s;
	const char *name;

	addr = overstub(m, addr);
	s = startat(m, addr);
	name = nameat(m, addr);
	if (name && strncmp(name, "__tally_", 8) != 0)
		return name;
	if (name || !s) {
		name = calledname(r, m, addr);
		if (!name)
			return NULL;
		bprintf(b, "%s@plt", name);
		return b->s;
	}
	bprintf(b, "%s+0x%x", nameof(r, s->fn), s->fn->code.block[s->block].off);
	if (s->fn->code.block[s->block].part)
		bprintf(b, ".%u", s->fn->code.block[s->block].part);
	return b->s;
}
