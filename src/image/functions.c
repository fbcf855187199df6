/* functions.c - an image: its code, and its functions.
 *
 * A function symbol says where a function begins and, mostly, where it ends.  Code that .eh_frame
 * describes and that no such symbol covers is a function, too; in stripped programs there is
 * nothing else.  Or it is a part of one: flow.c finds that out. */

#include "image.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct Span {
	uint64_t begin, end;
	int fn;
};

/* addtexts - read the executable segments. */
static void
addtexts(Image *im, const File *f)
{
	struct stat st;
	int i;

	if (fstat(f->fd, &st) != 0)
		return;
	im->low = lowest(f);
	for (i = 0; i < f->nseg; i++) {
		const Segment *s = &f->seg[i];
		uint8_t *code;
		ssize_t n;
		Text *t;

		if (s->type != PT_LOAD)
			continue;
		im->high = s->addr + s->memsize > im->high ? s->addr + s->memsize : im->high;
		if (!(s->flags & PF_X) || s->filesize > (uint64_t)st.st_size)
			continue;
		code = aalloc(im->run, s->filesize + 1, 1);
		n = pread(f->fd, code, s->filesize, (off_t)s->offset);
		if (n < 0 || (uint64_t)n != s->filesize)
			continue;
		apush(im->run, im->text, im->ntext, im->captext);
		t = &im->text[im->ntext++];
		*t = (Text){
			.addr = s->addr, .offset = s->offset, .size = s->filesize, .code = code};
		t->know = anew(im->run, uint8_t, t->size + 1);
	}
}

static const Text *
textat(const Image *im, uint64_t addr)
{
	int i;

	for (i = 0; i < im->ntext; i++)
		if (addr - im->text[i].addr < im->text[i].size)
			return &im->text[i];
	return NULL;
}

const uint8_t *
codeof(const Image *im, uint64_t addr, size_t *len)
{
	const Text *t = textat(im, addr);

	*len = t ? t->size - (addr - t->addr) : 0;
	return t ? t->code + (addr - t->addr) : NULL;
}

uint8_t *
knowof(const Image *im, uint64_t addr)
{
	const Text *t = textat(im, addr);

	return t ? t->know + (addr - t->addr) : NULL;
}

static int
byaddr(const void *a, const void *b)
{
	const Func *x = a, *y = b;

	if (x->range->begin != y->range->begin)
		return x->range->begin < y->range->begin ? -1 : 1;
	return bypeople(x->name, y->name);
}

/* stemof - if a symbol names a part of a function, as NAME.cold, the length of NAME; else 0. */
static size_t
stemof(const char *name)
{
	static const char *const mark[] = {".cold", ".eh", ".__part."};
	size_t i;

	for (i = 0; i < sizeof mark / sizeof *mark; i++) {
		const char *at = strstr(name, mark[i]);

		if (at && at > name && (mark[i][1] == '_' || !at[strlen(mark[i])]))
			return (size_t)(at - name);
	}
	return 0;
}

/* add - add a function; NULL if there is no code at that address. */
static Func *
add(Image *im, const char *name, uint64_t addr, uint64_t size)
{
	size_t len;
	Func *f;

	if (!codeof(im, addr, &len))
		return NULL;
	apush(im->run, im->fn, im->nfn, im->capfn);
	f = &im->fn[im->nfn++];
	*f = (Func){.name = astrndup(im->run, name, strlen(name)),
		    .stem = stemof(name),
		    .nrange = 1,
		    .cap = 1};
	f->range = anew(im->run, Range, 1);
	*f->range = (Range){addr, addr + (size < len ? size : len)};
	return f;
}

/* addsymbols - add the functions that have symbols; places[] gets the other symbols in code, by
 * address. */
static void
addsymbols(Image *im, Dwfl_Module *mod, uint64_t bias, Table *places)
{
	int n = dwfl_module_getsymtab(mod), i;
	GElf_Word section;
	GElf_Addr addr;
	GElf_Sym sym;

	for (i = 0; i < n; i++) {
		const char *name =
			dwfl_module_getsym_info(mod, i, &sym, &addr, &section, NULL, NULL);
		int type = GELF_ST_TYPE(sym.st_info);
		Func *f;

		if (!name || !*name || section == SHN_UNDEF || section == SHN_ABS)
			continue;
		addr -= bias;
		if (type == STT_FUNC || type == STT_GNU_IFUNC) {
			f = add(im, name, addr, sym.st_size);
			if (f)
				f->maybepart = f->stem;
		} else if (type == STT_NOTYPE && textat(im, addr)) {
			intern(places, (char *)&addr, sizeof addr, i);
		}
	}
}

