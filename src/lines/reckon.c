/* reckon.c - what line tables say of lines, corrected by the shape of the source.
 *
 * Compilers drop rows, and they move and join code so that other rows count too much.  But the
 * lines of a source depend on each other:
 *
 *        a();                 runs as often as the block that it is in: B1
 *        if (x)               likewise
 *                b();         B2
 *        else
 *                c();         B3, and B1 - B2 - B3 = 0
 *
 * The C road says how (road/c/shape.c): each part of a line ran as often as a sum of blocks, and an
 * equation is a sum that is 0.  If line tables give counts for a() and b() and none for c(), it
 * gets the difference.
 *
 *   - Each line votes for the value of its sum, with more weight if its count is sure.  A line with
 *     several sums votes for the first of them, with the least weight.  The count with the most
 *     votes becomes the value of the sum; if several have as many, the one voted for first.
 *   - A block that is a sum by itself gets the value of that.  Others follow from sums in which
 *     they are the only unknown.
 *   - If an equation does not hold, its block with the fewest votes is changed.  The votes for a
 *     sum of several blocks are overruled if each of these has more.
 *   - If an equation still cannot hold, its blocks are in doubt, and so are those that share an
 *     equation with one of them.
 *   - A line without a count gets that of its largest sum.  So does a line that was voted down,
 *     unless the count would fall and a sum on the line is unknown.  These counts are unsure, and
 *     so are counts that were voted down but stay, and those of lines with a block that is in doubt
 *     or unknown.  But lines of a function that never ran are 0 for sure.
 *
 * Calls are taken to return.  Where one does not, the votes of lines after it outweigh the
 * equations.
 *
 * If the source itself gives the counts, it has none for what follows the last call of a function.
 * Such lines come from the shape, too: for sure if all calls of the run returned; not at all in
 * functions that were left early. */

#include "spots.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct Factor Factor;
typedef struct Sum Sum;
typedef struct Part Part;
typedef struct Vote Vote;
typedef struct Reckon Reckon;

enum { SURE = 3, UNSURE = 2, SEVERAL = 1 }; /* weights of votes */

struct Factor {
	int block;
	int times;
};

struct Sum {
	Factor *factor; /* by block */
	int n;
	int unknown;    /* blocks in it that are not known */
	bool told;      /* its value is known: it has votes or is an equation */
	uint64_t value; /* valid if told */
	int weight;     /* of the votes for that value; 0 for an equation */
	int order;      /* of the first of these votes */
	bool firm;      /* all votes are for this value and sure */
	bool exact;     /* and all come from the source, not line tables */
	bool vouched;   /* one vote is sure, and no copies of its line are missing */
};

/* A part of a line. */
struct Part {
	const char *file; /* one pointer for each name */
	uint32_t line;
	int sum;
	int entry;  /* the first block of its function */
	bool told;  /* the source gives counts of its text */
	bool named; /* its function was chosen by its name */
	int order;  /* in the text */
};

struct Vote {
	int sum;
	uint64_t count;
	int weight;
	int order; /* in the text */
	bool firm, exact, vouches;
};

struct Reckon {
	Arena *run;
	Table files; /* of file[] */
	const char **file;
	int nfile;
	size_t capfile;
	Table blocks; /* positions to numbers */
	int nblock;
	int *number; /* of the blocks of the text at work on */
	Table sums;  /* factors to numbers */
	Sum *sum;
	int nsum;
	size_t capsum;
	Part *part;
	int npart;
	size_t cappart;
	Factor *factor; /* of the sum under construction */
	size_t capfactor;
	int *in, *inat;  /* by block: sums with it, in[inat[b]] to in[inat[b + 1]] */
	bool *known;     /* by block */
	uint64_t *value; /* of one that is known */
	bool *exact;    /* by block: its value follows from counts of the source, if calls return */
	bool *left;     /* by block: the function that it begins was left early */
	bool *doubtful; /* by block: equations contradict it */
};

/* filename - one pointer for each name of a file: the one that lines have, if any do. */
static const char *
filename(Reckon *k, const char *file)
{
	Entry *e = intern(&k->files, file, strlen(file), k->nfile);

	if (e->value == k->nfile) {
		apush(k->run, k->file, k->nfile, k->capfile);
		k->file[k->nfile++] = file;
	}
	return k->file[e->value];
}

