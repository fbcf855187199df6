/* code.c - the machine code of a module, and what its addresses are called. */

#include "image/image.h"
#include "profile.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

typedef struct Loader Loader;

struct Loader {
	Module *m;
	Arena *run;
	const File *file;
	Reloc *chosen; /* words that resolvers fill */
	int nchosen;
	size_t capcode, capname, capchosen;
};

static void
addname(Loader *l, uint64_t addr, const char *name, bool word)
{
	Module *m = l->m;

	if (!addr || !name || !*name)
		return;
	apush(l->run, m->name, m->nname, l->capname);
	m->name[m->nname++] = (Name){addr, astrndup(l->run, name, strlen(name)), word};
}

/* symbols - functions, from a symbol table. */
static void
symbols(Loader *l, const Section *table, Arena *tmp)
{
	int n, i;
	const Symbol *s = readsymbols(l->file, table, &n, tmp);

	for (i = 0; i < n; i++)
		if ((s[i].type == STT_FUNC || s[i].type == STT_GNU_IFUNC)
		    && s[i].sect != SHN_UNDEF)
			addname(l, s[i].addr, s[i].name, false);
}

/* slots - the words that the dynamic linker fills with functions of others. */
static void
slots(Loader *l, const Section *table, Arena *tmp)
{
	const Section *of = sectionnumber(l->file, table->link);
	int n, nsym = 0, i;
	const Reloc *r = readrelocs(l->file, table, &n, tmp);
	const Symbol *sym = of ? readsymbols(l->file, of, &nsym, tmp) : NULL;

	for (i = 0; i < n; i++) {
		if (r[i].type == R_X86_64_IRELATIVE) {
			apush(l->run, l->chosen, l->nchosen, l->capchosen);
			l->chosen[l->nchosen++] = r[i];
		} else if (r[i].symbol < (uint32_t)nsym) {
			addname(l, r[i].addr, sym[r[i].symbol].name,
				r[i].type == R_X86_64_JUMP_SLOT || r[i].type == R_X86_64_GLOB_DAT);
		}
	}
}

static int
byaddr(const void *a, const void *b)
{
	const Name *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* byname - of several names of an address those come first that are meant for people. */
static int
byname(const void *a, const void *b)
{
	const Name *x = a, *y = b;
	size_t p, q;

	if (x->addr != y->addr)
		return byaddr(a, b);
	p = strspn(x->name, "_");
	q = strspn(y->name, "_");
	return p != q ? (p < q ? -1 : 1) : strcmp(x->name, y->name);
}

/* findname - the first of an address among n that are in order; NULL. */
static const Name *
findname(const Name *name, int n, uint64_t addr)
{
	Name key = {.addr = addr};
	const Name *at = n ? bsearch(&key, name, (size_t)n, sizeof key, byaddr) : NULL;

	while (at && at > name && at[-1].addr == addr)
		at--;
	return at;
}

/* order - the names; words that resolvers fill (IFUNC) go by the names of those. */
static void
order(Loader *l)
{
	Module *m = l->m;
	int i, n = m->nname;

	if (n)
		qsort(m->name, (size_t)n, sizeof *m->name, byname);
	for (i = 0; i < l->nchosen; i++) {
		const Name *by = findname(m->name, n, (uint64_t)l->chosen[i].addend);

		if (by)
			addname(l, l->chosen[i].addr, by->name, true);
	}
	if (m->nname > n)
		qsort(m->name, (size_t)m->nname, sizeof *m->name, byname);
}

/* addcode - of an executable section. */
static void
addcode(Loader *l, const Section *s)
{
	Module *m = l->m;
	size_t len;
	const uint8_t *bytes = sectionbytes(s, &len);

	if (!bytes)
		return;
	apush(l->run, m->code, m->ncode, l->capcode);
	m->code[m->ncode++] =
		(Bytes){.addr = s->addr, .size = len, .data = memcpy(aalloc(l->run, len, 1), bytes, len)};
}

void
readcode(Module *m, Arena *run)
{
	Arena tmp = {0};
	Loader l = {.m = m, .run = run};
	File *f;
	int i;

	if (m->ncode)
		return;
	l.file = f = needelf(m->path, &tmp);
	for (i = 0; i < f->nsect; i++) {
		const Section *s = &f->sect[i];

		if (s->type == SHT_SYMTAB || s->type == SHT_DYNSYM)
			symbols(&l, s, &tmp);
		if (s->type == SHT_RELA && (s->flags & SHF_ALLOC))
			slots(&l, s, &tmp);
		if (s->type == SHT_PROGBITS && (s->flags & SHF_EXECINSTR))
			addcode(&l, s);
	}
	closeelf(f);
	areset(&tmp);
	for (i = 0; i < m->nfn; i++)
		addname(&l, m->fn[i].part[0], m->fn[i].name, false);
	order(&l);
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
