/* read.c - read the text form of a graph.
 *
 *   # comment
 *   block A [cold] [call] [pin] [cost C] [counter] [count N]
 *   [NAME:] A -> B [weight W] [cost C] [pin] [likely | unlikely | odds X]
 *                  [counter] [count N]
 *   walk [* N] [... or |] A [NAME] B ... [... or |]
 *   left A N          entered A N
 *
 * A block exists from its first mention; entry and exit always do.
 *
 * Two rounds over the text: the first makes blocks and edges, the second reads walks and cuts,
 * which need to know all edges. */

#include "graphtext.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4096 }; /* longest word */

typedef struct Word Word;
typedef struct Reader Reader;

struct Word {
	const char *s; /* not terminated */
	int len;       /* 0: end of the line */
};

struct Reader {
	Graphfile *gf;
	Graph *g;
	Arena *run;
	const char *s; /* rest of the text */
	const char *end;
	int line;
	Word word;   /* the current one */
	Table names; /* of blocks: their numbers; of edges: -1 - number */
	Table steps; /* pairs of blocks: the edge between them */
	Stated *block; /* by block; copied into gf->stated at the end */
	Stated *edge;  /* by edge */
	size_t capblock, capedge, capcut, capcall, capwalk;
};

#define FAIL(r, ...) errat((r)->gf->path, (r)->line, __VA_ARGS__)
#define W(word) (word).len, (word).s /* for %.*s */

/* advance - go to the next word of the line.  Words end at white space; `->', `:', `*' and `|' are
 * words by themselves. */
static void
advance(Reader *r)
{
	const char *s = r->s, *w;

	while (s < r->end && (*s == ' ' || *s == '\t' || *s == '\r'))
		s++;
	if (s < r->end && *s == '#')
		while (s < r->end && *s != '\n')
			s++;
	w = s;
	if (s < r->end && strchr(":*|", *s) && *s)
		s++;
	else if (r->end - s >= 2 && s[0] == '-' && s[1] == '>')
		s += 2;
	else
		for (; s < r->end && !strchr(" \t\r\n#:*|", *s); s++)
			if (s[0] == '-' && s + 1 < r->end && s[1] == '>')
				break;
	if (s < r->end && *s == 0)
		FAIL(r, "a NUL byte: this is not a text file");
	if (s - w > LONGEST)
		FAIL(r, "a word of %td characters, of at most %d", s - w, LONGEST);
	r->word = (Word){w, (int)(s - w)};
	r->s = s;
}

/* is - whether the current word is s. */
static bool
is(const Reader *r, const char *s)
{
	return r->word.len == (int)strlen(s) && memcmp(r->word.s, s, strlen(s)) == 0;
}

static bool
accept(Reader *r, const char *s)
{
	if (!is(r, s))
		return false;
	advance(r);
	return true;
}

static Word
need(Reader *r, const char *what)
{
	Word w = r->word;

	if (!w.len)
		FAIL(r, "the line ends where %s should stand", what);
	advance(r);
	return w;
}

static void
lineend(Reader *r)
{
	if (r->word.len)
		FAIL(r, "unexpected '%.*s'", W(r->word));
}

static double
real(Reader *r, const char *what)
{
	Word w = need(r, what);
	char buf[LONGEST + 1], *end;
	double x;

	memcpy(buf, w.s, (size_t)w.len);
	buf[w.len] = 0;
	x = strtod(buf, &end);
	if (*end || strpbrk(buf, "xX") || !(x >= 0 && x <= 1e100))
		FAIL(r, "%s should be a number from 0 to 1e100, not '%.*s'", what, W(w));
	return x;
}

static uint64_t
natural(Reader *r, const char *what)
{
	Word w = need(r, what);
	uint64_t n = 0;
	int i;

	for (i = 0; i < w.len; i++) {
		if (w.s[i] < '0' || w.s[i] > '9')
			FAIL(r, "%s should be a whole number, not '%.*s'", what, W(w));
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, w.s[i] - '0', &n)
		    || n > INT64_MAX)
			FAIL(r, "%s is too large: %.*s", what, W(w));
	}
	return n;
}

static Stated *
statedof(Reader *r, int b)
{
	apush(r->run, r->block, b, r->capblock);
	apush(r->run, r->gf->call, b, r->capcall);
	r->gf->call[b] = false;
	return &r->block[b];
}

