/* image.c - a program or library as its file has it. */

#include "live.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* addtexts - the executable segments. */
static void
addtexts(Image *im, Elf *elf)
{
	size_t n = 0, size = 0, i;
	const char *raw = elf_rawfile(elf, &size);
	GElf_Phdr ph;
	Text *t;

	elf_getphdrnum(elf, &n);
	im->low = UINT64_MAX;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		im->low = ph.p_vaddr < im->low ? ph.p_vaddr : im->low;
		im->high = ph.p_vaddr + ph.p_memsz > im->high ? ph.p_vaddr + ph.p_memsz : im->high;
		if (!(ph.p_flags & PF_X) || !raw || ph.p_offset > size
		    || ph.p_filesz > size - ph.p_offset)
			continue;
		apush(im->run, im->text, im->ntext, im->captext);
		t = &im->text[im->ntext++];
		t->addr = ph.p_vaddr;
		t->offset = ph.p_offset;
		t->size = ph.p_filesz;
		t->code = memcpy(aalloc(im->run, t->size + 1, 1), raw + ph.p_offset, t->size);
		t->know = anew(im->run, uint8_t, t->size + 1);
	}
}

/* identify - by its build id, or a hash of its code as doc/FORMAT.md has it. */
static void
identify(Image *im, Elf *elf)
{
	const void *id;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &id);
	uint64_t h = HASHBEGIN;
	int i;

	if (n > 0) {
		im->idlen = n < (ssize_t)sizeof im->id ? (int)n : (int)sizeof im->id;
		memcpy(im->id, id, (size_t)im->idlen);
		return;
	}
	for (i = 0; i < im->ntext; i++)
		h = hashbytes(h, im->text[i].code, im->text[i].size);
	im->idlen = sizeof h;
	memcpy(im->id, &h, sizeof h);
}

const uint8_t *
codeof(const Image *im, uint64_t addr, size_t *len)
{
	int i;

	for (i = 0; i < im->ntext; i++)
		if (addr >= im->text[i].addr && addr - im->text[i].addr < im->text[i].size) {
			*len = im->text[i].size - (addr - im->text[i].addr);
			return im->text[i].code + (addr - im->text[i].addr);
		}
	return NULL;
}

uint8_t *
knowof(const Image *im, uint64_t addr)
{
	int i;

	for (i = 0; i < im->ntext; i++)
		if (addr >= im->text[i].addr && addr - im->text[i].addr < im->text[i].size)
			return im->text[i].know + (addr - im->text[i].addr);
	return NULL;
}

/* bysym - by address; of several names of one those come first that are meant for people, and
 * of several sizes the largest. */