/* settle - sort the functions, and merge those of one address. */
static void
settle(Image *im)
{
	int i, n = 0;

	if (im->nfn)
		qsort(im->fn, (size_t)im->nfn, sizeof *im->fn, byaddr);
	for (i = 0; i < im->nfn; i++) {
		Func *last = n ? &im->fn[n - 1] : NULL;

		if (last && last->range->begin == im->fn[i].range->begin) {
			if (im->fn[i].range->end > last->range->end)
				last->range->end = im->fn[i].range->end;
			last->maybepart &= im->fn[i].maybepart;
			continue;
		}
		im->fn[n++] = im->fn[i];
	}
	im->nfn = n;
}

/* sectionat - the section at an address; NULL if there is none. */
static const Section *
sectionat(const File *f, uint64_t addr)
{
	int i;

	for (i = 0; i < f->nsect; i++)
		if ((f->sect[i].flags & SHF_ALLOC) && addr - f->sect[i].addr < f->sect[i].size)
			return &f->sect[i];
	return NULL;
}

/* isstub - whether code is in the procedure linkage table, which leads to other modules. */
static bool
isstub(const File *f, uint64_t addr)
{
	const Section *s = sectionat(f, addr);

	return s && (strncmp(s->name, ".plt", 4) == 0 || strncmp(s->name, ".iplt", 5) == 0);
}

/* addframes - add the code that .eh_frame describes and no symbol covers; settle sizes of symbols
 * that have none. */
static void
addframes(Image *im, const File *file, Dwfl_Module *mod, Table *places, Arena *tmp)
{
	int n, nsym = im->nfn, i, k = 0;
	const Range *r = readframes(file, &n, tmp);
	uint64_t end = 0; /* of the code that the symbols so far cover */

	for (i = 0; i < n; i++) {
		char name[32];
		const Entry *e;
		GElf_Sym sym;
		Func *f;

		for (; k < nsym && im->fn[k].range->begin <= r[i].begin; k++) {
			Range *own = im->fn[k].range;

			if (own->begin == own->end && own->begin == r[i].begin)
				own->end = r[i].end; /* the symbol has no size */
			end = own->end > end ? own->end : end;
		}
		if (r[i].begin < end || isstub(file, r[i].begin)
		    || (k && im->fn[k - 1].range->begin == r[i].begin)
		    || (k < nsym && im->fn[k].range->begin < r[i].end))
			continue;
		snprintf(name, sizeof name, "0x%" PRIx64, r[i].begin);
		e = lookup(places, (const char *)&r[i].begin, sizeof r[i].begin);
		f = add(im, e ? dwfl_module_getsym(mod, e->value, &sym, NULL) : name, r[i].begin,
			r[i].end - r[i].begin);
		if (f) {
			f->nameless = !e;
			f->maybepart = true;
		}
	}
}

/* limit - end each range where the next begins or the segment ends, at the latest; without a size
 * at the end of the section. */
static void
limit(Image *im, const File *f)
{
	int i;

	for (i = 0; i < im->nfn; i++) {
		Range *r = im->fn[i].range;
		uint64_t next = i + 1 < im->nfn ? im->fn[i + 1].range->begin : UINT64_MAX;
		size_t len;

		codeof(im, r->begin, &len);
		if (r->end == r->begin) { /* the symbol has no size */
			const Section *s = sectionat(f, r->begin);

			r->end = s ? s->addr + s->size : r->begin + len;
		}
		r->end = r->end < r->begin + len ? r->end : r->begin + len;
		r->end = r->end < next ? r->end : next;
	}
}

