/* cobertura.c - XML as Cobertura writes it, valid by its coverage-04.dtd.  A directory is a
 * package, a file a class.  Lines of which it is unknown whether they ran are omitted. */

#include "cover.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Class Class;
typedef struct Sum Sum;

struct Class {
	const Covered *source;
	size_t dir; /* length of the directory in its path, with the slash */
};

struct Sum {
	int line, ran, branch, taken;
};

static void
add(Sum *sum, const Covered *s)
{
	sum->line += s->counted;
	sum->ran += s->ran;
	sum->branch += s->nbranch;
	sum->taken += s->taken;
}

/* quoted - an attribute with a text of n bytes. */
static void
quoted(const Report *r, const char *name, const char *text, size_t n)
{
	fprintf(r->f, " %s=\"", name);
	putxml(r->f, astrndup(r->run, text, n));
	fputc('"', r->f);
}

/* rates - attributes: the fractions of lines and of branches' ways out that ran. */
static void
rates(const Report *r, const Sum *s)
{
	fprintf(r->f, " line-rate=\"%.6g\" branch-rate=\"%.6g\"",
		s->line ? (double)s->ran / s->line : 1.0,
		s->branch ? (double)s->taken / s->branch : 1.0);
}

static int
bydirectory(const void *a, const void *b)
{
	const Class *x = a, *y = b;
	size_t n = x->dir < y->dir ? x->dir : y->dir;
	int c = memcmp(x->source->path, y->source->path, n);

	if (c)
		return c;
	if (x->dir != y->dir)
		return x->dir < y->dir ? -1 : 1;
	return strcmp(x->source->path, y->source->path);
}

/* root - length of the directory with which all paths begin, with the slash. */
static size_t
root(const Class *class, int n)
{
	size_t len = n ? class[0].dir : 0, i;
	int k;

	for (k = 1; k < n; k++) {
		for (i = 0; i < len && i < class[k].dir
			    && class[0].source->path[i] == class[k].source->path[i];
		     i++)
			;
		while (i > 0 && class[0].source->path[i - 1] != '/')
			i--;
		len = i;
	}
	return len;
}

static void
line(const Report *r, const Line *l)
{
	int i, taken = 0;

	fprintf(r->f, "<line number=\"%" PRIu32 "\" hits=\"%" PRIu64 "\"", l->line, l->count);
	if (!l->nbranch) {
		fputs(" branch=\"false\"/>\n", r->f);
		return;
	}
	for (i = 0; i < l->nbranch; i++)
		taken += (l->branch[i].taken > 0) + (l->branch[i].reached > l->branch[i].taken);
	fprintf(r->f, " branch=\"true\" condition-coverage=\"%d%% (%d/%d)\"><conditions>",
		100 * taken / (2 * l->nbranch), taken, 2 * l->nbranch);
	for (i = 0; i < l->nbranch; i++)
		fprintf(r->f, "<condition number=\"%d\" type=\"jump\" coverage=\"%d%%\"/>", i,
			50 * (l->branch[i].taken > 0)
				+ 50 * (l->branch[i].reached > l->branch[i].taken));
	fputs("</conditions></line>\n", r->f);
}

/* method - a function; as its only line the first, with the number of calls. */
static void
method(const Report *r, const Function *fn)
{
	fputs("<method", r->f);
	quoted(r, "name", fn->name, strlen(fn->name));
	fprintf(r->f, " signature=\"\" line-rate=\"%d\" branch-rate=\"1\" complexity=\"0\">",
		fn->calls > 0);
	fprintf(r->f,
		"<lines><line number=\"%" PRIu32 "\" hits=\"%" PRIu64
		"\" branch=\"false\"/></lines></method>\n",
		fn->line, fn->calls);
}

static void class(const Report *r, const Class *c, size_t skip)
{
	const Covered *s = c->source;
	const char *name = s->path + c->dir;
	Sum sum = {0};
	int i;

	add(&sum, s);
	fputs("<class", r->f);
	quoted(r, "name", name, strlen(name));
	quoted(r, "filename", s->path + skip, strlen(s->path + skip));
	rates(r, &sum);
	fputs(" complexity=\"0\"><methods>\n", r->f);
	for (i = 0; i < s->nfn; i++)
		if (isknown(&s->fn[i]))
			method(r, &s->fn[i]);
	fputs("</methods><lines>\n", r->f);
	for (i = 0; i < s->nline; i++)
		if (!mayhaverun(&s->line[i]))
			line(r, &s->line[i]);
	fputs("</lines></class>\n", r->f);
}

/* package - the classes c to end, which are in one directory. */
static void
package(const Report *r, const Class *c, const Class *end, size_t skip)
{
	size_t n = c->dir > skip ? c->dir - skip - 1 : 0; /* without the slash */
	Sum sum = {0};
	const Class *k;

	for (k = c; k < end; k++)
		add(&sum, k->source);
	fputs("<package", r->f);
	quoted(r, "name", n ? c->source->path + skip : ".", n ? n : 1);
	rates(r, &sum);
	fputs(" complexity=\"0\"><classes>\n", r->f);
	for (k = c; k < end; k++)
		class(r, k, skip);
	fputs("</classes></package>\n", r->f);
}

void
cobertura(const Report *r)
{
	Cover c = cover(r);
	Class *all = anew(r->run, Class, c.n + 1);
	Sum sum = {0};
	size_t skip;
	int i, k;

	for (i = 0; i < c.n; i++) {
		const char *slash = strrchr(c.source[i].path, '/');

		all[i].source = &c.source[i];
		all[i].dir = slash ? (size_t)(slash + 1 - c.source[i].path) : 0;
		add(&sum, &c.source[i]);
	}
	if (c.n)
		qsort(all, (size_t)c.n, sizeof *all, bydirectory);
	skip = root(all, c.n);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE coverage SYSTEM "
	      "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage",
	      r->f);
	rates(r, &sum);
	fprintf(r->f,
		" lines-covered=\"%d\" lines-valid=\"%d\" branches-covered=\"%d\" "
		"branches-valid=\"%d\" complexity=\"0\" version=\"tally %s\" timestamp=\"%lld\">\n",
		sum.ran, sum.line, sum.taken, sum.branch, r->version, (long long)time(NULL));
	eachcontradiction(r, "<?tally contradiction: ", "?>");
	fputs("<sources><source>", r->f);
	putxml(r->f, skip ? astrndup(r->run, all[0].source->path, skip > 1 ? skip - 1 : 1) : ".");
	fputs("</source></sources>\n<packages>\n", r->f);
	for (i = 0; i < c.n; i = k) {
		for (k = i + 1;
		     k < c.n && all[k].dir == all[i].dir
		     && memcmp(all[k].source->path, all[i].source->path, all[i].dir) == 0;
		     k++)
			;
		package(r, &all[i], &all[k], skip);
	}
	fputs("</packages>\n</coverage>\n", r->f);
}
