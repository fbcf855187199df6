/* dump.c - print what each pass made, for developers and for tests of single passes.
 * CONTRIBUTING.md lists the letters, with an example. */

#include "plant.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

typedef struct Flag Flag;

/* A word to print if something holds. */
struct Flag {
	bool is;
	const char *word;
};

static void
flags(Buf *b, const Flag *flag)
{
	for (; flag->word; flag++)
		if (flag->is)
			bprintf(b, " %s", flag->word);
}

/* endline - end a line, without separators at its end. */
static void
endline(Buf *b)
{
	while (b->n && strchr(" \t;", b->s[b->n - 1]))
		b->n--;
	bprintf(b, "\n");
}

/* words - write text on one line, with blanks for tabs. */
static void
words(Buf *b, const char *s, int len)
{
	for (; len > 0; s++, len--)
		bput(b, *s == '\t' || *s == '\n' ? " " : s, 1);
}

/* statement - its number, line, section, kind and text. */
static void
statement(Buf *b, const Unit *u, int i)
{
	static const char *const kind[] = {
		[BLANK] = "blank", [LABEL] = "label", [DIRECTIVE] = "directive", [CODE] = "code"};
	const Stmt *st = &u->stmt[i];

	bprintf(b, "%d\t%d\t%s\t%s", i, st->line, u->sect[st->sect].name, kind[st->kind]);
	flags(b, (Flag[]){{st->debug, "debug"},
			  {st->data, "data"},
			  {st->user, "user"},
			  {st->marker != NONE, "mark"},
			  {0}});
	bprintf(b, "\t");
	words(b, st->s, st->len);
	endline(b);
}

static void
dumptext(Buf *b, const Unit *u)
{
	int i;

	bprintf(b, "statement\tline\tsection\tkind\n");
	for (i = 0; i < u->nstmt; i++)
		if (u->stmt[i].kind != BLANK)
			statement(b, u, i);
}

/* sectionof - the name of the section that an item is in; the assembler has only its number. */
static const char *
sectionof(const Unit *u, const Item *it)
{
	return u->sect[u->stmt[it->stmt].sect].name;
}

/* turn - where control goes after an item. */
static void
turn(Buf *b, const Item *it)
{
	static const char *const name[] = {
		[PLAIN] = "plain", [CALL] = "call",     [COND] = "cond", [JUMP] = "jump",
		[INDIR] = "indir", [RETURN] = "return", [STOP] = "stop"};

	bprintf(b, "%s", name[it->insn.turn]);
	if (it->target != NONE)
		bprintf(b, " %d", it->target);
}

static void
dumpitems(Buf *b, const Unit *u)
{
	int i;

	bprintf(b, "item\tplace\tbytes\tinsns\tturn\n");
	for (i = 0; i < u->nitem; i++) {
		const Item *it = &u->item[i];

		if (it->sect == NONE) {
			bprintf(b, "%d\tnowhere\n", i);
			continue;
		}
		bprintf(b, "%d\t%s+%" PRIu64 "\t%d\t%d\t", i, sectionof(u, it), it->off, it->bytes,
			it->ninsn);
		turn(b, it);
		if (it->npad)
			bprintf(b, " pads:%d", it->npad);
		flags(b, (Flag[]){{it->insn.direct && it->target == NONE, "elsewhere"},
				  {it->odd, "odd"},
				  {it->glued, "glued"},
				  {it->nops, "nops"},
				  {it->gap, "gap"},
				  {it->insn.landing, "landing"},
				  {0}});
		bprintf(b, "\t");
		words(b, u->stmt[it->stmt].s, u->stmt[it->stmt].len);
		endline(b);
	}
}

/* block - the name of a block. */
static void
block(Buf *b, const Func *fn, int k)
{
	if (k == ENTRY || k == EXIT)
		bprintf(b, k == ENTRY ? "entry" : "exit");
	else if (k == fn->body.hub)
		bprintf(b, "hub");
	else
		bprintf(b, "%d", k);
}

/* way - an edge as SRC->DST. */
static void
way(Buf *b, const Func *fn, int e)
{
	block(b, fn, fn->body.g->edge[e].src);
	bprintf(b, "->");
	block(b, fn, fn->body.g->edge[e].dst);
}

