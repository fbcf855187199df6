/* delta.c - two programs, or two builds or runs of one: what of their sources ran more or less.
 *
 * Files are matched by path, or else by the last parts of their paths; functions by name; lines by
 * a diff of the two texts, or by number if one of the texts is missing. */

#include "cover.h"
#include "diff.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Pair Pair;

/* A file of both sides; NULL where it is missing. */
struct Pair {
	const Covered *old, *new;
	const char *path; /* that of new, or else of old */
	Textfile oldtext, newtext;
	int *to; /* for each line of old, the line of new; NULL if all are the same */
};

typedef struct Pairing Pairing;

struct Pairing {
	const Report *old, *new;
	Cover a, b;
	Arena *run;
	Comparison *out;
	size_t capfile, capfn, capline;
	const char *first; /* whose lines are matched by number */
	int bynumber;
};

/* changeof - the kind of change between two counts. */
static Change
changeof(const Side *old, const Side *new)
{
	uint64_t a = old->there ? old->count : 0, b = new->there ? new->count : 0;

	return a == b ? SAMEAS : !a ? NEWLY : !b ? NOLONGER : b > a ? MORE : LESS;
}

/* sametexts - whether both sides were compiled from the same C texts, as far as they contain a
 * file. */
static bool
sametexts(const Report *old, const Report *new, const char *file)
{
	bool any = false;
	int i, k, m, n;
	uint32_t f;

	for (i = 0; i < old->of.nmodule; i++)
		for (k = 0; k < old->of.module[i].ntext; k++) {
			const Srctext *x = &old->of.module[i].text[k];
			bool found = false;

			for (f = 0; f < x->nfile && strcmp(x->file[f], file) != 0; f++)
				;
			if (f == x->nfile)
				continue;
			for (m = 0; m < new->of.nmodule; m++)
				for (n = 0; n < new->of.module[m].ntext; n++)
					found |= new->of.module[m].text[n].id == x->id;
			if (!found)
				return false;
			any = true;
		}
	return any;
}

/* unchanged - whether a source is older than all programs of a report. */
static bool
unchanged(const Report *r, const char *path)
{
	struct stat src, program;
	int i;

	if (stat(path, &src) != 0)
		return false;
	for (i = 0; i < r->of.nmodule; i++)
		if (stat(r->of.module[i].path, &program) != 0
		    || src.st_mtim.tv_sec > program.st_mtim.tv_sec
		    || (src.st_mtim.tv_sec == program.st_mtim.tv_sec
			&& src.st_mtim.tv_nsec > program.st_mtim.tv_nsec))
			return false;
	return r->of.nmodule > 0;
}