/* checkname - fail unless w may name a block or an edge. */
static void
checkname(Reader *r, Word w)
{
	if (w.len == 2 && memcmp(w.s, "->", 2) == 0)
		FAIL(r, "a name should stand before '->'");
	if ((w.len == 1 && strchr(":*|", *w.s)) || (w.len == 3 && memcmp(w.s, "...", 3) == 0))
		FAIL(r, "'%.*s' is not a name", W(w));
}

/* block - the block with that name; makes it if it is new. */
static int
block(Reader *r, Word w)
{
	Entry *e = lookup(&r->names, w.s, (size_t)w.len);
	int b;

	if (e && e->value < 0)
		FAIL(r, "'%.*s' is an edge, not a block", W(w));
	if (e)
		return e->value;
	checkname(r, w);
	if (r->g->nblock == MAXBLOCK)
		FAIL(r, "more than %d blocks", MAXBLOCK);
	b = addblock(r->g);
	e = intern(&r->names, w.s, (size_t)w.len, b);
	*statedof(r, b) = (Stated){.name = e->key};
	return b;
}

/* once - note that a property was given; fail if it was given before. */
static void
once(Reader *r, bool *said, const char *what)
{
	if (*said)
		FAIL(r, "%s is given twice", what);
	*said = true;
}

/* property - read a property that blocks and edges have in common; returns whether there is one. */
static bool
property(Reader *r, Stated *m, double *cost, bool *pinned)
{
	if (accept(r, "pin")) {
		once(r, pinned, "pin");
	} else if (accept(r, "cost")) {
		once(r, &m->costs, "cost");
		*cost = real(r, "a cost");
	} else if (accept(r, "counter")) {
		once(r, &m->counter, "counter");
		r->gf->ncounter++;
	} else if (accept(r, "count")) {
		once(r, &m->counted, "count");
		r->gf->ncount++;
		m->count = natural(r, "a count");
	} else {
		return false;
	}
	if (m->counter && *pinned)
		FAIL(r, "a pinned place cannot carry a counter");
	return true;
}

static void
blockline(Reader *r)
{
	int b = block(r, need(r, "a block's name"));

	if (b < FIRST)
		FAIL(r, "entry and exit have no code and no properties");
	while (r->word.len) {
		Block *bl = &r->g->block[b];

		if (accept(r, "cold")) {
			bl->cold = true;
		} else if (accept(r, "call")) {
			once(r, &r->gf->call[b], "call");
			r->gf->ncall++;
		} else if (!property(r, &r->block[b], &bl->cost, &bl->pinned)) {
			FAIL(r, "'%.*s' is not a property of blocks", W(r->word));
		}
	}
}

static void
nameedge(Reader *r, Word name, int e)
{
	size_t n = r->names.n;
	Entry *en;

	checkname(r, name);
	en = intern(&r->names, name.s, (size_t)name.len, -1 - e);
	if (r->names.n == n)
		FAIL(r, "the name '%.*s' is taken", W(name));
	r->edge[e].name = en->key;
}

static void
edgeline(Reader *r, Word first)
{
	Word name = {0};
	int src, dst, e;

	if (accept(r, ":")) {
		name = first;
		first = need(r, "a block's name");
	}
	src = block(r, first);
	if (!accept(r, "->"))
		FAIL(r, "'->' should follow '%.*s'", W(first));
	dst = block(r, need(r, "a block's name"));
	if (src == EXIT)
		FAIL(r, "nothing leaves exit; the edge to entry is implied");
	if (dst == ENTRY)
		FAIL(r, "nothing but exit leads to entry");
	if (r->g->nedge >= MAXEDGE - r->g->nblock)
		FAIL(r, "more than %d edges", r->g->nedge);
	e = addedge(r->g, src, dst);
	apush(r->run, r->edge, e, r->capedge);
	r->edge[e] = (Stated){.line = r->line};
	if (name.len)
		nameedge(r, name, e);
	while (r->word.len) {
		Edge *ed = &r->g->edge[e];

		if (accept(r, "weight")) {
			once(r, &r->edge[e].weighted, "weight");
			r->gf->nweight++;
			ed->weight = real(r, "a weight");
		} else if (accept(r, "likely")) {
			ed->odds = LIKELY_ODDS;
		} else if (accept(r, "unlikely")) {
			ed->odds = 1 / LIKELY_ODDS;
		} else if (accept(r, "odds")) {
			ed->odds = real(r, "odds");
			if (ed->odds < 1e-100)
				FAIL(r, "odds should be at least 1e-100");
		} else if (!property(r, &r->edge[e], &ed->cost, &ed->pinned)) {
			FAIL(r, "'%.*s' is not a property of edges", W(r->word));
		}
	}
}

