/* insns.c - every machine instruction with its count, under its line.
 *
 * The code is the program's, which has counters in it.  They are omitted; a branch to a counter out
 * of line is shown with its final destination, and offsets are those that the code would have
 * without counters. */

#include "text.h"

#include "arch/arch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Pen Pen;

struct Pen {
	const Report *r;
	const Module *m;
	Table files; /* indices of source[], by name */
	Textfile *source;
	int nsource;
	size_t capsource;
	const Fn *fn; /* the current function */
	int block;
	uint32_t first;     /* index of its first instruction in the function */
	int next;           /* index of the next row */
	const Coderow *row; /* row of the last instruction; NULL if there is none */
	Grid grid;          /* of a function, for programs */
};

typedef struct Namer Namer;

struct Namer {
	const Report *r;
	const Module *m;
	Buf name; /* of the last address */
};

/* named - the name of an address. */
static const char *
named(void *namer, uint64_t addr)
{
	Namer *n = namer;

	n->name = (Buf){.arena = n->r->run};
	return placename(n->r, n->m, addr, &n->name);
}

void
eachinsn(const Report *r, const Module *m, const Fn *fn, int b,
	 void (*tell)(void *, uint32_t i, uint64_t addr, const char *text), void *to)
{
	const Codeblock *mb = &fn->code.block[b];
	Namer n = {.r = r, .m = m};
	uint64_t addr = fn->part[mb->part] + mb->addr;
	uint32_t i;

	for (i = 0; i < mb->ninsn; i++) {
		Buf text = {.arena = r->run};
		const uint8_t *code;
		size_t len;
		Insn in;

		code = insnat(m, &addr, &len);
		if (!code || !decode(code, len, &in)) {
			tell(to, i, addr, NULL);
			return;
		}
		show(&text, code, len, addr, named, &n);
		tell(to, i, addr, text.s);
		addr += (uint64_t)in.len;
	}
}

static const Textfile *
sourceof(Pen *p, const char *file)
{
	Entry *e = intern(&p->files, file, strlen(file), p->nsource);

	if (e->value == p->nsource) {
		apush(p->r->run, p->source, p->nsource, p->capsource);
		p->source[p->nsource++] = readtext(sourcefile(p->r, file), p->r->run);
	}
	return &p->source[e->value];
}

static void
heading(Pen *p, const Fn *fn, const Coderow *row)
{
	uint32_t line = linefor(fn, row);
	const char *file = fn->file[row->file], *base = strrchr(file, '/');
	const Textfile *s;

	if (p->r->classic) {
		fprintf(p->r->f, "%s: %u\n", base ? base + 1 : file, line);
		return;
	}
	s = sourceof(p, file);
	fprintf(p->r->f, "%s:%u: %s\n", base ? base + 1 : file, line,
		line <= (uint32_t)s->n ? s->line[line - 1] : "");
}

/* differ - whether rows a (or none) and b have different lines. */
static bool
differ(const Coderow *a, const Coderow *b)
{
	return !a || a->line != b->line || a->file != b->file;
}

/* insn - instruction i of the current block, under its line. */
static void
insn(void *pen, uint32_t i, uint64_t addr, const char *text)
{
	Pen *p = pen;
	const Fn *fn = p->fn;
	uint64_t count = 0;
	const Fn *f;
	const Coderow *before = p->row;

	for (f = fn; f; f = f->twin)
		count += ran(f, p->block, i);
	for (; p->next < fn->code.nrow && fn->code.row[p->next].insn <= p->first + i; p->next++) {
		const Coderow *new = &fn->code.row[p->next];

		if (!new->line || new->file >= (uint32_t)fn->nfile)
			continue;
		if (p->r->classic && differ(p->row, new)) /* show every row's line */
			heading(p, fn, new);
		p->row = new;
	}
	if (p->r->rows) {
		cell(&p->grid, "%s%" PRIu64, fn->doubtful ? "~" : "", count);
		cell(&p->grid, "%u", p->row ? p->row->line : 0);
		cell(&p->grid, "%s", p->row ? fn->file[p->row->file] : "");
		cell(&p->grid, "%s", text ? text : "");
		return;
	}
	if (!p->r->classic && p->row && differ(before, p->row))
		heading(p, fn, p->row);
	if (!text)
		fprintf(p->r->f, "%*" PRIu64 "%s(no code at 0x%" PRIx64 ")\n",
			p->r->classic ? 0 : 10, count, p->r->classic ? "\t" : "   ", addr);
	else if (p->r->classic)
		fprintf(p->r->f, "%" PRIu64 "\t%s\n", count, text);
	else
		fprintf(p->r->f, "%10" PRIu64 " %c  %s\n", count,
			fn->doubtful ? '~'
			: count      ? ' '
				     : '#',
			text);
}

static void
function(Pen *p, const Fn *fn)
{
	static const char *const title[] = {"count", "line", "file", "instruction", NULL};
	int b;

	if (!fn->g && !p->r->classic && !p->r->rows)
		fprintf(p->r->f, "%s: uncounted: %s\n", nameof(p->r, fn), fn->reason ? fn->reason : "?");
	if (!fn->g)
		return;
	if (!p->r->classic && !p->r->rows)
		fprintf(p->r->f, "%s:\n", nameof(p->r, fn));
	p->grid = (Grid){.arena = p->r->run, .ncol = 4, .left = 2, .more = 1};
	titles(&p->grid, title);
	p->fn = fn;
	p->row = NULL;
	p->next = 0;
	p->first = 0;
	for (b = FIRST; b < fn->g->nblock; b++)
		if (fn->code.block[b].part != CODENONE) {
			p->block = b;
			eachinsn(p->r, p->m, fn, b, insn, p);
			p->first += fn->code.block[b].ninsn;
		}
	if (p->r->rows)
		table(p->r, &p->grid, "function", nameof(p->r, fn));
}

/* byfile - the functions of all modules, by file in the order of use. */
static void
byfile(const Report *r, Pen *pen)
{
	Uses uses = usedfiles(r);
	int u, i, k;

	for (u = 0; u < uses.n; u++)
		for (i = 0; uses.use[u].ran && i < r->of.nmodule; i++)
			for (k = 0; k < r->of.module[i].nfn; k++)
				if (!r->of.module[i].fn[k].sameas
				    && useof(&uses, fileof(&r->of.module[i].fn[k])) == u)
					function(&pen[i], &r->of.module[i].fn[k]);
}

void
insns(const Report *r)
{
	Pen *pen = anew(r->run, Pen, r->of.nmodule);
	int i, k;

	for (i = 0; i < r->of.nmodule; i++) {
		pen[i] = (Pen){.r = r, .m = &r->of.module[i], .files = {.arena = r->run}};
		findstarts(&r->of.module[i], r->run);
		codenames(r, &r->of.module[i]);
		for (k = 0; !r->classic && k < r->of.module[i].nfn; k++)
			if (!r->of.module[i].fn[k].sameas && chosen(&r->of, &r->of.module[i].fn[k]))
				function(&pen[i], &r->of.module[i].fn[k]);
	}
	if (r->classic)
		byfile(r, pen);
}
