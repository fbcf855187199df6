/* diff.c - what ran more or less; and how much of a patch of the sources ran. */

#include "diff.h"
#include "cover.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const changename[] = {"same", "more", "less", "newly", "no longer"};

/* shortpath - relative to the current directory, if it is below. */
static const char *
shortpath(const char *path, Arena *run)
{
	char *here = getcwd(NULL, 0);
	size_t n = here ? strlen(here) : 0;
	const char *s = path;

	if (n > 1 && strncmp(path, here, n) == 0 && path[n] == '/')
		s = astrndup(run, path + n + 1, strlen(path + n + 1));
	free(here);
	return s;
}

/* side - a count, or -. */
static void
side(Grid *grid, const Side *s)
{
	if (s->there)
		cell(grid, "%s%" PRIu64, s->sure ? "" : "~", s->count);
	else
		cell(grid, "-");
}

/* number - of a line, or -. */
static void
number(Grid *grid, bool there, uint32_t line)
{
	if (there)
		cell(grid, "%u", line);
	else
		cell(grid, "-");
}

static void
files(const Report *r, const Comparison *c)
{
	static const char *const title[] = {"more", "less", "newly", "no longer",
					    "same", "file", NULL};
	static const Change order[] = {MORE, LESS, NEWLY, NOLONGER, SAMEAS};
	Grid grid = {.arena = r->run, .ncol = 6, .left = 5};
	int i;
	size_t k;

	titles(&grid, title);
	for (i = 0; i < c->nfile; i++) {
		const Delta *d = &c->file[i];

		if (!d->lines[MORE] && !d->lines[LESS] && !d->lines[NEWLY] && !d->lines[NOLONGER])
			continue;
		for (k = 0; k < sizeof order / sizeof *order; k++)
			cell(&grid, "%d", d->lines[order[k]]);
		cell(&grid, "%s", shortpath(d->file, r->run));
	}
	table(r, &grid, "by", "file");
}

static void
fns(const Report *r, const Comparison *c)
{
	static const char *const title[] = {"old", "new", "change", "function", "file", NULL};
	Grid grid = {.arena = r->run, .ncol = 5, .left = 2, .more = 2};
	int i;

	titles(&grid, title);
	for (i = 0; i < c->nfn; i++) {
		const Delta *d = &c->fn[i];

		side(&grid, &d->old);
		side(&grid, &d->new);
		cell(&grid, "%s", changename[d->change]);
		cell(&grid, "%s", d->text);
		cell(&grid, "%s", shortpath(d->file, r->run));
	}
	table(r, &grid, "by", "function");
}

static void
lines(const Report *r, const Comparison *c)
{
	static const char *const plain[] = {"old", "new", "change", "line", "text", NULL};
	static const char *const exact[] = {"old",    "new",  "old line", "line",
					    "change", "file", "text",     NULL};
	bool json = r->rows && !r->rows->html;
	Grid grid = {.arena = r->run, .ncol = json ? 7 : 5, .left = json ? 4 : 2, .more = 2};
	int i;

	titles(&grid, json ? exact : plain);
	for (i = 0; i < c->nline; i++) {
		const Delta *d = &c->line[i];

		side(&grid, &d->old);
		side(&grid, &d->new);
		if (json) {
			number(&grid, d->old.there, d->old.line);
			number(&grid, d->new.there, d->new.line);
			cell(&grid, "%s", changename[d->change]);
			cell(&grid, "%s", shortpath(d->file, r->run));
		} else {
			cell(&grid, "%s", changename[d->change]);
			cell(&grid, "%s:%u:%s", shortpath(d->file, r->run),
			     d->new.there ? d->new.line : d->old.line,
			     d->new.there ? "" : " (old)");
		}
		cell(&grid, "%s", d->text);
	}
	table(r, &grid, "by", "line");
}

void
diff(const Report *r, const Comparison *c, Diffby by)
{
	bool all = by == BYALL, blank = all && !r->rows;

	if (all || by == BYFILE)
		files(r, c);
	if (blank)
		fputc('\n', r->f);
	if (all || by == BYFUNCTION)
		fns(r, c);
	if (blank)
		fputc('\n', r->f);
	if (all || by == BYLINE)
		lines(r, c);
}