/* number - numbers the blocks of a text, in k->number.  Blocks that other texts have, too (a
 * header's), get one number: lines add up all of them. */
static void
number(Reckon *k, const Srctext *x, const char *const *file)
{
	struct {
		const char *file;
		uint32_t line, column, kind, zero;
	} key = {.zero = 0};
	uint32_t i;

	k->number = anew(k->run, int, x->nblock + 1);
	for (i = 0; i < x->nblock; i++) {
		const Srcblock *b = &x->block[i];

		key.file = file[b->file];
		key.line = b->line;
		key.column = b->column;
		key.kind = b->kind;
		k->number[i] = intern(&k->blocks, (char *)&key, sizeof key, k->nblock)->value;
		k->nblock += k->number[i] == k->nblock;
	}
}

static int
byblock(const void *a, const void *b)
{
	const Factor *x = a, *y = b;

	return x->block < y->block ? -1 : x->block > y->block;
}

/* factors - the terms of a piece as factors, in k->factor; returns how many. */
static int
factors(Reckon *k, const Srctext *x, const Srcpiece *p)
{
	uint32_t i;
	int n = 0, m = 0, j;

	for (i = p->term; i < p->term + p->nterm; i++) {
		apush(k->run, k->factor, n, k->capfactor);
		k->factor[n++] = (Factor){k->number[x->term[i].block], x->term[i].minus ? -1 : 1};
	}
	if (n)
		qsort(k->factor, (size_t)n, sizeof *k->factor, byblock);
	for (i = 0; i < (uint32_t)n; i = (uint32_t)j) {
		Factor f = {k->factor[i].block, 0};

		for (j = (int)i; j < n && k->factor[j].block == f.block; j++)
			f.times += k->factor[j].times;
		if (f.times)
			k->factor[m++] = f;
	}
	return m;
}

/* sumof - the number of a piece's sum; NONE if its terms cancel out. */
static int
sumof(Reckon *k, const Srctext *x, const Srcpiece *p)
{
	int n = factors(k, x, p);
	Entry *e;

	if (!n)
		return NONE;
	e = intern(&k->sums, (char *)k->factor, (size_t)n * sizeof *k->factor, k->nsum);
	if (e->value == k->nsum) {
		apush(k->run, k->sum, k->nsum, k->capsum);
		k->sum[k->nsum] = (Sum){.factor = anew(k->run, Factor, n), .n = n, .unknown = n};
		memcpy(k->sum[k->nsum++].factor, k->factor, (size_t)n * sizeof *k->factor);
	}
	return e->value;
}

/* gather - takes the parts and equations from a text. */
static void
gather(Reckon *k, const Choice *of, const Module *m, const Srctext *x)
{
	const char **file = anew(k->run, const char *, x->nfile + 1);
	uint32_t *first = anew(k->run, uint32_t, x->nfn + 1), i; /* first blocks, by function */
	bool told = false;
	int j;

	for (i = 0; i < x->nfile; i++)
		file[i] = filename(k, x->file[i]);
	number(k, x, file);
	for (j = 0; j < m->ntext; j++)
		told |= m->text[j].id == x->id;
	for (i = x->nblock; i-- > 0;)
		first[x->block[i].fn] = i;
	for (i = 0; i < x->npiece; i++) {
		const Srcpiece *p = &x->piece[i];
		int sum = sumof(k, x, p);
		uint32_t fn;

		if (sum == NONE)
			continue;
		if (p->line == 0) {
			k->sum[sum].told = true;
			continue;
		}
		fn = x->block[x->term[p->term].block].fn;
		apush(k->run, k->part, k->npart, k->cappart);
		k->part[k->npart] = (Part){
			.file = file[p->file],
			.line = p->line,
			.sum = sum,
			.entry = k->number[first[fn]],
			.told = told,
			.named = chosentext(of, x->fn[fn]),
			.order = k->npart,
		};
		k->npart++;
	}
}

