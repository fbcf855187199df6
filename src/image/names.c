/* names.c - names of the addresses in a file. */

#include "image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

typedef struct Names Names;

struct Names {
	const File *file;
	Arena *run;
	Name *name;
	int n;
	size_t cap;
	Reloc *chosen; /* of words that IFUNC resolvers fill */
	int nchosen;
	size_t capchosen;
};

static void
addname(Names *l, uint64_t addr, const char *name, bool word)
{
	if (!addr || !name || !*name)
		return;
	apush(l->run, l->name, l->n, l->cap);
	l->name[l->n++] = (Name){addr, astrndup(l->run, name, strlen(name)), word};
}

/* symbols - add the functions in a symbol table. */
static void
symbols(Names *l, const Section *table, Arena *tmp)
{
	int n, i;
	const Symbol *s = readsymbols(l->file, table, &n, tmp);

	for (i = 0; i < n; i++)
		if ((s[i].type == STT_FUNC || s[i].type == STT_GNU_IFUNC) && s[i].sect != SHN_UNDEF)
			addname(l, s[i].addr, s[i].name, false);
}

/* words - add the words that the dynamic linker fills with addresses of functions. */
static void
words(Names *l, const Section *table, Arena *tmp)
{
	const Section *of = sectionnumber(l->file, table->link);
	int n, nsym = 0, i;
	const Reloc *r = readrelocs(l->file, table, &n, tmp);
	const Symbol *sym = of ? readsymbols(l->file, of, &nsym, tmp) : NULL;

	for (i = 0; i < n; i++) {
		if (r[i].type == R_X86_64_IRELATIVE) {
			apush(tmp, l->chosen, l->nchosen, l->capchosen);
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

int
bypeople(const char *x, const char *y)
{
	size_t p = strspn(x, "_"), q = strspn(y, "_");

	return p != q ? (p < q ? -1 : 1) : strcmp(x, y);
}

static int
byname(const void *a, const void *b)
{
	const Name *x = a, *y = b;

	return x->addr != y->addr ? byaddr(a, b) : bypeople(x->name, y->name);
}

static void
sortnames(Name *name, int n)
{
	if (n)
		qsort(name, (size_t)n, sizeof *name, byname);
}

const Name *
findname(const Name *name, int n, uint64_t addr)
{
	Name key = {.addr = addr};
	const Name *at = n ? bsearch(&key, name, (size_t)n, sizeof key, byaddr) : NULL;

	while (at && at > name && at[-1].addr == addr)
		at--;
	return at;
}

Name *
readnames(const File *f, const Name *more, int nmore, int *n, Arena *run)
{
	Arena tmp = {0};
	Names l = {.file = f, .run = run};
	int i, known;

	for (i = 0; i < nmore; i++)
		addname(&l, more[i].addr, more[i].name, more[i].word);
	for (i = 0; i < f->nsect; i++) {
		const Section *s = &f->sect[i];

		if (s->type == SHT_SYMTAB || s->type == SHT_DYNSYM)
			symbols(&l, s, &tmp);
		if (s->type == SHT_RELA && (s->flags & SHF_ALLOC))
			words(&l, s, &tmp);
	}
	known = l.n;
	sortnames(l.name, known);
	for (i = 0; i < l.nchosen; i++) {
		const Name *by = findname(l.name, known, (uint64_t)l.chosen[i].addend);

		if (by)
			addname(&l, l.chosen[i].addr, by->name, true);
	}
	if (l.n > known)
		sortnames(l.name, l.n);
	areset(&tmp);
	*n = l.n;
	return l.name;
}