/* sameplace - whether two paths lead to one file. */
static bool
sameplace(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* matchpair - match the lines of a file. */
static void
matchpair(Pairing *p, Pair *f)
{
	f->newtext = f->new ? readtext(f->new->path, p->run) : (Textfile){0};
	f->oldtext = f->old ? readtext(f->old->path, p->run) : (Textfile){0};
	if (!f->old || !f->new || sametexts(p->old, p->new, f->old->file))
		return;
	if (f->oldtext.there && f->newtext.there) {
		if (!sameplace(f->old->path, f->new->path)) {
			f->to = matchlines(&f->oldtext, &f->newtext, p->run);
			return;
		}
		if (unchanged(p->old, f->old->path))
			return;
	}
	if (!p->bynumber++)
		p->first = f->new->file;
}

static Side
sideof(const Line *l)
{
	return (Side){.there = true, .count = l->count, .sure = l->sure, .line = l->line};
}

/* addline - the change of a line; old or new may be NULL. */
static void
addline(Pairing *p, const Pair *f, Delta *sum, const Line *old, const Line *new)
{
	const Textfile *t = new ? &f->newtext : &f->oldtext;
	Delta d = {.file = new || !f->old ? f->path : f->old->path};
	uint32_t line;

	if (old)
		d.old = sideof(old);
	if (new)
		d.new = sideof(new);
	line = new ? d.new.line : d.old.line;
	d.change = changeof(&d.old, &d.new);
	d.text = line <= (uint32_t)t->n ? t->line[line - 1] : "";
	sum->lines[d.change]++;
	if (d.change == SAMEAS)
		return;
	apush(p->run, p->out->line, p->out->nline, p->capline);
	p->out->line[p->out->nline++] = d;
}

/* newline - the number in the new text of a line of the old one; 0 if it is gone. */
static uint32_t
newline(const Pair *f, uint32_t line)
{
	if (!f->to)
		return line;
	return line > (uint32_t)f->oldtext.n ? 0 : (uint32_t)f->to[line - 1];
}

/* addlines - the changes of a file's lines.  Lines that are gone come before the line that follows
 * them. */
static void
addlines(Pairing *p, const Pair *f, Delta *sum)
{
	int na = f->old ? f->old->nline : 0, nb = f->new ? f->new->nline : 0, a = 0, b = 0;

	while (a < na || b < nb) {
		const Line *old = a < na ? &f->old->line[a] : NULL;
		const Line *new = b < nb ? &f->new->line[b] : NULL;
		uint32_t to = old ? newline(f, old->line) : 0;

		if (old && (!new || to < new->line)) { /* the line is gone, or its code is */
			addline(p, f, sum, old, NULL);
			a++;
		} else if (old && to == new->line) {
			addline(p, f, sum, old, new);
			a++;
			b++;
		} else {
			addline(p, f, sum, NULL, new);
			b++;
		}
	}
}

/* addfile - a pair and its lines. */
static void
addfile(Pairing *p, Pair *f)
{
	Delta d = {.file = f->path, .old.there = f->old, .new.there = f->new};

	matchpair(p, f);
	addlines(p, f, &d);
	apush(p->run, p->out->file, p->out->nfile, p->capfile);
	p->out->file[p->out->nfile++] = d;
}

static Side
sideoffn(const Function *f)
{
	return (Side){.there = true, .count = f->calls, .sure = f->sure, .line = f->line};
}

/* addfn - the change of a function; old or new may be NULL. */
static void
addfn(Pairing *p, const char *file, const char *name, const Function *old, const Function *new)
{
	Delta d = {.file = file, .text = name};

	if (old)
		d.old = sideoffn(old);
	if (new)
		d.new = sideoffn(new);
	d.change = changeof(&d.old, &d.new);
	if (d.change == SAMEAS)
		return;
	apush(p->run, p->out->fn, p->out->nfn, p->capfn);
	p->out->fn[p->out->nfn++] = d;
}

typedef struct Named Named;

/* A function of one side. */
struct Named {
	const Function *fn;
	const char *path;
	int pair;
	bool used;
};

/* gather - the functions of one side. */
static Named *
gather(const Pair *pair, int npair, bool new, int *n, Arena *run)
{
	Named *named = NULL;
	size_t cap = 0;
	int i, k;

	*n = 0;
	for (i = 0; i < npair; i++) {
		const Covered *c = new ? pair[i].new : pair[i].old;

		for (k = 0; c && k < c->nfn; k++) {
			apush(run, named, *n, cap);
			named[(*n)++] = (Named){&c->fn[k], c->path, i, false};
		}
	}
	return named;
}

/* keyof - look up a name in a pair of files; if value is not NONE, enter it. */
static const Entry *
keyof(Table *t, const char *name, int pair, int value)
{
	Buf key = {.arena = t->arena};

	bprintf(&key, "%d %s", pair, name);
	return value == NONE ? lookup(t, key.s, key.n) : intern(t, key.s, key.n, value);
}

/* addfns - match functions of the same name in the same file; then functions that moved, if their
 * names are unique. */
static void
addfns(Pairing *p, const Pair *pair, int npair)
{
	int na, nb, i;
	Named *a = gather(pair, npair, false, &na, p->run);
	Named *b = gather(pair, npair, true, &nb, p->run);
	const Function **was = anew(p->run, const Function *, nb + 1);
	Table old = {.arena = p->run}, loose = {.arena = p->run};

	for (i = 0; i < na; i++)
		keyof(&old, a[i].fn->name, a[i].pair, i);
	for (i = 0; i < nb; i++) {
		const Entry *e = keyof(&old, b[i].fn->name, b[i].pair, NONE);

		if (!e || a[e->value].used)
			continue;
		was[i] = a[e->value].fn;
		a[e->value].used = b[i].used = true;
	}
	for (i = 0; i < na; i++)
		if (!a[i].used) {
			Entry *e = (Entry *)keyof(&loose, a[i].fn->name, 0, i);

			e->value = e->value == i ? i : na; /* not unique */
		}
	for (i = 0; i < nb; i++) {
		const Entry *e = was[i] ? NULL : keyof(&loose, b[i].fn->name, 0, NONE);

		if (e && e->value < na && !a[e->value].used) {
			was[i] = a[e->value].fn;
			a[e->value].used = true;
		}
		addfn(p, b[i].path, b[i].fn->name, was[i], b[i].fn);
	}
	for (i = 0; i < na; i++)
		if (!a[i].used)
			addfn(p, a[i].path, a[i].fn->name, a[i].fn, NULL);
}

/* fits - the new file that matches an old one: that of the same path, or the only one whose path
 * has the most last parts in common with it; NONE if there is none. */
static int
fits(const Cover *b, const Covered *old, const bool *taken)
{
	int i, best = NONE, most = 0;

	for (i = 0; i < b->n; i++)
		if (strcmp(b->source[i].file, old->file) == 0)
			return i;
	for (i = 0; i < b->n; i++) {
		int n = taken[i] ? 0 : commonparts(b->source[i].file, old->file);

		if (n >= most && n > 0)
			best = n == most ? NONE : i;
		if (n > most)
			most = n;
	}
	return best;
}

/* makepairs - match the files of both sides. */
static Pair *
makepairs(Pairing *p, int *npair)
{
	Pair *pair = anew(p->run, Pair, p->a.n + p->b.n);
	bool *taken = anew(p->run, bool, p->b.n + 1);
	int *of = anew(p->run, int, p->a.n + 1), i, k, pass;

	for (i = 0; i < p->a.n; i++)
		of[i] = NONE;
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < p->a.n; i++) {
			k = of[i] == NONE ? fits(&p->b, &p->a.source[i], taken) : NONE;
			if (k == NONE || taken[k]
			    || (pass == 0 && strcmp(p->b.source[k].file, p->a.source[i].file) != 0))
				continue;
			of[i] = k;
			taken[k] = true;
		}
	*npair = 0;
	for (i = 0; i < p->a.n; i++) {
		const Covered *old = &p->a.source[i],
			      *new = of[i] == NONE ? NULL : &p->b.source[of[i]];

		pair[(*npair)++] =
			(Pair){.old = old, .new = new, .path = new ? new->path : old->path};
	}
	for (i = 0; i < p->b.n; i++)
		if (!taken[i])
			pair[(*npair)++] =
				(Pair){.new = &p->b.source[i], .path = p->b.source[i].path};
	return pair;
}

Comparison
comparereports(const Report *old, const Report *new)
{
	Comparison out = {0};
	Pairing p = {.old = old,
		     .new = new,
		     .a = cover(old),
		     .b = cover(new),
		     .run = new->run,
		     .out = &out};
	int i, n;
	Pair *pair = makepairs(&p, &n);

	for (i = 0; i < n; i++)
		addfile(&p, &pair[i]);
	addfns(&p, pair, n);
	if (p.bynumber)
		remark("%s: the old source was not found%s: lines are matched by number; "
		       "tell where it is with --old-prefix-map=OLD=NEW",
		       p.first, p.bynumber > 1 ? ", nor were others" : "");
	return out;
}
