/* insns.c - every machine instruction with its count, under its line.
 *
 * The code is that of the program with counters; the counters are left out, branches
 * to where they stand out of line are shown as going where they lead, and offsets are
 * those of the program as it is without. */

#include "report.h"

#include "arch/x86/x86.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Source Source;
typedef struct Start Start;
typedef struct Pen Pen;

/* The text of a source file, in lines. */
struct Source {
	char **line;
	int n;
};

/* Where a block begins. */
struct Start {
	uint64_t addr;
	const Fn *fn;
	int block;
};

struct Pen {
	const Report *r;
	const Module *m;
	Start *start; /* of all blocks of the module, by address */
	int nstart;
	Table files; /* names to sources */
	Source *source;
	int nsource;
	size_t capsource;
	Buf name; /* of the last place */
};

static int
byaddr(const void *a, const void *b)
{
	const Start *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void
findstarts(Pen *p)
{
	size_t cap = 0;
	int i, b;

	for (i = 0; i < p->m->nfn; i++) {
		const Fn *fn = &p->m->fn[i];

		for (b = FIRST; fn->g && b < fn->g->nblock; b++) {
			const Mapblock *mb = &fn->code.block[b];

			if (mb->part == MAPNONE)
				continue;
			apush(p->r->run, p->start, p->nstart, cap);
			p->start[p->nstart++] = (Start){fn->part[mb->part] + mb->addr, fn, b};
		}
	}
	if (p->nstart)
		qsort(p->start, (size_t)p->nstart, sizeof *p->start, byaddr);
}

static const Start *
startat(const Pen *p, uint64_t addr)
{
	Start key = {.addr = addr};

	return p->nstart ? bsearch(&key, p->start, (size_t)p->nstart, sizeof key, byaddr) : NULL;
}

/* skipcounter - the address behind the counter at addr, or addr if there is none.  Where
 * flags are live it saves them: lea, pushf, inc, popf, lea. */
static uint64_t
skipcounter(const Pen *p, uint64_t addr)
{
	static const unsigned char save[] = {0x48, 0x8d, 0x64, 0x24, 0x80, 0x9c};
	static const size_t restore = 9; /* popf; lea 128(%rsp), %rsp */
	size_t len = 0, n = 0;
	const uint8_t *code = codeat(p->m, addr, &len);
	uint64_t to;

	if (code && len > sizeof save && memcmp(code, save, sizeof save) == 0)
		n = sizeof save;
	if (!code || len < n + 8)
		return addr;
	to = counteraddr(code + n, len - n, addr + n);
	if (!to || to < p->m->counters || to - p->m->counters >= 8 * p->m->ncount)
		return addr;
	return addr + n + 7 + (code[n] == 0x65) + (n ? restore : 0);
}

/* behindstub - where a branch to addr leads: over counters that stand there, and the jump
 * behind them. */
static uint64_t
behindstub(const Pen *p, uint64_t addr)
{
	uint64_t to = addr, next;
	const uint8_t *code;
	size_t len;
	Insn in;

	while ((next = skipcounter(p, to)) != to)
		to = next;
	if (to == addr || !(code = codeat(p->m, to, &len)) || !decode(code, len, &in)
	    || in.turn != JUMP)
		return addr;
	return to + (uint64_t)in.target;
}

/* throughplt - the name of a function of others, if a jump through a slot of the dynamic
 * linker is at addr. */
static const char *
throughplt(Pen *p, uint64_t addr)
{
	size_t len;
	const uint8_t *code = codeat(p->m, addr, &len);
	const char *name;
	int32_t disp;

	if (code && len > 4 && memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0)
		code += 4, addr += 4, len -= 4; /* endbr64 */
	if (code && len > 1 && code[0] == 0xf2)
		code++, addr++, len--; /* bnd */
	if (!code || len < 6 || code[0] != 0xff || code[1] != 0x25)
		return NULL;
	memcpy(&disp, code + 2, 4);
	name = nameat(p->m, addr + 6 + (uint64_t)(int64_t)disp);
	if (!name)
		return NULL;
	bprintf(&p->name, "%s@plt", name);
	return p->name.s;
}

/* placename - what people call an address. */
static const char *
placename(void *with, uint64_t addr)
{
	Pen *p = with;
	const Start *s;
	const char *name;

	p->name = (Buf){.arena = p->r->run};
	addr = behindstub(p, addr);
	s = startat(p, addr);
	name = nameat(p->m, addr);
	if (name)
		return name;
	if (!s)
		return throughplt(p, addr);
	bprintf(&p->name, "%s+0x%x", s->fn->name, s->fn->code.block[s->block].off);
	if (s->fn->code.block[s->block].part)
		bprintf(&p->name, ".%u", s->fn->code.block[s->block].part);
	return p->name.s;
}

static const Source *
sourceof(Pen *p, const char *file)
{
	Entry *e = intern(&p->files, file, strlen(file), p->nsource);
	const char *path = sourcefile(p->r, file);
	char *text = NULL;
	size_t cap = 0, caplines = 0;
	Source *s;
	ssize_t n;
	FILE *f;

	if (e->value < p->nsource)
		return &p->source[e->value];
	apush(p->r->run, p->source, p->nsource, p->capsource);
	s = &p->source[p->nsource++];
	*s = (Source){0};
	f = fopen(path, "r");
	while (f && (n = getline(&text, &cap, f)) >= 0) {
		apush(p->r->run, s->line, s->n, caplines);
		s->line[s->n++] =
			astrndup(p->r->run, text, (size_t)(n - (n > 0 && text[n - 1] == '\n')));
	}
	free(text);
	if (f)
		fclose(f);
	return s;
}

static void
heading(Pen *p, const Fn *fn, const Maprow *row)
{
	const char *file = fn->file[row->file], *base = strrchr(file, '/');
	const Source *s = sourceof(p, file);

	fprintf(p->r->f, "%s:%u: %s\n", base ? base + 1 : file, row->line,
		row->line <= (uint32_t)s->n ? s->line[row->line - 1] : "");
}

/* block - the instructions of block b; *at counts those before it, *row is in force. */
static void
block(Pen *p, const Fn *fn, int b, uint32_t *at, int *next, const Maprow **row)
{
	const Mapblock *mb = &fn->code.block[b];
	uint64_t addr = fn->part[mb->part] + mb->addr, behind;
	uint32_t end = *at + mb->ninsn;

	for (; *at < end; ++*at) {
		const Maprow *before = *row;
		Buf text = {.arena = p->r->run};
		const uint8_t *code;
		size_t len;
		Insn in;

		for (; *next < fn->code.nrow && fn->code.row[*next].insn <= *at; ++*next)
			if (fn->code.row[*next].line
			    && fn->code.row[*next].file < (uint32_t)fn->nfile)
				*row = &fn->code.row[*next];
		if (*row
		    && (!before || before->line != (*row)->line || before->file != (*row)->file))
			heading(p, fn, *row);
		while ((behind = skipcounter(p, addr)) != addr)
			addr = behind;
		code = codeat(p->m, addr, &len);
		if (!code || !decode(code, len, &in)) {
			fprintf(p->r->f, "%10" PRIu64 "   (no code at 0x%" PRIx64 ")\n",
				fn->flow->count[b], addr);
			*at = end;
			return;
		}
		show(&text, code, len, addr, placename, p);
		fprintf(p->r->f, "%10" PRIu64 " %c  %s\n", fn->flow->count[b],
			fn->flow->count[b] ? ' ' : '#', text.s);
		addr += (uint64_t)in.len;
	}
}

static void
function(Pen *p, const Fn *fn)
{
	const Maprow *row = NULL;
	uint32_t at = 0;
	int b, next = 0;

	if (!fn->g) {
		fprintf(p->r->f, "%s: uncounted: %s\n", fn->name, fn->odd ? fn->odd : "?");
		return;
	}
	fprintf(p->r->f, "%s:\n", fn->name);
	for (b = FIRST; b < fn->g->nblock; b++)
		if (fn->code.block[b].part != MAPNONE)
			block(p, fn, b, &at, &next, &row);
}

void
insns(const Report *r)
{
	int i, k;

	for (i = 0; i < r->nmodule; i++) {
		Pen p = {.r = r, .m = &r->module[i], .files = {.arena = r->run}};

		readcode(&r->module[i], r->run);
		findstarts(&p);
		for (k = 0; k < p.m->nfn; k++)
			if (chosen(r, &p.m->fn[k]))
				function(&p, &p.m->fn[k]);
	}
}