static int
byline(const void *a, const void *b)
{
	const Part *x = a, *y = b;
	int c = x->file == y->file ? 0 : strcmp(x->file, y->file);

	if (c)
		return c;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* nextline - the first part after those of a line. */
static const Part *
nextline(const Reckon *k, const Part *p)
{
	const Part *x = p;

	while (x < k->part + k->npart && x->file == p->file && x->line == p->line)
		x++;
	return x;
}

/* seek - the first line from i on that is not before a part; *found says whether it is that of the
 * part. */
static int
seek(const Lines *lines, int i, const Part *p, bool *found)
{
	int c = 1;

	for (; i < lines->n; i++) {
		const Line *l = &lines->line[i];

		c = l->file == p->file ? 0 : strcmp(l->file, p->file);
		if (c == 0)
			c = l->line < p->line ? -1 : l->line > p->line;
		if (c >= 0)
			break;
	}
	*found = i < lines->n && c == 0;
	return i;
}

static int
weight(const Line *l)
{
	return l->sure ? SURE : UNSURE;
}

static int
byvote(const void *a, const void *b)
{
	const Vote *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? -1 : 1;
	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* votes - collects the votes of all lines; returns how many. */
static int
votes(const Reckon *k, const Lines *lines, Vote *vote)
{
	const Part *p, *x, *next;
	int i = 0, n = 0;
	bool found;

	for (p = k->part; p < k->part + k->npart; p = next) {
		next = nextline(k, p);
		i = seek(lines, i, p, &found);
		if (!found || !lines->line[i].counted)
			continue;
		for (x = p; x < next && x->sum == p->sum; x++)
			;
		vote[n] = (Vote){.sum = p->sum,
				 .count = lines->line[i].count,
				 .weight = x == next ? weight(&lines->line[i]) : SEVERAL,
				 .order = n,
				 .firm = x == next && lines->line[i].sure};
		vote[n].exact = vote[n].firm && lines->line[i].told;
		vote[n].vouches = vote[n].firm && !lines->line[i].missed;
		n++;
	}
	return n;
}

/* elect - gives each sum the count with the most votes. */
static void
elect(Reckon *k, const Lines *lines)
{
	Vote *v = anew(k->run, Vote, k->npart);
	int n = votes(k, lines, v), i, j;

	if (n)
		qsort(v, (size_t)n, sizeof *v, byvote);
	for (i = 0; i < n; i = j) {
		Sum *s = &k->sum[v[i].sum];
		bool firm = s->weight == 0, exact = firm; /* no other count has votes */
		bool vouched = false;
		int w = 0;

		for (j = i; j < n && v[j].sum == v[i].sum && v[j].count == v[i].count; j++) {
			w += v[j].weight;
			firm &= v[j].firm;
			exact &= v[j].exact;
			vouched |= v[j].vouches;
		}
		s->firm = firm;
		s->exact = exact;
		if (w < s->weight || (w == s->weight && v[i].order > s->order))
			continue;
		s->told = true;
		s->value = v[i].count;
		s->vouched = vouched;
		s->weight = w;
		s->order = v[i].order;
	}
}

/* indexsums - makes the index of sums by block. */
static void
indexsums(Reckon *k)
{
	int i, j, n = 0;

	k->inat = anew(k->run, int, k->nblock + 2);
	for (i = 0; i < k->nsum; i++)
		for (j = 0; j < k->sum[i].n; j++, n++)
			k->inat[k->sum[i].factor[j].block + 2]++;
	for (i = 0; i < k->nblock; i++)
		k->inat[i + 2] += k->inat[i + 1];
	k->in = anew(k->run, int, n + 1);
	for (i = 0; i < k->nsum; i++)
		for (j = 0; j < k->sum[i].n; j++)
			k->in[k->inat[k->sum[i].factor[j].block + 1]++] = i;
}

static bool
isequation(const Sum *s)
{
	return s->told && !s->weight;
}

/* makes - the sum of the known blocks; it may be negative, modulo 2^64. */
static uint64_t
makes(const Reckon *k, const Sum *s)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < s->n; i++)
		if (k->known[s->factor[i].block])
			n += (uint64_t)s->factor[i].times * k->value[s->factor[i].block];
	return n;
}