/* member - what scan() found out about an item of a block. */
static void
member(Buf *b, const Unit *u, int i)
{
	const Item *it = &u->item[i];

	bprintf(b, "\t\t%d\t", i);
	words(b, u->stmt[it->stmt].s, u->stmt[it->stmt].len);
	bprintf(b, " ;");
	if (it->refers != NONE)
		bprintf(b, " refers:%d", it->refers);
	flags(b, (Flag[]){{it->entry, "entry"},
			  {it->leads, "leads"},
			  {it->taken, "taken"},
			  {it->held, "held"},
			  {it->strange, "strange"},
			  {it->middle, "middle"},
			  {it->again, "again"},
			  {it->away, "away"},
			  {it->ends, "ends"},
			  {it->lost, "lost"},
			  {it->lands, "lands"},
			  {it->goes, "goes"},
			  {it->departs, "parts"},
			  {it->midway, "midway"},
			  {it->fixed != NONE, "fixed"},
			  {it->listed != NONE, "listed"},
			  {it->sealed, "sealed"},
			  {it->solid, "solid"},
			  {0}});
	endline(b);
}

/* edges - the edges out of a block. */
static void
edges(Buf *b, const Func *fn, int k)
{
	static const char *const how[] = {
		[INTO] = "into",   [ENTERS] = "enters",   [REENTERS] = "reenters",
		[FALLS] = "falls", [BRANCH] = "branch",   [LEAVES] = "leaves",
		[TOHUB] = "tohub", [FROMHUB] = "fromhub", [NOWHERE] = "nowhere"};
	const Graph *g = fn->body.g;
	int i;

	for (i = g->outat[k]; i < g->outat[k + 1]; i++) {
		const Edge *e = &g->edge[g->out[i].edge];

		bprintf(b, "\t");
		way(b, fn, g->out[i].edge);
		bprintf(b, " %s", how[fn->body.how[g->out[i].edge]]);
		if (e->cost != 1)
			bprintf(b, " cost:%g", e->cost);
		flags(b,
		      (Flag[]){{e->pinned, "pinned"}, {e->net, "net"}, {e->never, "never"}, {0}});
		endline(b);
	}
}

/* title - the first line of a function; returns whether it has a graph. */
static bool
title(Buf *b, const Func *fn)
{
	bprintf(b, "%s:", fn->name);
	if (fn->reason)
		bprintf(b, " not counted: %s", fn->reason);
	flags(b, (Flag[]){{fn->departs, "parts"}, {fn->open, "open"}, {fn->loose, "loose"}, {0}});
	bprintf(b, "\n");
	return fn->body.g != NULL;
}

static void
dumpfunctions(Buf *b, const Unit *u)
{
	int f, i, k;

	for (f = 0; f < u->nfunc; f++) {
		const Func *fn = &u->func[f];
		const Graph *g = fn->body.g;

		if (!title(b, fn))
			continue;
		for (k = 0; k < g->nblock; k++) {
			bprintf(b, "    ");
			block(b, fn, k);
			flags(b, (Flag[]){{g->block[k].pinned, "pinned"},
					  {g->block[k].cold, "cold"},
					  {0}});
			if (fn->body.first[k] != NONE)
				bprintf(b, " %s", sectionof(u, itemat(u, fn, fn->body.first[k])));
			bprintf(b, "\n");
			for (i = fn->body.first[k]; i != NONE && i <= fn->body.last[k]; i++)
				member(b, u, fn->item[i]);
			edges(b, fn, k);
		}
	}
}

/* registers - a set of registers. */
static void
registers(Buf *b, Regs r)
{
	static const char *const name[] = {"ax",  "cx",  "dx",  "bx",  "sp",   "bp",
					   "si",  "di",  "r8",  "r9",  "r10",  "r11",
					   "r12", "r13", "r14", "r15", "flags"};
	size_t i;

	for (i = 0; i < sizeof name / sizeof *name; i++)
		if (r & (Regs)1 << i)
			bprintf(b, " %s", name[i]);
	bprintf(b, "\n");
}

