/* lines.c - the source lines of an image's code, from its debug information: in the file itself, or
 * in a separate debug file. */

#include "image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

/* hascallsites - whether some function of a unit describes its call sites; compilers do that for
 * optimised code only. */
static bool
hascallsites(Dwarf_Die *cu)
{
	Dwarf_Die d;

	if (dwarf_child(cu, &d) != 0)
		return false;
	do {
		if (dwarf_tag(&d) == DW_TAG_subprogram
		    && (dwarf_hasattr(&d, DW_AT_call_all_calls)
			|| dwarf_hasattr(&d, DW_AT_GNU_all_call_sites)
			|| dwarf_hasattr(&d, DW_AT_GNU_all_tail_call_sites)))
			return true;
	} while (dwarf_siblingof(&d, &d) == 0);
	return false;
}

/* isplain - whether a unit was compiled without optimisation, as far as that can be seen: gcc and
 * Go record their options, LLVM's compilers describe call sites in optimised code only. */
static bool
isplain(Dwarf_Die *cu)
{
	Dwarf_Attribute at;
	const char *by = dwarf_formstring(dwarf_attr_integrate(cu, DW_AT_producer, &at)), *o;

	if (!by)
		return false;
	if (strncmp(by, "Go ", 3) == 0)
		return strstr(by, "-N") != NULL;
	if (strncmp(by, "GNU ", 4) != 0)
		return strstr(by, "clang") && !hascallsites(cu);
	for (o = by; (o = strstr(o, " -O")); o += 3)
		if (o[3] != '0')
			return false;
	return true;
}

uint32_t
numberfile(Image *im, const char *name, const char *dir)
{
	Buf path = {.arena = im->run};
	Entry *e;

	if (name[0] != '/' && dir)
		bprintf(&path, "%s/%s", dir, name);
	else
		bprintf(&path, "%s", name);
	e = intern(&im->files, path.s, path.n, im->nfile);
	if (e->value == im->nfile) {
		apush(im->run, im->file, im->nfile, im->capfile);
		im->file[im->nfile++] = path.s;
	}
	return (uint32_t)e->value;
}

typedef struct Unitof Unitof;

struct Unitof {
	Image *im;
	const char *dir;
	Dwarf_Files *files;
};

/* declfile - the file in which something is declared; NULL if unknown.  dwarf_decl_file() of
 * elfutils 0.188 will not do: it takes file number 0 for none. */
static const char *
declfile(const Unitof *u, Dwarf_Die *d)
{
	Dwarf_Attribute at;
	Dwarf_Word n;

	if (dwarf_formudata(dwarf_attr_integrate(d, DW_AT_decl_file, &at), &n) != 0)
		return NULL;
	return dwarf_filesrc(u->files, n, NULL, NULL);
}

/* addhead - add where the source declares a function; if the program has it, note that there. */
static int
addhead(Dwarf_Die *die, void *with)
{
	const Unitof *u = with;
	Image *im = u->im;
	const char *name = declfile(u, die);
	int line = 0, column = 0, fn = NONE;
	Head head = {0};
	Dwarf_Addr begin;

	if (name && dwarf_decl_line(die, &line) == 0) {
		dwarf_decl_column(die, &column);
		head = (Head){numberfile(im, name, u->dir), (uint32_t)line, (uint32_t)column};
		apush(im->run, im->head, im->nhead, im->caphead);
		im->head[im->nhead++] = head;
	}
	if (dwarf_entrypc(die, &begin) == 0 && begin) /* 0 if the linker discarded it */
		fn = functionat(im, begin);
	if (fn == NONE || im->fn[fn].range->begin != begin)
		return DWARF_CB_OK;
	im->fn[fn].die = memcpy(anew(im->run, Dwarf_Die, 1), die, sizeof *die);
	if (line)
		im->fn[fn].head = head;
	return DWARF_CB_OK;
}

/* addheads - add the heads of a unit's functions, which may be in a separate file
 * (-gsplit-dwarf). */
