/* where.c - addresses in a module of two functions, written by hand, and what blocks, instructions and cuts they
 * are; what cuts do to counts; the lines of places.
 *
 *     1000  counter 0, of A, which saves the flags: it has counted at 100d
 *     1016  A: pushq %rbp; 1017 call; 101c testl; 101e je 1035
 *     1020  counter 1, of B
 *     1027  B: call
 *     102c  counter 2, of B -> C
 *     1033  C: popq %rbp; 1034 ret
 *     1035  counter 3, of A -> C; 103c jmp 1033
 *
 *     2000  counter 0, of the calls
 *     2007  A: call
 *     200c  B: ret */

#include "lines/lines.h"

#include "arch/arch.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { A = FIRST, B, C };
enum { INC = INCREMENT | FORMFLAT, SAVED = INC | FORMSAVES };

/* Where our code is there is nothing that can be decoded. */
/* clang-format off */
static uint8_t first[] = {
	6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6,
	0x55, 0xe8, 0, 0, 0, 0, 0x85, 0xc0, 0x74, 0x13,
	6, 6, 6, 6, 6, 6, 6,
	0xe8, 0, 0, 0, 0,
	6, 6, 6, 6, 6, 6, 6,
	0x5d, 0xc3,
	6, 6, 6, 6, 6, 6, 6, 0xeb, 0xf5,
};
static uint8_t second[] = {
	6, 6, 6, 6, 6, 6, 6,
	0xe8, 0, 0, 0, 0,
	0xc3,
};
/* clang-format on */

static Bytes code[] = {{0x1000, sizeof first, first}, {0x2000, sizeof second, second}};

static Codeblock blocks[] = {
	[ENTRY] = {.part = CODENONE, .slot = CODENONE, .check = CODENONE},
	[EXIT] = {.part = CODENONE, .slot = CODENONE, .check = CODENONE},
	[A] = {.addr = 0, .ninsn = 4, .slot = 0, .check = CODENONE},
	[B] = {.addr = 0x20, .ninsn = 1, .slot = 1, .check = CODENONE},
	[C] = {.addr = 0x33, .ninsn = 2, .slot = CODENONE, .check = CODENONE},
};
static Codeblock called[] = {
	[ENTRY] = {.part = CODENONE, .slot = CODENONE, .check = CODENONE},
	[EXIT] = {.part = CODENONE, .slot = CODENONE, .check = CODENONE},
	[A] = {.addr = 7, .ninsn = 1, .slot = CODENONE, .check = CODENONE},
	[B] = {.addr = 12, .ninsn = 1, .slot = CODENONE, .check = CODENONE},
};
static Codeedge edges[] = {
	{EXIT, ENTRY, CODENONE, 0},  {ENTRY, A, CODENONE, 0},
	{A, B, CODENONE, EDGEFALLS}, {A, C, 3, 0},
	{B, C, 2, EDGEFALLS},        {C, EXIT, CODENONE, 0},
};
static Codeedge calls[] = {{EXIT, ENTRY, CODENONE, 0},
			   {ENTRY, A, 0, 0},
			   {A, B, CODENONE, EDGEFALLS},
			   {B, EXIT, CODENONE, 0}};
static Coderow rows[] = {{.insn = 0, .line = 10, .column = 1},
			 {.insn = 2, .line = 11, .column = 2},
			 {.insn = 4, .line = 12, .column = 3}};
static Planted planted[] = {
	{0, 0, 0x16, 0, SAVED},  {0, 0x20, 0x27, 1, INC}, {0, 0x2c, 0x33, 2, INC},
	{0, 0x35, 0x3c, 3, INC}, {0, 0, 7, 0, INC},
};

static Arena run;
static char *file[] = {"f.c"};
static uint64_t at[] = {0x1000}, then[] = {0x2000};
static Fn fn[2];
static Module m;
static int failed;

static Graph *
graphof(const Code *c)
{
	Graph *g = newgraph(&run);
	int i;

	while (g->nblock < c->nblock)
		addblock(g);
	for (i = 1; i < c->nedge; i++)
		addedge(g, (int)c->edge[i].src, (int)c->edge[i].dst);
	closeflow(g, &run);
	assert(g->nedge == c->nedge);
	return g;
}

