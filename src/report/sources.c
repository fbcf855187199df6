/* sources.c - where sources are now.
 *
 * A path is tried as --prefix-map says, or as it is; if it is relative, from the directory of
 * the program and those above it, too.  Else it is looked for below the current directory:
 * the file that has the most last parts of the path in common, if there is one such. */

#include "report.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { MOSTFILES = 200000, MOSTDEPTH = 40 }; /* of the search */

const char *
mappedpath(const Report *r, const char *path)
{
	int i;

	for (i = 0; i < r->nprefix; i++) {
		const char *new = strchr(r->prefix[i], '=') + 1;
		size_t n = (size_t)(new - 1 - r->prefix[i]);
		Buf b = {.arena = r->run};

		if (strncmp(path, r->prefix[i], n) != 0
		    || (path[n] && path[n] != '/' && n && path[n - 1] != '/'))
			continue;
		bprintf(&b, "%s%s", new, path + n);
		return b.s;
	}
	return path;
}

static const char *
lastpart(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* isfile - whether there is a regular file that can be read; errno is 0 if there is something else. */
static bool
isfile(const char *path)
{
	int fd = openfile(path, NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* cut - how long a path is without its last n parts. */
static size_t
cut(const char *path, int n)
{
	size_t len = strlen(path);

	for (; n > 0; n--) {
		while (len > 0 && path[len - 1] == '/')
			len--;
		while (len > 0 && path[len - 1] != '/')
			len--;
	}
	while (len > 0 && path[len - 1] == '/')
		len--;
	return len;
}

/* along - a path if it has moved with a program that ran elsewhere; NULL.  Of /old/bin/prog that is
 * /new/bin/prog now, the source /old/src/a.c is /new/src/a.c. */
static const char *
along(const Report *r, const char *path)
{
	int i;

	for (i = 0; i < r->nmodule; i++) {
		const Module *m = &r->module[i];
		Buf old = {.arena = r->run}, new = {.arena = r->run};
		int n;

		if (!m->ran)
			continue;
		bprintf(&old, "%.*s", (int)cut(m->ran, 1), m->ran);
		bprintf(&new, "%.*s", (int)cut(m->path, 1), m->path);
		n = commonparts(old.s, new.s);
		old.s[old.n = cut(old.s, n)] = 0;
		new.s[new.n = cut(new.s, n)] = 0;
		if (strncmp(path, old.s, old.n) != 0 || path[old.n] != '/')
			continue;
		bprintf(&new, "%s", path + old.n);
		if (isfile(new.s))
			return new.s;
	}
	return NULL;
}

/* besides - a relative path, from where a program is or above; another if that has moved, too; NULL. */
const char *
besides(const Report *r, const char *path)
{
	int i;

	if (path[0] == '/')
		return along(r, path);
	for (i = 0; i < r->nmodule; i++) {
		const char *program = r->module[i].path, *end = lastpart(program);

		while (end > program) {
			Buf b = {.arena = r->run};

			bprintf(&b, "%.*s%s", (int)(end - program), program, path);
			if (isfile(b.s))
				return b.s;
			for (end--; end > program && end[-1] != '/'; end--)
				;
		}
	}
	return NULL;
}

/* addpath - one more file that has been seen; those of a name are a list. */
static void
addpath(Sources *s, const char *path, const char *name)
{
	Entry *e = intern(&s->names, name, strlen(name), NONE);

	apush(s->run, s->file, s->nfile, s->capfile);
	s->file[s->nfile] = (struct Seen){path, e->value};
	e->value = s->nfile++;
}

/* look - at the directories below the current one, but for those with a dot before their names;
 * links are not followed. */
static void
look(Sources *s)
{
	typedef struct Dir {
		const char *path; /* ends with a slash; or is "" */
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

int
commonparts(const char *a, const char *b)
{
	const char *x = a + strlen(a), *y = b + strlen(b);
	int n = 0;

	for (;;) {
		while (x > a && y > b && x[-1] == y[-1] && x[-1] != '/')
			x--, y--;
		if ((x > a && x[-1] != '/') || (y > b && y[-1] != '/'))
			return n;
		n++;
		while (x > a && x[-1] == '/')
			x--;
		while (y > b && y[-1] == '/')
			y--;
		if (x == a || y == b)
			return n;
	}
}

/* below - the one file below the current directory that fits a path best; NULL. */
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
	const char *now = mappedpath(r, path), *simple, *found;
	Report own = *r; /* what is found outlives a report */
	Entry *e;
	bool odd;

	if (!s || isfile(now))
		return now;
	odd = errno == 0;
	if (!s->run)
		s->run = r->run;
	s->known.arena = own.run = s->run;
	now = mappedpath(&own, path);
	if ((e = lookup(&s->known, path, strlen(path))))
		return s->answer[e->value];
	if (odd) {
		found = now;
		if (!s->nodd++)
			s->odd = astrndup(s->run, now, strlen(now));
	} else if (isfile(simple = simplepath(now, s->run))) {
		found = simple; /* a directory before a .. has gone */
	} else if (!(found = besides(&own, now)) && (found = below(s, now)) && !s->nguess++) {
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
		remark("%s: is not there; %s was taken for it%s: --prefix-map=OLD=NEW tells where "
		       "sources are",
		       s->guessed, s->guess, s->nguess > 1 ? ", and others likewise" : "");
	if (s->nmissing)
		remark("%s: is not there%s%s: --prefix-map=OLD=NEW tells where sources are",
		       s->missing, s->nmissing > 1 ? ", nor are others" : "",
		       s->toomany ? ", and there are too many files here to look for it" : "");
}
