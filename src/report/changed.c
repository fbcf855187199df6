/* changed.c - sources that are not what was compiled.
 *
 * Counts belong to lines by number, so if a source is edited after the build, counts appear at the
 * wrong lines.  Therefore the map has the size and a hash of each file as the compiler read it;
 * here they are compared with the file that is there now.  The map of a program that was not built
 * with tally has none; its sources should be older than the program. */

#include "report.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Search Search;

struct Search {
	const Report *r;
	Arena run;
	Table seen; /* what was already checked */
	void (*tell)(void *, const char *path, bool younger);
	void *with;
};

/* present - the path where a source is now; NULL if it is not there. */
static const char *
present(const Report *r, const char *path)
{
	const char *now = mappedpath(&r->of, path, r->run);

	return access(now, R_OK) == 0 ? now : besides(&r->of, now, r->run);
}

/* isnew - whether something is checked for the first time. */
static bool
isnew(Search *s, const void *key, size_t len)
{
	size_t n = s->seen.n;

	intern(&s->seen, key, len, 0);
	return s->seen.n > n;
}

/* checkstamp - compare a file of a unit.  Units of one build may have read different versions of
 * it. */
static void
checkstamp(Search *s, const Stamp *x)
{
	Buf key = {.arena = &s->run};
	uint64_t size, hash;
	const char *now;

	bprintf(&key, "%s", x->path);
	bput(&key, (const char *)&x->size, sizeof x->size);
	bput(&key, (const char *)&x->hash, sizeof x->hash);
	if (!isnew(s, key.s, key.n))
		return;
	now = present(s->r, x->path);
	if (now && stampof(now, &size, &hash) && (size != x->size || hash != x->hash)
	    && isnew(s, x->path, strlen(x->path)))
		s->tell(s->with, x->path, false);
}

/* checkage - compare the dates of a function's sources with its program, which was built without
 * tally. */
static void
checkage(Search *s, const Module *m, const Fn *fn)
{
	struct stat program, source;
	int i;

	for (i = 0; i < fn->code.nrow; i++) {
		const Coderow *row = &fn->code.row[i];
		const char *path, *now;

		if (!row->line || row->file >= (uint32_t)fn->nfile
		    || (i && row->file == fn->code.row[i - 1].file))
			continue;
		path = fn->file[row->file];
		if (issystem(path) || !isnew(s, path, strlen(path)))
			continue;
		now = present(s->r, path);
		if (now && stat(now, &source) == 0 && S_ISREG(source.st_mode)
		    && stat(m->path, &program) == 0
		    && (source.st_mtim.tv_sec > program.st_mtim.tv_sec
			|| (source.st_mtim.tv_sec == program.st_mtim.tv_sec
			    && source.st_mtim.tv_nsec > program.st_mtim.tv_nsec)))
			s->tell(s->with, path, true);
	}
}

void
eachchanged(const Report *r, void (*tell)(void *, const char *path, bool younger), void *with)
{
	Search s = {.r = r, .tell = tell, .with = with};
	int i, k;

	s.seen.arena = &s.run;
	for (i = 0; i < r->of.nmodule; i++) {
		const Module *m = &r->of.module[i];

		for (k = 0; k < m->nstamp; k++)
			checkstamp(&s, &m->stamp[k]);
		for (k = 0; m->live && k < m->nfn; k++)
			checkage(&s, m, &m->fn[k]);
	}
	areset(&s.run);
}

typedef struct Changed Changed;

struct Changed {
	const char *first;
	int n;
};

static void
note(void *with, const char *path, bool younger)
{
	Changed *c = (Changed *)with + younger;

	if (!c->n++)
		c->first = path;
}

void
changeremarks(const Report *r)
{
	Changed c[2] = {{NULL, 0}, {NULL, 0}};

	eachchanged(r, note, c);
	if (c[false].n)
		remark("%s: has changed since it was compiled%s: counts may appear on the wrong "
		       "lines",
		       c[false].first, c[false].n > 1 ? ", and others have" : "");
	if (c[true].n)
		remark("%s: is newer than the program%s: counts may appear on the wrong "
		       "lines",
		       c[true].first, c[true].n > 1 ? ", and so are others" : "");
}