/* isexact - returns whether the value of a sum is exact, and that of all its known blocks. */
static bool
isexact(const Reckon *k, const Sum *s)
{
	int i;

	for (i = 0; i < s->n; i++)
		if (k->known[s->factor[i].block] && !k->exact[s->factor[i].block])
			return false;
	return s->weight ? s->exact : isequation(s) || !s->unknown;
}

/* last - finds the value of the only unknown block of a sum; returns the block, or NONE if it
 * cannot be found. */
static int
last(Reckon *k, const Sum *s)
{
	int64_t value;
	int i = 0;

	if (!s->told || s->unknown != 1)
		return NONE;
	while (k->known[s->factor[i].block])
		i++;
	value = (int64_t)((s->value - makes(k, s)) * (uint64_t)s->factor[i].times);
	if (value < 0 || abs(s->factor[i].times) != 1)
		return NONE;
	k->value[s->factor[i].block] = (uint64_t)value;
	k->exact[s->factor[i].block] = isexact(k, s);
	return s->factor[i].block;
}

/* follow - finds the values of blocks: first of those that are a sum by themselves, then what
 * follows from these. */
static void
follow(Reckon *k)
{
	int *queue = anew(k->run, int, k->nsum + 1), n = 0, at, i, j;

	for (i = 0; i < k->nsum; i++)
		if (k->sum[i].n == 1)
			queue[n++] = i;
	for (at = 0; at < n; at++) {
		int b = last(k, &k->sum[queue[at]]);

		if (b == NONE)
			continue;
		k->known[b] = true;
		for (j = k->inat[b]; j < k->inat[b + 1]; j++)
			if (--k->sum[k->in[j]].unknown == 1)
				queue[n++] = k->in[j];
	}
}

/* alone - the sum that consists of one block; NULL if there is none.
 * votesfor - how many votes that has. */
static Sum *
alone(const Reckon *k, int block)
{
	int j;

	for (j = k->inat[block]; j < k->inat[block + 1]; j++)
		if (k->sum[k->in[j]].n == 1)
			return &k->sum[k->in[j]];
	return NULL;
}

static int
votesfor(const Reckon *k, int block)
{
	const Sum *s = alone(k, block);

	return s ? s->weight : 0;
}

/* amend - changes an equation that does not hold, at the block with the fewest votes, if it has any
 * and all others have more. */
static void
amend(Reckon *k, const Sum *s)
{
	int64_t value;
	int i, least = INT_MAX, next = INT_MAX;
	const Factor *worst = NULL;
	Sum *a;

	for (i = 0; i < s->n; i++) {
		int w = votesfor(k, s->factor[i].block);

		if (w < least) {
			next = least;
			least = w;
			worst = &s->factor[i];
		} else if (w < next) {
			next = w;
		}
	}
	value = (int64_t)(k->value[worst->block] - makes(k, s) * (uint64_t)worst->times);
	if (!least || least == next || value < 0)
		return;
	a = alone(k, worst->block);
	a->value = k->value[worst->block] = (uint64_t)value;
	a->weight = next;
	a->firm = a->exact = k->exact[worst->block] = false;
}

/* overrule - overrules the votes for a sum each of whose blocks has more. */
static void
overrule(Reckon *k, Sum *s)
{
	uint64_t value = makes(k, s);
	int i;

	for (i = 0; i < s->n; i++)
		if (votesfor(k, s->factor[i].block) <= s->weight)
			return;
	if (value <= INT64_MAX)
		s->value = value;
}

/* holds - returns whether an equation can hold, whatever its unknown blocks are: no count is
 * negative. */
static bool
holds(const Reckon *k, const Sum *s)
{
	int64_t made = (int64_t)makes(k, s);
	bool more = false, less = false; /* unknown blocks can add to it, or take from it */
	int i;

	for (i = 0; i < s->n; i++)
		if (!k->known[s->factor[i].block]) {
			more |= s->factor[i].times > 0;
			less |= s->factor[i].times < 0;
		}
	return made == 0 || (made > 0 ? less : more);
}

/* hasany - returns whether a sum has one of some blocks.
 * setall - adds all blocks of a sum to some. */