static void
add(Reader *r, uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum) || *sum > INT64_MAX)
		FAIL(r, "the counts grow too large");
}

static int
knownblock(Reader *r, Word w)
{
	Entry *e = lookup(&r->names, w.s, (size_t)w.len);

	if (!e)
		FAIL(r, "there is no block '%.*s'", W(w));
	return block(r, w);
}

/* A key in the table of steps. */
typedef struct Pair {
	int src, dst;
} Pair;

enum { SEVERAL = -2 }; /* value of a pair with parallel edges */

/* indexsteps - make the table of steps. */
static void
indexsteps(Reader *r)
{
	const Graph *g = r->g;
	int e;

	for (e = CLOSING + 1; e < g->nedge; e++) {
		Pair pair = {g->edge[e].src, g->edge[e].dst};
		Entry *en;

		if (g->edge[e].never)
			continue;
		en = intern(&r->steps, (char *)&pair, sizeof pair, e);
		if (en->value != e)
			en->value = SEVERAL;
	}
}

/* step - the edge that a walk takes from src to dst: the named one, or the only one. */
static int
step(Reader *r, int src, int dst, const Entry *via)
{
	Pair pair = {src, dst};
	const char *from = r->block[src].name, *to = r->block[dst].name;
	const Edge *ed = via ? &r->g->edge[-1 - via->value] : NULL;
	const Entry *en;

	if (ed && (ed->src != src || ed->dst != dst))
		FAIL(r, "edge '%s' does not lead from %s to %s", via->key, from, to);
	if (ed)
		return -1 - via->value;
	en = lookup(&r->steps, (char *)&pair, sizeof pair);
	if (!en)
		FAIL(r, "there is no edge %s -> %s", from, to);
	if (en->value == SEVERAL)
		FAIL(r, "there are several edges %s -> %s: name the one that is taken", from, to);
	return en->value;
}

static void
passblock(Reader *r, int b, uint64_t times)
{
	add(r, &r->block[b].count, times);
}

/* passedge - the last walk takes edge e. */
static void
passedge(Reader *r, int e, uint64_t times)
{
	Path *path = &r->gf->walk[r->gf->nwalk - 1];

	add(r, &r->edge[e].count, times);
	apush(r->run, path->edge, path->nedge, path->capedge);
	path->edge[path->nedge++] = e;
}

/* cutmark - whether the current word is a cut in a walk: `...' after the block's counter, `|'
 * before it. */
static bool
cutmark(const Reader *r)
{
	return is(r, "...") || is(r, "|");
}

static Cut *
newcut(Reader *r, int b, bool before)
{
	Graphfile *gf = r->gf;

	if (b < FIRST)
		FAIL(r, "no frame is cut at %s", r->block[b].name);
	apush(r->run, gf->cut, gf->ncut, r->capcut);
	gf->cut[gf->ncut] = (Cut){.where = before ? head(b) : tail(b)};
	return &gf->cut[gf->ncut++];
}

/* walkstart - the block where a walk begins: entry, or the block after a cut. */
static int
walkstart(Reader *r, uint64_t times)
{
	bool before = is(r, "|");
	int b;

	if (!cutmark(r)) {
		passblock(r, ENTRY, times);
		return ENTRY;
	}
	advance(r);
	b = knownblock(r, need(r, "a block"));
	newcut(r, b, before)->entered = times;
	if (!before && is(r, "|"))
		FAIL(r, "a frame entered after a counter cannot be left before it");
	if (before && !is(r, "|"))
		passblock(r, b, times);
	return b;
}

/* walkline - read a walk, and count what it passes. */
static void
walkline(Reader *r)
{
	Path *path;
	uint64_t times;
	int at;

	if (r->gf->ncount || (!r->gf->nwalk && r->gf->ncut))
		FAIL(r, "a file gives walks, or counts and cuts, not both");
	apush(r->run, r->gf->walk, r->gf->nwalk, r->capwalk);
	path = &r->gf->walk[r->gf->nwalk++];
	*path = (Path){.late = cutmark(r), .end = EXIT};
	times = accept(r, "*") ? natural(r, "the number of walks") : 1;
	at = walkstart(r, times);
	while (r->word.len && !cutmark(r)) {
		Entry *via = lookup(&r->names, r->word.s, (size_t)r->word.len);
		int b;

		if (via && via->value < 0)
			advance(r);
		else
			via = NULL;
		b = knownblock(r, need(r, "a block"));
		passedge(r, step(r, at, b, via), times);
		if (!is(r, "|"))
			passblock(r, b, times);
		at = b;
	}
	if (r->word.len) {
		path->end = at;
		path->before = is(r, "|");
		newcut(r, at, path->before)->left = times;
		advance(r);
	} else if (at != EXIT) {
		passedge(r, step(r, at, EXIT, NULL), times);
		passblock(r, EXIT, times);
	}
	add(r, &r->edge[CLOSING].count, times);
}

