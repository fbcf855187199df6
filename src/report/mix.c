/* mix.c - how often each kind of instruction was executed, and what that would cost on another
 * machine.  Weinberger 1984, 10.4. */

#include "mix.h"

#include "arch/arch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Row Row;
typedef struct Sheet Sheet;

struct Row {
	const char *kind;
	uint64_t times, bytes, reads, writes;
	double cost;
};

/* The table of a program, a file or a function. */
struct Sheet {
	const char *name;
	Table kinds; /* indices of row[] */
	Row *row;
	int nrow;
	size_t cap;
};

typedef struct Pad Pad;

struct Pad {
	const Report *r;
	const Mix *mix;
	Table names; /* indices of sheet[] */
	Sheet *sheet;
	int nsheet;
	size_t cap;
};

static double
costof(const Mix *mix, const char *what)
{
	int i;

	for (i = 0; i < mix->ncost; i++)
		if (matches((char **)&mix->cost[i].what, 1, what))
			return mix->cost[i].cost;
	return 0;
}

/* costs - of one instruction: of its mnemonic, or else its group; plus that of its bytes and of its
 * accesses to memory. */
static double
costs(const Mix *mix, const Insnkind *k, Arena *run)
{
	Buf group = {.arena = run};
	double own = costof(mix, k->mnemonic);

	bprintf(&group, "class:%s", k->group);
	return (own ? own : costof(mix, group.s)) + k->len * costof(mix, "byte")
	       + k->reads * costof(mix, "read") + k->writes * costof(mix, "write");
}

static Sheet *
sheetof(Pad *p, const Module *m, const Fn *fn)
{
	const char *name = p->mix->part == MIXPROGRAM ? m->path
			   : p->mix->part == MIXFILE  ? fileof(fn)
						      : nameof(p->r, fn);
	Entry *e = intern(&p->names, name, strlen(name), p->nsheet);

	if (e->value == p->nsheet) {
		apush(p->r->run, p->sheet, p->nsheet, p->cap);
		p->sheet[p->nsheet++] = (Sheet){.name = e->key, .kinds = {.arena = p->r->run}};
	}
	return &p->sheet[e->value];
}

static void
add(const Pad *p, Sheet *s, const Insnkind *k, uint64_t times)
{
	char length[16];
	const char *kind = p->mix->key == MIXMNEMONIC ? k->mnemonic
			   : p->mix->key == MIXGROUP  ? k->group
						      : length;
	Entry *e;
	Row *row;

	snprintf(length, sizeof length, "%2d", k->len);
	e = intern(&s->kinds, kind, strlen(kind), s->nrow);
	if (e->value == s->nrow) {
		apush(p->r->run, s->row, s->nrow, s->cap);
		s->row[s->nrow++] = (Row){.kind = e->key};
	}
	row = &s->row[e->value];
	row->times += times;
	row->bytes += times * (uint64_t)k->len;
	row->reads += times * (uint64_t)k->reads;
	row->writes += times * (uint64_t)k->writes;
	if (p->mix->ncost)
		row->cost += (double)times * costs(p->mix, k, p->r->run);
}

static void
function(Pad *p, const Module *m, const Fn *fn)
{
	Sheet *s = sheetof(p, m, fn);
	int b;

	for (b = FIRST; b < fn->g->nblock; b++) {
		const Codeblock *mb = &fn->code.block[b];
		uint64_t addr;
		uint32_t i, left = mb->bytes;

		if (mb->part == CODENONE)
			continue;
		addr = fn->part[mb->part] + mb->addr;
		for (i = 0; i < mb->ninsn; i++) {
			uint64_t times = ran(fn, b, i);
			size_t len;
			const uint8_t *code = insnat(m, &addr, &len);
			Insnkind k;

			if (!code || !kindof(code, len, &k))
				break;
			addr += (uint64_t)k.len;
			if (i == mb->ninsn - 1 && left > 0 && left < 16)
				k.len = (int)left; /* counters made a branch longer */
			left -= (uint32_t)k.len;
			if (times)
				add(p, s, &k, times);
		}
	}
}

static int
bytimes(const void *a, const void *b)
{
	const Row *x = a, *y = b;

	if (x->times != y->times)
		return x->times > y->times ? -1 : 1;
	return strcmp(x->kind, y->kind);
}

static void
line(Grid *g, const Mix *mix, const Row *row, uint64_t all)
{
	cell(g, "%s", row->kind);
	cell(g, "%" PRIu64, row->times);
	cell(g, "%.2f%%", all ? 100 * (double)row->times / (double)all : 0);
	cell(g, "%" PRIu64, row->bytes);
	cell(g, "%" PRIu64, row->reads);
	cell(g, "%" PRIu64, row->writes);
	if (mix->ncost)
		cell(g, "%.0f", row->cost);
}

static void
printsheet(const Report *r, const Mix *mix, Sheet *s)
{
	static const char *const head[] = {"executed", "share", "bytes", "reads", "writes", "cost"};
	Grid grid = {.arena = r->run, .ncol = 6 + (mix->ncost > 0)};
	Row sum = {.kind = "all"};
	int i;

	if (!s->nrow)
		return;
	qsort(s->row, (size_t)s->nrow, sizeof *s->row, bytimes);
	for (i = 0; i < s->nrow; i++) {
		sum.times += s->row[i].times;
		sum.bytes += s->row[i].bytes;
		sum.reads += s->row[i].reads;
		sum.writes += s->row[i].writes;
		sum.cost += s->row[i].cost;
	}
	if (!r->rows)
		fprintf(r->f, "%s:\n", s->name);
	cell(&grid, "%s",
	     mix->key == MIXLENGTH  ? "bytes"
	     : mix->key == MIXGROUP ? "class"
				    : "instruction");
	for (i = 0; i < grid.ncol - 1; i++)
		cell(&grid, "%s", head[i]);
	for (i = 0; i < s->nrow; i++)
		line(&grid, mix, &s->row[i], sum.times);
	if (!r->rows) /* programs can add up by themselves */
		line(&grid, mix, &sum, sum.times);
	table(r, &grid, "of", s->name);
}

void
mix(const Report *r, const Mix *mix)
{
	Pad p = {.r = r, .mix = mix, .names = {.arena = r->run}};
	int i, k;

	for (i = 0; i < r->of.nmodule; i++) {
		findstarts(&r->of.module[i], r->run);
		for (k = 0; k < r->of.module[i].nfn; k++)
			if (r->of.module[i].fn[k].flow && chosen(&r->of, &r->of.module[i].fn[k]))
				function(&p, &r->of.module[i], &r->of.module[i].fn[k]);
	}
	for (i = 0; i < p.nsheet; i++)
		printsheet(r, mix, &p.sheet[i]);
}
