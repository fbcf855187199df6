/* code.c - the machine code of a module, and the names of addresses in it. */

#include "image/image.h"
#include "profile.h"

#include <elf.h>
#include <string.h>

/* addcode - adds the bytes of an executable section. */
static void
addcode(Module *m, const Section *s, size_t *cap, Arena *run)
{
	size_t len;
	const uint8_t *bytes = sectionbytes(s, &len);

	if (!bytes)
		return;
	apush(run, m->code, m->ncode, *cap);
	m->code[m->ncode++] =
		(Bytes){.addr = s->addr, .size = len, .data = memcpy(aalloc(run, len, 1), bytes, len)};
}

void
readcode(Module *m, Arena *run)
{
	Arena tmp = {0};
	Name *own;
	size_t cap = 0;
	File *f;
	int i;

	if (m->ncode)
		return;
	f = needelf(m->path, &tmp);
	for (i = 0; i < f->nsect; i++) {
		const Section *s = &f->sect[i];

		if (s->type == SHT_PROGBITS && (s->flags & SHF_EXECINSTR))
			addcode(m, s, &cap, run);
	}
	own = anew(&tmp, Name, m->nfn + 1);
	for (i = 0; i < m->nfn; i++)
		own[i] = (Name){.addr = m->fn[i].part[0], .name = m->fn[i].name};
	m->name = readnames(f, own, m->nfn, &m->nname, run);
	closeelf(f);
	areset(&tmp);
}

const uint8_t *
codeat(const Module *m, uint64_t addr, size_t *len)
{
	int i;

	for (i = 0; i < m->ncode; i++)
		if (addr >= m->code[i].addr && addr - m->code[i].addr < m->code[i].size) {
			*len = m->code[i].size - (addr - m->code[i].addr);
			return m->code[i].data + (addr - m->code[i].addr);
		}
	return NULL;
}

const char *
nameat(const Module *m, uint64_t addr)
{
	const Name *n = findname(m->name, m->nname, addr);

	return n ? n->name : NULL;
}

const char *
wordat(const Module *m, uint64_t addr)
{
	const Name *n = findname(m->name, m->nname, addr);

	return n && n->word ? n->name : NULL;
}
