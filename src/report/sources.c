/* sources.c - where sources are now.
 *
 * A path is tried as --prefix-map maps it; if it is relative, also from the directory of the
 * program and those above it.  If that fails, we search below the current directory for the file
 * whose path has the most last parts in common with it, if there is only one such file. */

#include "report.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

enum { MOSTFILES = 200000, MOSTDEPTH = 40 }; /* limits of the search */

/* addpath - add a file; those of the same name form a list. */
static void
addpath(Sources *s, const char *path, const char *name)
{
	Entry *e = intern(&s->names, name, strlen(name), NONE);

	apush(s->run, s->file, s->nfile, s->capfile);
	s->file[s->nfile] = (struct Seen){path, e->value};
	e->value = s->nfile++;
}

/* look - find all files below the current directory, except where a name begins with a dot; do not
 * follow links. */
static void
look(Sources *s)
{
	typedef struct Dir {
		const char *path; /* "", or ends with a slash */
		int depth;
	} Dir;
	Dir *todo = NULL;
	size_t cap = 0;
	int n = 0;

	apush(s->run, todo, n, cap);
	todo[n++] = (Dir){"", 0};
	while (n > 0) {
		Dir at = todo[--n];
		DIR *d = opendir(*at.path ? at.path : ".");
		struct dirent *e;

		while (d && (e = readdir(d))) {
			Buf b = {.arena = s->run};
			bool isdir = e->d_type == DT_DIR;

			if (e->d_name[0] == '.' || (e->d_type != DT_REG && !isdir))
				continue;
			if (s->nfile + n >= MOSTFILES || at.depth >= MOSTDEPTH) {
				s->toomany = true;
				break;
			}
			bprintf(&b, "%s%s%s", at.path, e->d_name, isdir ? "/" : "");
			if (!isdir) {
				addpath(s, b.s, e->d_name);
				continue;
			}
			apush(s->run, todo, n, cap);
			todo[n++] = (Dir){b.s, at.depth + 1};
		}
		if (d)
			closedir(d);
	}
}

/* below - the only file below the current directory that matches a path best; NULL if there is
 * none. */
static const char *
below(Sources *s, const char *path)
{
	const char *name = lastpart(path), *found = NULL;
	int i, most = 0;
	Entry *e;

	if (!s->looked) {
		s->looked = true;
		s->names.arena = s->run;
		look(s);
	}
	e = s->toomany ? NULL : lookup(&s->names, name, strlen(name));
	for (i = e ? e->value : NONE; i != NONE; i = s->file[i].next) {
		int n = commonparts(s->file[i].path, path);

		if (n >= most)
			found = n == most ? NULL : s->file[i].path;
		if (n > most)
			most = n;
	}
	return found;
}

const char *
sourcefile(const Report *r, const char *path)
{
	Sources *s = r->sources;
	const char *now = mappedpath(&r->of, path, r->run), *simple, *found;
	Entry *e;
	bool odd;

	if (!s || canread(now))
		return now;
	odd = errno == 0;
	if (!s->run)
		s->run = r->run;
	s->known.arena = s->run; /* answers outlive a report */
	now = mappedpath(&r->of, path, s->run);
	if ((e = lookup(&s->known, path, strlen(path))))
		return s->answer[e->value];
	if (odd) {
		found = now;
		if (!s->nodd++)
			s->odd = astrndup(s->run, now, strlen(now));
	} else if (canread(simple = simplepath(now, s->run))) {
		found = simple; /* a directory before a .. no longer exists */
	} else if (!(found = besides(&r->of, now, s->run)) && (found = below(s, now))
		   && !s->nguess++) {
		s->guess = found, s->guessed = astrndup(s->run, path, strlen(path));
	}
	if (!found && !s->nmissing++)
		s->missing = astrndup(s->run, path, strlen(path));
	apush(s->run, s->answer, s->nanswer, s->capanswer);
	intern(&s->known, path, strlen(path), s->nanswer);
	return s->answer[s->nanswer++] = found ? found : now;
}

void
sourceremarks(const Report *r)
{
	const Sources *s = r->sources;

	if (s->nodd)
		remark("%s: is not a regular file%s: its text is not shown", s->odd,
		       s->nodd > 1 ? ", and others likewise" : "");
	if (s->nguess)
		remark("%s: not found; using %s instead%s; to tell where sources are, use "
		       "--prefix-map=OLD=NEW",
		       s->guessed, s->guess, s->nguess > 1 ? ", and others likewise" : "");
	if (s->nmissing)
		remark("%s: not found%s%s: tell where the sources are with --prefix-map=OLD=NEW",
		       s->missing, s->nmissing > 1 ? ", nor were others" : "",
		       s->toomany ? ", and there are too many files here to search" : "");
}