static bool
hasany(const Sum *s, const bool *block)
{
	int i;

	for (i = 0; i < s->n; i++)
		if (block[s->factor[i].block])
			return true;
	return false;
}

static void
setall(const Sum *s, bool *block)
{
	int i;

	for (i = 0; i < s->n; i++)
		block[s->factor[i].block] = true;
}

/* doubt - marks the blocks of equations that do not hold, for nobody knows which one is wrong; and
 * the blocks that share an equation with one of these, for they may make up for each other's
 * errors. */
static void
doubt(Reckon *k)
{
	bool *wrong = anew(k->run, bool, k->nblock + 1);
	int i;

	k->doubtful = anew(k->run, bool, k->nblock + 1);
	for (i = 0; i < k->nsum; i++)
		if (isequation(&k->sum[i]) && !holds(k, &k->sum[i]))
			setall(&k->sum[i], wrong);
	for (i = 0; i < k->nsum; i++)
		if (isequation(&k->sum[i]) && hasany(&k->sum[i], wrong))
			setall(&k->sum[i], k->doubtful);
}

typedef struct Found Found;

/* What the sums of a line say. */
struct Found {
	uint64_t count;
	int votes;     /* for that count */
	bool loop;     /* a sum of several blocks is unknown */
	bool exact;    /* all sums are exact */
	bool vouched;  /* a vote vouches for that count */
	bool doubtful; /* a sum is unknown, or others contradict it */
};

/* largest - finds the largest sum of a line, parts p to end; returns false if none is known. */
static bool
largest(const Reckon *k, const Part *p, const Part *end, Found *f)
{
	bool any = false;

	*f = (Found){.exact = true};
	for (; p < end; p++) {
		const Sum *s = &k->sum[p->sum];
		uint64_t n = s->weight ? s->value : makes(k, s);

		f->exact &= isexact(k, s);
		f->doubtful |= s->unknown || hasany(s, k->doubtful);
		if ((!s->weight && s->unknown) || n > INT64_MAX) {
			f->loop |= s->n > 1;
		} else if (!any || n >= f->count) {
			any = true;
			f->count = n;
			f->votes = s->weight;
			f->vouched = s->vouched && s->value == n;
		}
	}
	return any;
}

/* seemsidle - returns whether the function of a part was not seen to run.
 * isidle - whether it never ran for sure. */
static bool
seemsidle(const Reckon *k, const Part *p)
{
	const Sum *s = alone(k, p->entry);

	return s && s->weight && s->value == 0;
}

static bool
isidle(const Reckon *k, const Part *p)
{
	return seemsidle(k, p) && alone(k, p->entry)->firm;
}

/* amendline - corrects a line that has a count, if there are votes. */
static void
amendline(Line *l, const Found *f)
{
	if (l->told || l->plain)
		return;
	l->missed &= l->count != f->count || f->doubtful || !f->vouched;
	l->sure &= !f->doubtful;
	if (l->count == f->count)
		return;
	if (f->votes && !(f->loop && f->count < l->count))
		l->count = f->count;
	l->sure = false;
}

/* leftat - a frame was left on a line: notes the line's function. */
static void
leftat(Reckon *k, const Place *at)
{
	int low = 0, high = k->npart;

	while (low < high) {
		int mid = low + (high - low) / 2, c = strcmp(k->part[mid].file, at->file);

		if (c < 0 || (c == 0 && k->part[mid].line < at->line))
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < k->npart && k->part[low].line == at->line
	       && strcmp(k->part[low].file, at->file) == 0;
	     low++)
		k->left[k->part[low].entry] = true;
}

/* doubtfn - notes a function whose counts may be wrong, as if it had been left early. */
static void
doubtfn(Reckon *k, const Fn *fn)
{
	int i;

	for (i = 0; i < fn->code.nrow; i++)
		if (fn->code.row[i].line && fn->code.row[i].file < (uint32_t)fn->nfile)
			leftat(k, &(Place){.file = fn->file[fn->code.row[i].file],
					   .line = fn->code.row[i].line});
}

/* allreturn - returns whether every call returned: no frame was left early, and nothing hides
 * that. */
