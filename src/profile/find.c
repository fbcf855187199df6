/* find.c - where programs are, and their profiles: either may have moved since a program ran.
 *
 * A profile has the path and the build of each program or library that counted.  The build decides.
 *  If it is no longer at its path, it is looked for among the files that are named on the command
 * line, and then where it would be if it had moved together with its profile: below the directories
 * above the profile and below the current one, with as much of its old path as fits.
 *
 *     profile           /new/tally.out/prog-1234.tally
 *     has a run of      /old/bin/prog
 *     which may be      /new/old/bin/prog, /new/bin/prog, /new/prog */

#include "image/image.h"
#include "profile.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
isbuildof(Finder *f, const char *path, const uint8_t *id, int idlen)
{
	Buf key = {.arena = f->run};
	struct stat st;
	Entry *e;

	bput(&key, path, strlen(path) + 1);
	bput(&key, (const char *)id, (size_t)idlen);
	f->build.arena = f->run;
	e = intern(&f->build, key.s, key.n, NONE);
	if (e->value == NONE)
		e->value =
			stat(path, &st) == 0 && S_ISREG(st.st_mode) && samebuild(path, id, idlen);
	return e->value;
}

/* real - a path without links, `.' and `..'; unchanged if there is no such file. */
static const char *
real(Finder *f, const char *path)
{
	char *p = realpath(path, NULL);
	const char *copy = astrndup(f->run, p ? p : path, strlen(p ? p : path));

	free(p);
	return copy;
}

/* above - the directory that a file is in; for the root it is the empty path. */
static const char *
above(const char *path, Arena *run)
{
	const char *slash = strrchr(path, '/');

	return astrndup(run, path, slash ? (size_t)(slash - path) : 0);
}

void
searchnear(Finder *f, const char *path)
{
	const char *at = real(f, path);
	int i, k;

	for (i = 0; i < 2; i++) { /* a profile is in tally.out, or beside that */
		at = above(at, f->run);
		for (k = 0; k < f->nbase && strcmp(f->base[k], at) != 0; k++)
			;
		if (k < f->nbase)
			continue;
		apush(f->run, f->base, f->nbase, f->capbase);
		f->base[f->nbase++] = at;
	}
}

/* moved - where a program is if it moved along with a profile; NULL if it is not there. */
static const char *
moved(Finder *f, const char *path, const uint8_t *id, int idlen)
{
	const char *rest, *slash;
	int i;

	for (rest = path; rest; rest = slash ? slash + 1 : NULL) {
		slash = strchr(rest, '/');
		if (!*rest || *rest == '/')
			continue;
		for (i = -1; i < f->nbase; i++) {
			Buf b = {.arena = f->run};

			bprintf(&b, "%s/%s", i < 0 ? "." : f->base[i], rest);
			if (isbuildof(f, b.s, id, idlen))
				return real(f, b.s);
		}
	}
	return NULL;
}

/* isnamed - returns whether a path is that of a program named on the command line. */
static bool
isnamed(const Finder *f, const char *path)
{
	int i;

	for (i = 0; i < f->nnamed; i++)
		if (strcmp(f->named[i].path, path) == 0)
			return true;
	return false;
}

/* look - finds a program; returns the path as it is if there is none. */
static const char *
look(Finder *f, const char *path, const uint8_t *id, int idlen)
{
	bool there = isbuildof(f, path, id, idlen);
	const char *now;
	int i;

	for (i = 0; i < f->nnamed && !(there && isnamed(f, path)); i++)
		if ((!there || f->named[i].iscopy) && isbuildof(f, f->named[i].path, id, idlen))
			return f->named[i].path;
	now = there ? NULL : moved(f, path, id, idlen);
	return now ? now : path;
}

const char *
whereis(Finder *f, const char *path, const uint8_t *id, int idlen)
{
	Buf key = {.arena = f->run};
	Entry *e;

	bput(&key, path, strlen(path) + 1);
	bput(&key, (const char *)id, (size_t)idlen);
	f->known.arena = f->run;
	if ((e = lookup(&f->known, key.s, key.n)))
		return f->answer[e->value];
	apush(f->run, f->answer, f->nanswer, f->capanswer);
	intern(&f->known, key.s, key.n, f->nanswer);
	return f->answer[f->nanswer++] = look(f, astrndup(f->run, path, strlen(path)), id, idlen);
}

/* addplace - adds a directory, unless it is in the list. */
static void
addplace(const char **place, int *n, const char *path)
{
	int i;

	for (i = 0; i < *n; i++)
		if (strcmp(place[i], path) == 0)
			return;
	place[(*n)++] = path;
}

/* strings - the section of a program that says where profiles go, with a NUL after it; NULL if
 * there is none. */
static char *
strings(const char *path, size_t *len, Arena *run)
{
	File *f = openelf(path, run);
	const Section *s = f ? section(f, DIRSECTION) : NULL;
	const uint8_t *bytes = s && s->type == SHT_PROGBITS ? sectionbytes(s, len) : NULL;
	char *copy = bytes ? astrndup(run, (const char *)bytes, *len) : NULL;

	closeelf(f);
	return copy;
}

/* addabove - adds tally.out beside a program, and each tally.out that exists in a directory above:
 * the program may be in a directory of what was moved. */
static void
addabove(const char **place, int *n, const char *program, Arena *run)
{
	const char *dir = above(program, run);
	bool beside = true;

	for (; *program; program = dir, dir = above(dir, run)) {
		Buf b = {.arena = run};

		bprintf(&b, "%s/tally.out", dir);
		if (beside || access(b.s, F_OK) == 0)
			addplace(place, n, b.s);
		beside = false;
	}
}

const char **
placesof(const char *program, int *n, Arena *run)
{
	size_t len = 0, most = 2, i, cap = strlen(program) + sizeof "/tally.out";
	char *begin = strings(program, &len, run), *buf = anew(run, char, cap);
	const char **place, *s, *end = begin ? begin + len : NULL;

	for (i = 0; begin && i < len; i++)
		most += !begin[i];
	for (s = program; *s; s++)
		most += *s == '/';
	place = anew(run, const char *, most);
	*n = 0;
	s = begin ? choosewhere(begin, end, program, buf, cap) : NULL;
	if (s)
		addplace(place, n, s);
	for (s = begin; s && s < end; s += strlen(s) + 1) {
		s += *s == 1; /* as where.h has them */
		if (*s == '/')
			addplace(place, n, s);
	}
	addabove(place, n, program, run);
	return place;
}