/* dumplive - live registers, of those that are caller-saved. */
static void
dumplive(Buf *b, const Unit *u)
{
	const Regs shown = EVERYBODYS | FLAGS;
	int f, k;

	for (f = 0; f < u->nfunc; f++) {
		const Func *fn = &u->func[f];

		if (!title(b, fn))
			continue;
		bprintf(b, "    scratch:");
		registers(b, fn->body.scratch & shown);
		for (k = FIRST; k < fn->body.g->nblock; k++)
			if (k != fn->body.hub) {
				bprintf(b, "    %d:", k);
				registers(b, fn->body.live[k] & shown);
			}
	}
}

static void
dumplines(Buf *b, const Unit *u)
{
	const Lines *l = &u->lines;
	int f, i;

	for (f = 0; f < u->nfunc; f++) {
		bprintf(b, "%s:", u->func[f].name);
		if (u->func[f].head.line && u->func[f].head.file < (uint32_t)l->nfile)
			bprintf(b, " declared at %s:%u", l->file[u->func[f].head.file],
				u->func[f].head.line);
		bprintf(b, "\n");
		for (i = l->first[f]; i < l->first[f + 1]; i++) {
			const Coderow *r = &l->row[i];

			bprintf(b, "    insn %u: %s:%u:%u", r->insn,
				r->file < (uint32_t)l->nfile ? l->file[r->file] : "?", r->line,
				r->column);
			if (r->inst)
				bprintf(b, " copy:%u", r->inst);
			flags(b, (Flag[]){{r->flags & ROWSTMT, "stmt"},
					  {r->flags & ROWFALLS, "falls"},
					  {r->flags & ROWTHUNK, "thunk"},
					  {0}});
			bprintf(b, "\n");
		}
	}
}

/* placename - the name of a place: a block, or an edge. */
static void
placename(Buf *b, const Func *fn, int p)
{
	if (isblock(fn->body.g, p))
		block(b, fn, p);
	else
		way(b, fn, p - fn->body.g->nblock);
}

static void
dumpweights(Buf *b, const Unit *u)
{
	int f, p;

	for (f = 0; f < u->nfunc; f++) {
		const Func *fn = &u->func[f];
		const Graph *g = fn->body.g;

		if (!title(b, fn))
			continue;
		for (p = 0; p < nplace(g); p++) {
			bprintf(b, "    ");
			placename(b, fn, p);
			bprintf(b, ": %.4g\n",
				isblock(g, p) ? g->block[p].weight : placeedge(g, p)->weight);
		}
	}
}

/* counters - the counters of a plan. */
static void
counters(Buf *b, const Func *fn, const Plan *plan, const char *what)
{
	int p;

	for (p = 0; plan && p < nplace(fn->body.g); p++)
		if (plan->slot[p] != NOSLOT) {
			bprintf(b, "    %s %d: ", what, plan->slot[p]);
			placename(b, fn, p);
			bprintf(b, "\n");
		}
}

static void
dumpplans(Buf *b, const Unit *u)
{
	int f;

	for (f = 0; f < u->nfunc; f++) {
		title(b, &u->func[f]);
		counters(b, &u->func[f], u->func[f].plan, "counter");
		counters(b, &u->func[f], u->func[f].check, "check");
	}
}

static void
dumpplanted(Buf *b, const Unit *u)
{
	copytext(u->planter, true, b);
}

typedef struct Pass Pass;

static const struct Pass {
	char letter;
	const char *name;
	void (*show)(Buf *, const Unit *);
} passes[] = {{'t', "text", dumptext},      {'p', "measure", dumpitems},
	      {'s', "scan", dumpfunctions}, {'r', "registers", dumplive},
	      {'l', "lines", dumplines},    {'w', "weights", dumpweights},
	      {'c', "counters", dumpplans}, {'o', "output", dumpplanted}};

static const Pass *
passof(char letter)
{
	size_t i;

	for (i = 0; i < sizeof passes / sizeof *passes; i++)
		if (passes[i].letter == letter)
			return &passes[i];
	return NULL;
}

bool
isdump(const char *letters)
{
	const char *s = letters;

	while (*s && passof(*s))
		s++;
	return s > letters && !*s;
}

void
dump(const Unit *u, const Counting *how, char letter)
{
	const Pass *p = passof(letter);

	assert(p);
	if (!how->dump || !strchr(how->dump, letter))
		return;
	bprintf(how->dumped, "> %s\n", p->name);
	p->show(how->dumped, u);
}