static bool
allreturn(Reckon *k, const Choice *of)
{
	const uint32_t doubt = PROFFORKED | PROFTHREADS | PROFMIDWAY | PROFLOST | PROFALIVE
			       | PROFLOSTCUTS | PROFGS | PROFEVICTED | PROFUNSEEN;
	bool all = true;
	int i, j;

	for (i = 0; i < of->nmodule; i++) {
		Module *m = &of->module[i];

		all &= !(m->flags & doubt) && (m->flags & PROFHASCUTS);
		for (j = 0; j < m->nfn; j++)
			if (m->fn[j].doubtful)
				doubtfn(k, &m->fn[j]);
		for (j = 0; j < NENDING; j++)
			all &= !m->endings[j] || j == ENDEXIT || j == ENDFAILED;
		for (j = 0; j < m->ncut; j++) {
			Place at;

			if (!placeof(m, &m->cut[j], k->run, &at))
				continue;
			all = false;
			if (at.line)
				leftat(k, &at);
		}
	}
	return all;
}

/* fill - finds the count of a line that has none, parts p to end; returns false if that is
 * impossible. */
static bool
fill(const Reckon *k, Line *l, const Part *p, const Part *end, bool allreturn)
{
	Found f = {.exact = true};

	if (!isidle(k, p)
	    && (!largest(k, p, end, &f) || (p->told && (!f.exact || k->left[p->entry])))
	    && (p->told || !seemsidle(k, p)))
		return false;
	l->counted = true;
	l->count = f.count;
	l->told = p->told;
	l->sure = (isidle(k, p) && !k->left[p->entry]) || (p->told && allreturn);
	return true;
}

/* merge - the lines, with those that have no row. */
static Lines
merge(const Reckon *k, Lines *lines, bool allreturn)
{
	Lines out = {.line = anew(k->run, Line, lines->n + k->npart)};
	const Part *p, *next;
	int i = 0, to;
	bool found;

	for (p = k->part; p < k->part + k->npart; p = next) {
		Line new = {.file = p->file, .line = p->line, .named = p->named};
		Found f;

		next = nextline(k, p);
		for (to = seek(lines, i, p, &found); i < to; i++)
			out.line[out.n++] = lines->line[i];
		if (found)
			lines->line[i].named |= p->named;
		if (found && lines->line[i].counted) {
			if (largest(k, p, next, &f)) {
				f.doubtful &= !isidle(k, p);
				amendline(&lines->line[i], &f);
			}
		} else if (fill(k, found ? &lines->line[i] : &new, p, next, allreturn) && !found) {
			out.line[out.n++] = new;
		}
	}
	for (; i < lines->n; i++)
		out.line[out.n++] = lines->line[i];
	return out;
}

void
reckon(const Choice *of, Lines *lines, Arena *run)
{
	Reckon k = {.run = run};
	int i, j;

	k.files.arena = k.blocks.arena = k.sums.arena = run;
	for (i = 0; i < lines->n; i++)
		if (i == 0 || lines->line[i].file != lines->line[i - 1].file)
			filename(&k, lines->line[i].file);
	for (i = 0; i < of->nmodule; i++)
		for (j = 0; j < of->module[i].nshape; j++)
			gather(&k, of, &of->module[i], &of->module[i].shape[j]);
	if (!k.npart)
		return;
	qsort(k.part, (size_t)k.npart, sizeof *k.part, byline);
	k.known = anew(run, bool, k.nblock + 1);
	k.value = anew(run, uint64_t, k.nblock + 1);
	k.exact = anew(run, bool, k.nblock + 1);
	k.left = anew(run, bool, k.nblock + 1);
	elect(&k, lines);
	indexsums(&k);
	follow(&k);
	for (i = 0; i < k.nsum; i++)
		if (isequation(&k.sum[i]) && !k.sum[i].unknown && makes(&k, &k.sum[i]) != 0)
			amend(&k, &k.sum[i]);
	for (i = 0; i < k.nsum; i++)
		if (!isequation(&k.sum[i]) && !k.sum[i].unknown && k.sum[i].n > 1)
			overrule(&k, &k.sum[i]);
	doubt(&k);
	*lines = merge(&k, lines, allreturn(&k, of));
}