/* cutline - read frames left or entered, in a file that gives counts. */
static void
cutline(Reader *r, bool left)
{
	int b = knownblock(r, need(r, "a block"));
	uint64_t frames = natural(r, "the number of frames");
	Cut *cut;

	if (r->gf->nwalk)
		FAIL(r, "a file gives walks, or counts and cuts, not both");
	cut = newcut(r, b, false);
	*(left ? &cut->left : &cut->entered) = frames;
}

static void
leftline(Reader *r)
{
	cutline(r, true);
}

static void
enteredline(Reader *r)
{
	cutline(r, false);
}

/* Lines that begin with a keyword, and the round in which they are read. */
static const struct {
	const char *word;
	int round;
	void (*read)(Reader *);
} form[] = {
	{"block", 1, blockline},
	{"walk", 2, walkline},
	{"left", 2, leftline},
	{"entered", 2, enteredline},
};

static void
readline(Reader *r, int round)
{
	Word first;
	size_t i;

	advance(r);
	first = r->word;
	if (!first.len)
		return;
	advance(r);
	for (i = 0; i < sizeof form / sizeof *form && !is(r, "->") && !is(r, ":"); i++) {
		if ((int)strlen(form[i].word) != first.len
		    || memcmp(form[i].word, first.s, (size_t)first.len) != 0)
			continue;
		if (form[i].round == round) {
			form[i].read(r);
			lineend(r);
		}
		return;
	}
	if (round == 1) {
		edgeline(r, first);
		lineend(r);
	}
}

static void
readlines(Reader *r, const char *text, int round)
{
	r->s = text;
	for (r->line = 1;; r->line++) {
		readline(r, round);
		while (r->s < r->end && *r->s != '\n')
			r->s++;
		if (r->s == r->end || ++r->s == r->end)
			return;
	}
}

/* weights - fail unless all edges have weights, or none; work out that of the closing edge. */
static void
weights(Reader *r)
{
	Graph *g = r->g;
	int e;

	if (!r->gf->nweight)
		return;
	for (e = CLOSING + 1; e < g->nedge; e++) {
		if (!r->edge[e].weighted && !g->edge[e].never) {
			r->line = r->edge[e].line;
			FAIL(r, "%s -> %s has no weight, and other edges have",
			     r->block[g->edge[e].src].name, r->block[g->edge[e].dst].name);
		}
		if (g->edge[e].src == ENTRY)
			g->edge[CLOSING].weight += g->edge[e].weight;
	}
}

Graphfile *
readgraph(const char *path, Arena *run)
{
	Graphfile *gf = anew(run, Graphfile, 1);
	Graph *g = newgraph(run);
	Reader r = {.gf = gf, .g = g, .run = run, .names = {.arena = run}, .steps = {.arena = run}};
	Arena tmp = {0};
	size_t len;
	char *text = readfile(run, path, &len);

	gf->path = path;
	gf->g = g;
	r.end = text + len;
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		text += 3; /* a byte order mark */
	statedof(&r, ENTRY)->name = intern(&r.names, "entry", 5, ENTRY)->key;
	statedof(&r, EXIT)->name = intern(&r.names, "exit", 4, EXIT)->key;
	apush(run, r.edge, CLOSING, r.capedge);

	readlines(&r, text, 1);
	closeflow(g, &tmp);
	if (g->outat[ENTRY] == g->outat[ENTRY + 1] || g->edge[g->out[g->outat[ENTRY]].edge].never)
		FAIL(&r, "no edge leads out of entry");
	r.edge = agrow(run, r.edge, (size_t)g->nedge, &r.capedge, sizeof *r.edge);
	indexsteps(&r);
	readlines(&r, text, 2);
	weights(&r);

	gf->stated = anew(run, Stated, nplace(g));
	memcpy(gf->stated, r.block, (size_t)g->nblock * sizeof(Stated));
	memcpy(gf->stated + g->nblock, r.edge, (size_t)g->nedge * sizeof(Stated));
	areset(&tmp);
	return gf;
}