static int
byspan(const void *a, const void *b)
{
	const Span *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

void
indexranges(Image *im)
{
	int i, k, n = 0;

	for (i = 0; i < im->nfn; i++)
		n += im->fn[i].nrange;
	im->span = anew(im->run, Span, n + 1);
	im->nspan = 0;
	for (i = 0; i < im->nfn; i++)
		for (k = 0; k < im->fn[i].nrange; k++)
			im->span[im->nspan++] =
				(Span){im->fn[i].range[k].begin, im->fn[i].range[k].end, i};
	if (n)
		qsort(im->span, (size_t)n, sizeof *im->span, byspan);
}

bool
inside(const Func *f, uint64_t addr)
{
	int i;

	for (i = 0; i < f->nrange; i++)
		if (addr >= f->range[i].begin && addr < f->range[i].end)
			return true;
	return false;
}

int
functionat(const Image *im, uint64_t addr)
{
	int lo = 0, hi = im->nspan;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (im->span[mid].begin <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < im->span[lo - 1].end ? im->span[lo - 1].fn : NONE;
}

uint64_t
symbolat(const Image *im, const char *name)
{
	int i;

	for (i = 0; i < im->nfn; i++)
		if (strcmp(im->fn[i].name, name) == 0)
			return im->fn[i].range->begin;
	return 0;
}

/* list - note which functions have lines. */
static void
list(Image *im)
{
	int i;

	for (i = 0; i < im->nfn; i++) {
		const Row *r = rowat(im, im->fn[i].range->begin);

		im->fn[i].listed = r != NULL;
		im->fn[i].plain = r && r->plain;
		im->debug |= r != NULL;
	}
}

/* nowhere - a find_debuginfo that finds none. */
static int
nowhere(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, const char *file,
	const char *link, GElf_Word crc, char **found)
{
	(void)m, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)found;
	return -1;
}

/* opendebug - open a file with libdwfl, for its symbols; if `lines', with its debug information,
 * which may be in a separate file. */
static bool
opendebug(Image *im, int fd, bool lines)
{
	static char *debugpath; /* where Debian and others put debug files */
	static const Dwfl_Callbacks with = {.find_elf = dwfl_build_id_find_elf,
					    .find_debuginfo = dwfl_standard_find_debuginfo,
					    .section_address = dwfl_offline_section_address,
					    .debuginfo_path = &debugpath};
	static const Dwfl_Callbacks without = {.find_elf = dwfl_build_id_find_elf,
					       .find_debuginfo = nowhere,
					       .section_address = dwfl_offline_section_address,
					       .debuginfo_path = &debugpath};

	unsetenv("DEBUGINFOD_URLS"); /* do not download debug files */
	fd = dup(fd);
	im->dwfl = dwfl_begin(lines ? &with : &without);
	im->module = im->dwfl ? dwfl_report_offline(im->dwfl, im->path, im->path, fd) : NULL;
	if (!im->module && fd >= 0)
		close(fd);
	if (im->module)
		dwfl_report_end(im->dwfl, NULL, NULL);
	return im->module;
}

/* readfunctions - find all functions. */
static void
readfunctions(Image *im, const File *f)
{
	Arena tmp = {0};
	Table places = {.arena = &tmp};
	GElf_Addr bias = 0;

	dwfl_module_getelf(im->module, &bias);
	addsymbols(im, im->module, bias, &places);
	settle(im);
	addframes(im, f, im->module, &places, &tmp);
	settle(im);
	limit(im, f);
	indexranges(im);
	areset(&tmp);
}

Image *
openimage(const char *path, bool lines, Arena *run)
{
	File *f = openelf(path, run);
	Image *im = NULL;

	if (f && f->machine == EM_X86_64 && gelf_getclass(f->elf) == ELFCLASS64) {
		im = anew(run, Image, 1);
		im->run = im->files.arena = im->origins.arena = run;
		im->path = astrndup(run, path, strlen(path));
		if (opendebug(im, f->fd, lines)) {
			addtexts(im, f);
			im->idlen = buildid(f, im->id);
			readfunctions(im, f);
			if (lines)
				readrows(im);
			else
				closeimage(im);
			list(im);
		} else {
			closeimage(im);
			im = NULL;
		}
	}
	closeelf(f);
	return im;
}

void
closeimage(Image *im)
{
	if (im->dwfl)
		dwfl_end(im->dwfl);
	im->dwfl = im->module = NULL;
}