/* isend - whether a path ends with another, in whole parts. */
static bool
isend(const char *path, const char *end)
{
	size_t n = strlen(path), k = strlen(end);

	return n >= k && strcmp(path + n - k, end) == 0 && (n == k || path[n - k - 1] == '/');
}

typedef struct Candidate Candidate;

/* A source that a patch may refer to. */
struct Candidate {
	const Covered *source;
	const char *path, *file; /* of the source, without `.' and `..' */
	bool there;
	dev_t dev;
	ino_t ino;
};

static Candidate *
candidates(const Cover *c, Arena *run)
{
	Candidate *candidate = anew(run, Candidate, c->n);
	struct stat st;
	int i;

	for (i = 0; i < c->n; i++) {
		candidate[i] = (Candidate){.source = &c->source[i],
					   .path = simplepath(c->source[i].path, run),
					   .file = simplepath(c->source[i].file, run)};
		if (stat(c->source[i].path, &st) != 0)
			continue;
		candidate[i].there = true;
		candidate[i].dev = st.st_dev;
		candidate[i].ino = st.st_ino;
	}
	return candidate;
}

/* patched - the source that a patch refers to: by its whole path if git gives one, else by as many
 * last parts as any source has.  NULL if there is none among those counted. */
static const Covered *
patched(const Candidate *candidate, int n, const Patched *f, const char *top, Arena *run)
{
	const Covered *found = NULL;
	const char *name = f->name;
	Buf whole = {.arena = run};
	struct stat st;
	int i;

	bprintf(&whole, "%s/%s", top ? top : "", name);
	for (i = top && stat(whole.s, &st) == 0 ? 0 : n; i < n; i++)
		if (candidate[i].there && candidate[i].dev == st.st_dev
		    && candidate[i].ino == st.st_ino)
			return candidate[i].source;
	for (; name && !found; name = f->git || !strchr(name, '/') ? NULL : strchr(name, '/') + 1) {
		while (strncmp(name, "./", 2) == 0)
			name += 2;
		for (i = 0; i < n; i++) {
			if (!isend(candidate[i].path, name) && !isend(candidate[i].file, name))
				continue;
			if (found) {
				remark("%s: may be %s or %s: using the former", name, found->path,
				       candidate[i].source->path);
				break;
			}
			found = candidate[i].source;
		}
	}
	return found;
}

static int
byline(const void *a, const void *b)
{
	const Line *l = b;
	uint32_t line = *(const uint32_t *)a;

	return line < l->line ? -1 : line > l->line;
}

typedef struct Changed Changed;

/* What is known of the lines that a patch adds to a file. */
struct Changed {
	const char *path;
	int n, ran;
};

/* putrange - lines that did not run. */
static void
putrange(const Report *r, Grid *grid, const char *path, uint32_t first, uint32_t last, bool sure)
{
	const char *doubt = sure ? "" : ", as far as line tables tell";

	cell(grid, "%u", first);
	cell(grid, "%u", last);
	cell(grid, "%s", path);
	if (r->rows)
		return;
	if (first == last)
		fprintf(r->f, "%s:%u: this line of the change never ran%s\n", path, first, doubt);
	else
		fprintf(r->f, "%s:%u: lines %u to %u of the change never ran%s\n", path, first,
			first, last, doubt);
}

typedef struct Numbers Numbers;

/* The lines that a patch adds to a file, by the numbers that compilers use: to a patch, only a line
 * feed ends a line. */
struct Numbers {
	uint32_t *line;
	int n;
	size_t cap;
	bool other; /* the file has different lines there */
};