static void
addheads(Image *im, Dwarf_Die *cu, const char *dir)
{
	Unitof u = {im, dir, NULL};
	Dwarf_Die split = {0};
	uint8_t kind = 0;
	size_t n;

	if (dwarf_cu_info(cu->cu, NULL, &kind, NULL, &split, NULL, NULL, NULL) == 0
	    && kind == DW_UT_skeleton && split.addr)
		cu = &split;
	if (dwarf_getsrcfiles(cu, &u.files, &n) == 0)
		dwarf_getfuncs(cu, addhead, &u, 0);
}

/* addunit - add the rows of a unit, and the heads of its functions. */
static void
addunit(Image *im, Dwarf_Die *cu)
{
	Dwarf_Attribute at;
	const char *dir = dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &at)), *last = NULL;
	bool plain = isplain(cu);
	uint32_t file = 0;
	int first = im->nrow;
	Dwarf_Lines *lines;
	size_t n, i;

	addheads(im, cu, dir);
	if (dwarf_getsrclines(cu, &lines, &n) != 0)
		return;
	for (i = 0; i < n; i++) {
		Dwarf_Line *l = dwarf_onesrcline(lines, i);
		const char *name = dwarf_linesrc(l, NULL, NULL);
		int line = 0, column = 0;
		Dwarf_Addr addr;
		bool stmt = false, end = false;
		Row *r;

		dwarf_lineendsequence(l, &end);
		if (dwarf_lineaddr(l, &addr) != 0 || (!name && !end))
			continue;
		dwarf_lineno(l, &line);
		dwarf_linecol(l, &column);
		dwarf_linebeginstatement(l, &stmt);
		if (name && name != last)
			file = numberfile(im, name, dir);
		last = name;
		if (im->nrow > first && im->row[im->nrow - 1].end
		    && im->row[im->nrow - 1].addr == addr && dwarf_haspc(cu, addr) == 0)
			continue; /* elfutils sorts the end of a sequence before empty rows */
		apush(im->run, im->row, im->nrow, im->caprow);
		r = &im->row[im->nrow++];
		*r = (Row){.addr = addr,
			   .file = file,
			   .line = (uint32_t)line,
			   .column = (uint16_t)column,
			   .stmt = stmt,
			   .end = end,
			   .plain = plain};
	}
}

static const Row *rows;

/* byaddr - by address, then in the order of the table; the end of a sequence comes first, since
 * another may begin there. */
static int
byaddr(const void *a, const void *b)
{
	const Row *x = rows + *(const int *)a, *y = rows + *(const int *)b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->end != y->end)
		return x->end ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* order - sort the rows. */
static void
order(Image *im)
{
	Row *sorted = anew(im->run, Row, im->nrow + 1);
	Arena tmp = {0};
	int *at = anew(&tmp, int, im->nrow + 1), i;

	for (i = 0; i < im->nrow; i++)
		at[i] = i;
	rows = im->row;
	if (im->nrow)
		qsort(at, (size_t)im->nrow, sizeof *at, byaddr);
	for (i = 0; i < im->nrow; i++)
		sorted[i] = im->row[at[i]];
	im->row = sorted;
	areset(&tmp);
}

static int
byhead(const void *a, const void *b)
{
	const Head *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

const Head *
headof(const Image *im, uint32_t file, uint32_t line)
{
	Head key = {.file = file, .line = line};
	int lo = 0, hi = im->nhead;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (byhead(&im->head[mid], &key) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && im->head[lo - 1].file == file ? &im->head[lo - 1] : NULL;
}

void
readrows(Image *im)
{
	Dwarf_Die *cu = NULL;
	Dwarf_Addr bias = 0, b;

	if (!dwfl_module_getdwarf(im->module, &bias))
		return;
	while ((cu = dwfl_module_nextcu(im->module, cu, &b)))
		addunit(im, cu);
	order(im);
	if (im->nhead)
		qsort(im->head, (size_t)im->nhead, sizeof *im->head, byhead);
}

const Row *
rowat(const Image *im, uint64_t addr)
{
	int lo = 0, hi = im->nrow;

	while (lo < hi) {
		int mid = lo + (hi - lo) / 2;

		if (im->row[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && !im->row[lo - 1].end ? &im->row[lo - 1] : NULL;
}