/* make - the module, without any cuts. */
static void
make(void)
{
	static Own own[5];
	int i;

	fn[0] = (Fn){.name = "f", .file = file, .nfile = 1, .part = at, .npart = 1};
	fn[0].code = (Code){
		.nblock = 5, .nedge = 6, .nrow = 3, .block = blocks, .edge = edges, .row = rows};
	fn[1] = (Fn){.name = "g", .file = file, .nfile = 1, .part = then, .npart = 1};
	fn[1].code = (Code){.nblock = 4, .nedge = 4, .block = called, .edge = calls};
	for (i = 0; i < 2; i++)
		fn[i].g = graphof(&fn[i].code);
	for (i = 0; i < 5; i++) {
		const Fn *f = &fn[i == 4];

		own[i] = (Own){f->part[0] + planted[i].begin, f->part[0] + planted[i].end, f,
			       &planted[i]};
		assert(formsize(planted[i].form) == planted[i].end - planted[i].begin);
	}
	m = (Module){.fn = fn, .nfn = 2, .own = own, .nown = 5, .code = code, .ncode = 2};
}

/* A cut by address, and what it is to its function: none, one or two cuts. */
typedef struct Case Case;

struct Case {
	uint64_t addr;
	uint32_t kind;
	int n;
	Fncut cut[2];
};

enum { LEFT = CUTLEFT, STOPPED = CUTLEFT | CUTINTERRUPTED, JUMPED = CUTENTERED | CUTINTERRUPTED };

static const Case cases[] = {
	/* in calls: what comes after the call was not reached */
	{0x101c, LEFT, 1, {{.block = A, .done = 2, .after = true, .inflow = true}}},
	{0x102c, LEFT, 1, {{.block = B, .done = 1, .after = true, .inflow = true}}},
	{0x200c, LEFT, 1, {{.block = A, .done = 1, .after = true, .inflow = true}}},
	{0x1035, LEFT, 0, {{0}}}, /* a call from which nothing goes on */
	/* at an instruction, or in our code, before and after it has counted */
	{0x1000, STOPPED, 1, {{.block = A, .inflow = true, .reached = true}}},
	{0x100c, STOPPED, 1, {{.block = A, .inflow = true, .reached = true}}},
	{0x100d, STOPPED, 1, {{.block = A, .after = true, .inflow = true, .reached = true}}},
	{0x1016, STOPPED, 1, {{.block = A, .after = true, .inflow = true, .reached = true}}},
	{0x101e,
	 STOPPED,
	 1,
	 {{.block = A, .done = 3, .after = true, .inflow = true, .reached = true}}},
	{0x1020, STOPPED, 1, {{.block = B, .inflow = true, .reached = true}}},
	{0x1027, STOPPED, 1, {{.block = B, .after = true, .inflow = true, .reached = true}}},
	{0x1033, STOPPED, 1, {{.block = C, .after = true, .inflow = true, .reached = true}}},
	/* on edges: the block before it has run, or the next is flowed into */
	{0x102c,
	 STOPPED,
	 1,
	 {{.block = B, .done = 1, .after = true, .inflow = true, .reached = true}}},
	{0x1035,
	 STOPPED,
	 1,
	 {{.block = A, .done = 4, .after = true, .inflow = true, .reached = true}}},
	{0x103c,
	 STOPPED,
	 2,
	 {{.block = C, .done = 2, .after = true, .reached = true}, {.block = C, .inflow = true}}},
	/* before a call is counted */
	{0x2000, STOPPED, 1, {{.block = A}}},
	{0x2007, STOPPED, 1, {{.block = A, .after = true, .inflow = true, .reached = true}}},
	{0x200c, STOPPED, 1, {{.block = B, .after = true, .inflow = true, .reached = true}}},
	/* entered: where the function begins that is a call */
	{0x1000, JUMPED, 0, {{0}}},
	{0x1016, JUMPED, 0, {{0}}},
	{0x1020, JUMPED, 1, {{.block = B, .inflow = true}}},
	{0x1033, JUMPED, 1, {{.block = C, .inflow = true}}},
	{0x1034,
	 JUMPED,
	 1,
	 {{.block = C, .done = 1, .after = true, .inflow = true, .reached = true}}},
	{0x101c, CUTENTERED, 1, {{.block = A, .done = 2, .after = true, .inflow = true}}},
	/* nobody's, and in the middle of an instruction */
	{0xfff, STOPPED, 0, {{0}}},
	{0x1019, LEFT, 0, {{0}}},
	{0x3000, STOPPED, 0, {{0}}},
};

static void
tell(const char *what, const Fncut *c)
{
	printf("  %s: block %d, %u done%s%s%s, %d left, %d entered\n", what, c->block, c->done,
	       c->after ? ", behind" : "", c->inflow ? ", in the flow" : "",
	       c->reached ? ", reached" : "", (int)c->left, (int)c->entered);
}