/* firstfed - index of the first line that a patch would give this number. */
static int
firstfed(const Textfile *t, uint32_t feed)
{
	int low = 0, high = t->n;

	while (low < high) {
		int mid = low + (high - low) / 2;

		if (t->feed[mid] < feed)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* addnumbers - the numbers of one line of a patch. */
static void
addnumbers(Numbers *v, const Added *a, const Textfile *t, const char *path, Arena *run)
{
	size_t len = strlen(a->text);
	Textfile own = splittext(path, astrndup(run, a->text, len), len, run);
	int at = firstfed(t, a->line), i;

	for (i = 0; at + i < t->n && t->feed[at + i] == a->line; i++) {
		const char *text = i < own.n ? own.line[i] : "";

		apush(run, v->line, v->n, v->cap);
		v->line[v->n++] = (uint32_t)(at + i) + 1;
		v->other |= strcmp(t->line[at + i], text) != 0;
	}
	v->other |= own.n > i;
	if (i > 0)
		return;
	apush(run, v->line, v->n, v->cap);
	v->line[v->n++] = a->line;
	v->other = true;
}

static Numbers
numbersof(const Patched *f, const Textfile *t, const char *path, Arena *run)
{
	Numbers v = {0};
	int i;

	for (i = 0; i < f->n; i++)
		addnumbers(&v, &f->line[i], t, path, run);
	v.other &= t->there;
	return v;
}

/* ranges - show those added lines of a file that have code and did not run.  Lines without code do
 * not split a range if they are added, too. */
static Changed
ranges(const Report *r, Grid *grid, const Patched *f, const Covered *s)
{
	Changed out = {.path = shortpath(s->path, r->run)};
	Textfile text = readtext(s->path, r->run);
	Numbers added = numbersof(f, &text, s->path, r->run);
	uint32_t first = 0, last = 0, before = 0;
	bool sure = true;
	int i;

	for (i = 0; i < added.n; i++) {
		uint32_t at = added.line[i];
		const Line *l = bsearch(&at, s->line, (size_t)s->nline, sizeof *s->line, byline);

		if (l && mayhaverun(l))
			l = NULL;
		if (first && (at != before + 1 || (l && l->count))) {
			putrange(r, grid, out.path, first, last, sure);
			first = 0;
		}
		before = at;
		out.n += l != NULL;
		out.ran += l && l->count;
		if (!l || l->count)
			continue;
		sure = (first ? sure : true) & l->sure;
		first = first ? first : at;
		last = at;
	}
	if (first)
		putrange(r, grid, out.path, first, last, sure);
	if (added.other)
		remark("%s: differs from the result of the change: line numbers may not match",
		       out.path);
	return out;
}

Patchsum
patchcover(const Report *r, const Patch *patch, const char *top)
{
	static const char *const rangetitle[] = {"line", "end", "file", NULL};
	static const char *const filetitle[] = {"lines", "ran", "percent", "file", NULL};
	Grid range = {.arena = r->run, .ncol = 3, .left = 2};
	Grid file = {.arena = r->run, .ncol = 4, .left = 3};
	Cover c = cover(r);
	const Candidate *candidate = candidates(&c, r->run);
	Patchsum sum = {0};
	const char *missing = NULL;
	int i, nmissing = 0;

	titles(&range, rangetitle);
	titles(&file, filetitle);
	for (i = 0; i < patch->n; i++) {
		const Patched *f = &patch->file[i];
		const Covered *s = f->n ? patched(candidate, c.n, f, top, r->run) : NULL;
		Changed x;

		if (f->n && !s && !nmissing++)
			missing = f->name;
		if (!s)
			continue;
		x = ranges(r, &range, f, s);
		sum.n += x.n;
		sum.ran += x.ran;
		if (!x.n)
			continue;
		cell(&file, "%d", x.n);
		cell(&file, "%d", x.ran);
		cell(&file, "%.1f%%", 100.0 * x.ran / x.n);
		cell(&file, "%s", x.path);
	}
	if (r->rows)
		table(r, &range, "by", "range");
	if (file.n > file.ncol)
		table(r, &file, "by", "file");
	if (nmissing == 1)
		remark("%s: is in the change, but in no counted program", missing);
	else if (nmissing)
		remark("%s and %d more files are in the change, but in no counted program", missing,
		       nmissing - 1);
	return sum;
}
