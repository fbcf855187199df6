/* code.c - the machine code of a module, and what its addresses are called. */

#include "profile.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Loader Loader;

struct Loader {
	Module *m;
	Arena *run;
	Elf *elf;
	GElf_Rela *chosen; /* words that resolvers fill */
	int nchosen;
	size_t capsect, capname, capchosen;
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
symbols(Loader *l, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *d = elf_getdata(scn, NULL);
	GElf_Sym sym;
	int i;

	for (i = 0; d && gelf_getsym(d, i, &sym); i++)
		if ((GELF_ST_TYPE(sym.st_info) == STT_FUNC
		     || GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC)
		    && sym.st_shndx != SHN_UNDEF)
			addname(l, sym.st_value, elf_strptr(l->elf, sh->sh_link, sym.st_name),
				false);
}

/* slots - the words that the dynamic linker fills with functions of others. */
static void
slots(Loader *l, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Scn *table = elf_getscn(l->elf, sh->sh_link);
	Elf_Data *d = elf_getdata(scn, NULL), *syms = table ? elf_getdata(table, NULL) : NULL;
	GElf_Shdr tsh;
	GElf_Rela rel;
	GElf_Sym sym;
	int i;

	for (i = 0; d && gelf_getrela(d, i, &rel); i++) {
		uint64_t type = GELF_R_TYPE(rel.r_info);

		if (type == R_X86_64_IRELATIVE) {
			apush(l->run, l->chosen, l->nchosen, l->capchosen);
			l->chosen[l->nchosen++] = rel;
		} else if (syms && gelf_getshdr(table, &tsh)
			   && gelf_getsym(syms, (int)GELF_R_SYM(rel.r_info), &sym)) {
			addname(l, rel.r_offset, elf_strptr(l->elf, tsh.sh_link, sym.st_name),
				type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT);
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
		const Name *by = findname(m->name, n, (uint64_t)l->chosen[i].r_addend);

		if (by)
			addname(l, l->chosen[i].r_offset, by->name, true);
	}
	if (m->nname > n)
		qsort(m->name, (size_t)m->nname, sizeof *m->name, byname);
}

void
readcode(Module *m, Arena *run)
{
	Loader l = {.m = m, .run = run};
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int fd, i;

	if (m->nsect)
		return;
	fd = openfile(m->path, NULL);
	if (fd < 0)
		noerr(m->path);
	elf_version(EV_CURRENT);
	l.elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!l.elf)
		err(m->path, "is not a program");
	while ((scn = elf_nextscn(l.elf, scn))) {
		if (!gelf_getshdr(scn, &sh))
			continue;
		if (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM)
			symbols(&l, scn, &sh);
		if (sh.sh_type == SHT_RELA && (sh.sh_flags & SHF_ALLOC))
			slots(&l, scn, &sh);
		if (sh.sh_type == SHT_PROGBITS && (sh.sh_flags & SHF_EXECINSTR)) {
			Elf_Data *d = elf_getdata(scn, NULL);
			Section *s;

			if (!d || !d->d_buf)
				continue;
			apush(run, m->sect, m->nsect, l.capsect);
			s = &m->sect[m->nsect++];
			s->addr = sh.sh_addr;
			s->size = d->d_size;
			s->data = memcpy(aalloc(run, d->d_size, 1), d->d_buf, d->d_size);
		}
	}
	elf_end(l.elf);
	close(fd);
	for (i = 0; i < m->nfn; i++)
		addname(&l, m->fn[i].part[0], m->fn[i].name, false);
	order(&l);
}

const uint8_t *
codeat(const Module *m, uint64_t addr, size_t *len)
{
	int i;

	for (i = 0; i < m->nsect; i++)
		if (addr >= m->sect[i].addr && addr - m->sect[i].addr < m->sect[i].size) {
			*len = m->sect[i].size - (addr - m->sect[i].addr);
			return m->sect[i].data + (addr - m->sect[i].addr);
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