static int
bysym(const void *a, const void *b)
{
	const Sym *x = a, *y = b;
	size_t p = strspn(x->name, "_"), q = strspn(y->name, "_");

	if (x->range->begin != y->range->begin)
		return x->range->begin < y->range->begin ? -1 : 1;
	if (p != q)
		return p < q ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* addsym - a function of a symbol table. */
static void
addsym(Image *im, const char *name, uint64_t addr, uint64_t size)
{
	size_t len;
	Sym *s;

	if (!name || !*name || !codeof(im, addr, &len))
		return;
	apush(im->run, im->sym, im->nsym, im->capsym);
	s = &im->sym[im->nsym++];
	*s = (Sym){.name = astrndup(im->run, name, strlen(name)), .nrange = 1, .cap = 1};
	s->range = anew(im->run, Range, 1);
	*s->range = (Range){addr, addr + (size < len ? size : len)};
}

/* addsyms - all functions. */
static void
addsyms(Image *im, Dwfl_Module *mod, uint64_t bias)
{
	int n = dwfl_module_getsymtab(mod), i;
	GElf_Word section;
	GElf_Addr addr;
	GElf_Sym sym;

	for (i = 0; i < n; i++) {
		const char *name =
			dwfl_module_getsym_info(mod, i, &sym, &addr, &section, NULL, NULL);
		int type = GELF_ST_TYPE(sym.st_info);

		if (name && (type == STT_FUNC || type == STT_GNU_IFUNC) && section != SHN_UNDEF)
			addsym(im, name, addr - bias, sym.st_size);
	}
	if (im->nsym)
		qsort(im->sym, (size_t)im->nsym, sizeof *im->sym, bysym);
}

/* settle - one name for each address, no range beyond the next. */
static void
settle(Image *im)
{
	int i, n = 0;

	for (i = 0; i < im->nsym; i++) {
		Sym *last = n ? &im->sym[n - 1] : NULL;

		if (last && last->range->begin == im->sym[i].range->begin) {
			if (im->sym[i].range->end > last->range->end)
				last->range->end = im->sym[i].range->end;
			continue;
		}
		im->sym[n++] = im->sym[i];
	}
	im->nsym = n;
	for (i = 0; i < n; i++) {
		Range *r = im->sym[i].range;
		uint64_t next = i + 1 < n ? im->sym[i + 1].range->begin : UINT64_MAX;
		size_t len = 0;

		codeof(im, r->begin, &len);
		if (r->end == r->begin) /* it has no size */
			r->end = r->begin + len;
		r->end = r->end < next ? r->end : next;
	}
}

/* joincold - the cold parts that compilers put elsewhere to their functions. */
static void
joincold(Image *im)
{
	Table names = {.arena = im->run};
	int i, n = 0;

	for (i = 0; i < im->nsym; i++)
		intern(&names, im->sym[i].name, strlen(im->sym[i].name), i);
	for (i = 0; i < im->nsym; i++) {
		const char *name = im->sym[i].name;
		size_t len = strlen(name);
		const Entry *e = NULL;
		Sym *s;

		if (len > 5 && strcmp(name + len - 5, ".cold") == 0)
			e = lookup(&names, name, len - 5);
		if (!e || e->value == i)
			continue;
		s = &im->sym[e->value];
		apush(im->run, s->range, s->nrange, s->cap);
		s->range[s->nrange++] = *im->sym[i].range;
		im->sym[i].nrange = 0;
	}
	for (i = 0; i < im->nsym; i++)
		if (im->sym[i].nrange)
			im->sym[n++] = im->sym[i];
	im->nsym = n;
}

bool
inside(const Sym *s, uint64_t addr)
{
	int i;

	for (i = 0; i < s->nrange; i++)
		if (addr >= s->range[i].begin && addr < s->range[i].end)
			return true;
	return false;
}

int
symat(const Image *im, uint64_t addr)
{
	int lo = 0, hi = im->nsym, i;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (im->sym[mid].range->begin <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo && inside(&im->sym[lo - 1], addr))
		return lo - 1;
	for (i = 0; i < im->nsym; i++) /* in a cold part */
		if (im->sym[i].nrange > 1 && inside(&im->sym[i], addr))
			return i;
	return NONE;
}

uint64_t
imagesym(const Image *im, const char *name)
{
	int i;

	for (i = 0; i < im->nsym; i++)
		if (strcmp(im->sym[i].name, name) == 0)
			return im->sym[i].range->begin;
	return 0;
}

/* listsyms - which functions have lines. */
static void
listsyms(Image *im)
{
	int i;

	for (i = 0; i < im->nsym; i++) {
		const Row *r = rowat(im, im->sym[i].range->begin);

		im->sym[i].listed = r != NULL;
		im->sym[i].plain = r && r->plain;
		im->debug |= r != NULL;
	}
}

/* nowhere - is the debug file of who does not need one. */
static int
nowhere(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, const char *file,
	const char *link, GElf_Word crc, char **found)
{
	(void)m, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
	return -1;
}

Image *
openimage(const char *path, bool lines, Arena *run)
{
	static char *debugpath; /* where Debian and others put debug files */
	const Dwfl_Callbacks calls = {.find_elf = dwfl_build_id_find_elf,
				      .find_debuginfo =
					      lines ? dwfl_standard_find_debuginfo : nowhere,
				      .section_address = dwfl_offline_section_address,
				      .debuginfo_path = &debugpath};
	int fd = openfile(path, NULL);
	Dwfl *dwfl = fd >= 0 ? dwfl_begin(&calls) : NULL;
	Dwfl_Module *mod = dwfl ? dwfl_report_offline(dwfl, path, path, fd) : NULL;
	GElf_Addr bias = 0;
	Elf *elf = mod ? dwfl_module_getelf(mod, &bias) : NULL;
	GElf_Ehdr eh;
	Image *im = NULL;

	unsetenv("DEBUGINFOD_URLS"); /* what is not on this machine is not asked for */
	if (elf && gelf_getehdr(elf, &eh) && eh.e_machine == EM_X86_64
	    && eh.e_ident[EI_CLASS] == ELFCLASS64) {
		im = anew(run, Image, 1);
		im->run = run;
		im->path = astrndup(run, path, strlen(path));
		im->entry = eh.e_entry;
		im->exec = eh.e_type == ET_EXEC;
		im->files.arena = im->index.arena = im->routes.arena = run;
		addtexts(im, elf);
		identify(im, elf);
		dwfl_report_end(dwfl, NULL, NULL);
		addsyms(im, mod, bias);
		settle(im);
		joincold(im);
		if (lines)
			readrows(im, mod);
		listsyms(im);
	}
	if (dwfl)
		dwfl_end(dwfl);
	if (fd >= 0 && !mod)
		close(fd);
	return im;
}