/* is - whether the cuts of the functions are those of a case. */
static bool
is(const Case *c)
{
	const Fn *f = &fn[c->addr >= 0x2000];
	int i;

	if (fn[0].ncut + fn[1].ncut != c->n || f->ncut != c->n)
		return false;
	for (i = 0; i < c->n; i++) {
		const Fncut *x = &f->cut[i], *y = &c->cut[i];
		uint64_t left = c->kind & CUTENTERED ? 0 : 3;

		if (x->block != y->block || x->done != y->done || x->after != y->after
		    || x->inflow != y->inflow || x->reached != y->reached || x->uneven
		    || x->left != left || x->entered != 3 - left)
			return false;
	}
	return true;
}

static void
cuts(void)
{
	size_t k;
	int i;

	for (k = 0; k < sizeof cases / sizeof *cases; k++) {
		const Case *c = &cases[k];
		Modcut cut = {c->addr, c->kind, 3};

		make();
		m.cut = &cut;
		m.ncut = 1;
		findcuts(&m, &run);
		if (is(c))
			continue;
		failed++;
		printf("%#jx, kind %u:\n", (uintmax_t)c->addr, c->kind);
		for (i = 0; i < c->n; i++)
			tell("wanted", &c->cut[i]);
		for (i = 0; i < fn[0].ncut + fn[1].ncut; i++)
			tell("got", i < fn[0].ncut ? &fn[0].cut[i] : &fn[1].cut[i - fn[0].ncut]);
	}
}

/* counted - counts of instructions, of a block that has run ten times, with a cut. */
static void
counted(uint64_t addr, uint32_t kind, const int wanted[4])
{
	Modcut cut = {addr, kind, 3};
	uint64_t count[5] = {0, 0, 10, 10, 10}, sum = 0;
	Flow flow = {.count = count};
	uint32_t i;

	make();
	m.cut = &cut;
	m.ncut = 1;
	findcuts(&m, &run);
	fn[0].flow = &flow;
	for (i = 0; i < 4; i++) {
		sum += ran(&fn[0], A, i);
		if (ran(&fn[0], A, i) == (uint64_t)wanted[i])
			continue;
		failed++;
		printf("%#jx, kind %u: instruction %u ran %ju times, not %d\n", (uintmax_t)addr,
		       kind, i, (uintmax_t)ran(&fn[0], A, i), wanted[i]);
	}
	if (insnsrun(&fn[0], A) != sum) {
		failed++;
		printf("%#jx, kind %u: %ju instructions, not %ju\n", (uintmax_t)addr, kind,
		       (uintmax_t)insnsrun(&fn[0], A), (uintmax_t)sum);
	}
}

static void
lines(uint64_t addr, uint32_t kind, uint32_t line, uint32_t insn)
{
	Modcut cut = {addr, kind, 1};
	Place p;

	if (placeof(&m, &cut, &run, &p) && p.line == line && p.insn == insn
	    && strcmp(p.file, "f.c") == 0)
		return;
	failed++;
	printf("%#jx: line %u, instruction %u, not %u and %u\n", (uintmax_t)addr, p.line, p.insn,
	       line, insn);
}

int
main(void)
{
	Modcut maybe = {0x101c, CUTLEFT | CUTMAYBE, 1}, none = {0x3000, CUTLEFT, 1};
	const uint8_t *insn;
	uint64_t pc = 0x1000;
	size_t len;
	Place p;

	cuts();
	counted(0x101c, LEFT, (int[]){10, 10, 7, 7});
	counted(0x1000, STOPPED, (int[]){10, 10, 10, 10});
	counted(0x1016, STOPPED, (int[]){7, 7, 7, 7});
	counted(0x101c, CUTENTERED, (int[]){10, 10, 13, 13});

	make();
	m.cut = &maybe;
	m.ncut = 1;
	findcuts(&m, &run);
	assert(fn[0].doubtful && !fn[0].ncut && !fn[1].doubtful);

	make();
	findstarts(&m, &run);
	assert(m.nstart == 5);
	assert(startat(&m, 0x1020)->block == B && startat(&m, 0x2007)->fn == &fn[1]
	       && !startat(&m, 0x1021));
	assert(ownat(&m, 0x102c)->is->slot == 2 && !ownat(&m, 0x102d));
	assert(skipown(&m, 0x1020) == 0x1027 && skipown(&m, 0x1027) == 0x1027);
	insn = insnat(&m, &pc, &len);
	assert(pc == 0x1016 && insn == first + 0x16 && len == sizeof first - 0x16);
	lines(0x101c, LEFT, 10, 1); /* the call */
	lines(0x101c, STOPPED, 11, 2);
	lines(0x1020, STOPPED, 12, 4);
	lines(0x1034, STOPPED, 12, 6);
	assert(!placeof(&m, &none, &run, &p));
	return failed != 0;
}
