/* parts.c - what there is to read: profiles, merged profiles, and directories of them, to which
 * processes may be adding. */

#include "profile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE = 10 }; /* seconds */

static void
wake(int sig)
{
	(void)sig;
}

/* lockdir - keeps processes from folding their profiles while we read: a file could be missed, or
 * read twice.  Where there is no lock file that we can open, they cannot fold, either.  We wait in
 * line for the lock, because hundreds of processes may be trying for it again and again. */
static int
lockdir(const char *dir, Arena *run)
{
	struct sigaction interrupt = {.sa_handler = wake}, was;
	Buf path = {.arena = run};
	int fd;

	bprintf(&path, "%s/.lock", dir);
	fd = openfile(path.s, NULL);
	sigaction(SIGALRM, &interrupt, &was);
	alarm(PATIENCE);
	if (fd >= 0 && flock(fd, LOCK_SH) != 0 && errno == EINTR)
		remark("%s: another process holds the lock and does not release it: counts may be "
		       "missing",
		       dir);
	alarm(0);
	sigaction(SIGALRM, &was, NULL);
	return fd;
}

static int
byname(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* list - the names of the profiles in a directory, sorted. */
static char **
list(const char *dir, int *n, Arena *run)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char **name = NULL;
	size_t cap = 0;

	if (!d)
		syserr("open %s", dir);
	*n = 0;
	while ((e = readdir(d))) {
		size_t len = strlen(e->d_name);

		if (len < 6 || strcmp(e->d_name + len - 6, ".tally") != 0)
			continue;
		apush(run, name, *n, cap);
		name[(*n)++] = astrndup(run, e->d_name, len);
	}
	closedir(d);
	if (*n)
		qsort(name, (size_t)*n, sizeof *name, byname);
	return name;
}

/* addpart - adds the part that begins with a header. */
static void
addpart(Parts *p, const char *path, const struct Profhdr *h, const char *label, uint64_t at,
	uint64_t size)
{
	apush(p->run, p->part, p->n, p->cap);
	p->label.arena = p->run;
	p->part[p->n++] = (Portion){
		.path = path,
		.at = at,
		.size = size,
		.serial = h->flags & PROFSUM ? h->lastserial : h->serial,
		.chapter = h->flags & PROFSUM ? h->lastchapter : h->chapter,
		.flags = h->flags,
		.state = h->state,
		.gone = h->endings[ENDGONE],
		.label = intern(&p->label, label, strlen(label), NONE)->key};
}

/* labelat - the label of a part, which ends at `end' in its file. */
static char *
labelat(const char *path, int fd, const struct Profhdr *h, uint64_t at, uint64_t end, Arena *run)
{
	const char *label = h->label[h->chapter & 1];
	uint64_t far = h->far[h->chapter & 1];
	Buf b = {.arena = run};
	char some[4096];
	ssize_t got = 0;

	if (!far)
		return astrndup(run, label, strnlen(label, LABELSIZE - 1));
	for (at += far; far < end && at < end; at += (uint64_t)got) {
		size_t n = end - at < sizeof some ? (size_t)(end - at) : sizeof some;

		got = pread(fd, some, n, (off_t)at);
		if (got < 0)
			syserr("read %s", path);
		bput(&b, some, strnlen(some, (size_t)got));
		if (got == 0 || memchr(some, 0, (size_t)got))
			break;
	}
	if (got == 0)
		err(path, "damaged profile: its label lies outside the file");
	return b.s;
}

/* isnew - returns whether a file has not been named before. */
static bool
isnew(Parts *p, const struct stat *st)
{
	uint64_t key[] = {st->st_dev, st->st_ino};
	size_t n = p->files.n;

	p->files.arena = p->run;
	intern(&p->files, (const char *)key, sizeof key, 0);
	return p->files.n > n;
}

typedef struct Adding Adding;

/* A file at work on. */
struct Adding {
	Parts *p;
	const char *path;
	bool mayfail; /* it may be empty: its process has not begun to write */
	int fd;
};

/* addrooms - adds the rooms in a part, in which children of its process count; the part begins at
 * `at'. */
static void
addrooms(const Adding *a, const struct Profhdr *of, uint64_t at, uint64_t end)
{
	uint64_t size = 4096ull * of->roompages, begin = at + of->rooms;
	struct Profhdr h;
	uint32_t i;

	if (of->nroom && (of->rooms > end - at || of->nroom > (end - begin) / (size + !size)))
		err(a->path, "damaged profile: its rooms lie outside the file");
	for (i = 0; i < of->nroom; i++, begin += size) {
		if (pread(a->fd, &h, sizeof h, (off_t)begin) != sizeof h)
			err(a->path, "damaged profile: its rooms lie outside the file");
		if (!h.state || memcmp(h.magic, PROFMAGIC, 8) != 0 || !h.first)
			continue; /* not in use, or not written yet */
		endofpart(a->path, &h, begin, begin + size);
		addpart(a->p, a->path, &h,
			labelat(a->path, a->fd, &h, begin, begin + size, a->p->run), begin, size);
	}
}

/* addall - adds all parts of a file. */
static void
addall(void *adding)
{
	const Adding *a = adding;
	uint64_t at = 0, end;
	struct Profhdr h;
	struct stat st;

	if (a->fd < 0)
		noerr(a->path);
	if (fstat(a->fd, &st) != 0)
		syserr("open %s", a->path);
	if (!isnew(a->p, &st)) {
		remark("%s: named twice, read once", a->path);
		return;
	}
	do {
		ssize_t got = pread(a->fd, &h, sizeof h, (off_t)at);

		if (got < 0)
			syserr("read %s", a->path);
		if (a->mayfail && at == 0 && (got == 0 || !h.magic[0]))
			break;
		if (got < (ssize_t)sizeof h || memcmp(h.magic, PROFMAGIC, 8) != 0)
			err(a->path, "is not a profile");
		end = endofpart(a->path, &h, at, (uint64_t)st.st_size);
		addpart(a->p, a->path, &h, labelat(a->path, a->fd, &h, at, end, a->p->run), at, h.flags & PROFMORE ? end - at : 0);
		addrooms(a, &h, at, end);
		at = end;
	} while (h.flags & PROFMORE);
}

/* addfile - adds all parts of a file, or none if it is damaged. */
static void
addfile(Parts *p, const char *path, bool mayfail)
{
	Adding a = {p, path, mayfail, openfile(path, NULL)};
	int n = p->n;

	if (!attempt(addall, &a, false))
		p->n = n;
	if (a.fd >= 0)
		close(a.fd);
}

void
addparts(Parts *p, const char *path)
{
	struct stat st;
	char **name;
	int n, i, fd;

	if (stat(path, &st) != 0)
		syserr("open %s", path);
	if (!S_ISDIR(st.st_mode)) {
		addfile(p, astrndup(p->run, path, strlen(path)), false);
		return;
	}
	fd = lockdir(path, p->run);
	if (fd >= 0) {
		apush(p->run, p->lock, p->nlock, p->caplock);
		p->lock[p->nlock++] = fd;
	}
	name = list(path, &n, p->run);
	for (i = 0; i < n; i++) {
		Buf file = {.arena = p->run};

		bprintf(&file, "%s/%s", path, name[i]);
		addfile(p, file.s, true);
	}
}

/* settleparts - a process may have died after its profile was added to a sum, and before it could
 * note that.  So sums name what was added to them last. */
void
settleparts(Parts *p)
{
	Table sums = {.arena = p->run};
	int i, n = 0;

	for (i = 0; i < p->n; i++) {
		const Portion *a = &p->part[i];
		uint64_t key[] = {a->serial, a->chapter};

		if ((a->flags & PROFSUM) && a->serial)
			intern(&sums, (const char *)key, sizeof key, 0);
	}
	for (i = 0; i < p->n; i++) {
		Portion *a = &p->part[i];
		uint64_t key[] = {a->serial, a->chapter};

		if (!(a->flags & PROFSUM) && lookup(&sums, (const char *)key, sizeof key)) {
			if (a->state == PROFCLOSED)
				continue;
			a->added = true;
		}
		p->part[n++] = *a;
	}
	p->n = n;
	while (n-- > 0) {
		const char *label = p->part[n].label;
		Entry *e = lookup(&p->label, label, strlen(label));

		p->part[n].next = e->value;
		e->value = n;
	}
}

typedef struct Sum Sum;

/* Parts on their way into a profile. */
struct Sum {
	Profile *p;
	Portion **part;
	int n, at;
	const char *what;
	int from, of;
};

/* addrest - adds the parts from the current one on. */
static void
addrest(void *sum)
{
	Sum *s = sum;

	for (; s->at < s->n; s->at++) {
		if (s->what)
			progress(s->what, s->from + s->at, s->of);
		if (!s->part[s->at]->damaged)
			readpart(s->p, s->part[s->at]);
	}
}

/* addone - adds one part to an empty profile, to see whether it is damaged. */
static void
addone(void *sum)
{
	const Sum *s = sum;

	readpart(s->p, s->part[s->at]);
}

/* findbad - finds the parts, from the current one on, that cannot be read. */
static void
findbad(const Sum *s)
{
	Sum one = *s;

	for (; one.at < s->n; one.at++) {
		Arena tmp = {0};
		Profile p = {.run = &tmp};
		Portion *part = s->part[one.at];

		one.p = &p;
		part->damaged = part->damaged || !attempt(addone, &one, false);
		areset(&tmp);
	}
}

/* Damage may show only after some of a part was added.  So the sum is begun again, after a look at
 * all the other parts: each part is read three times at most, however many are damaged, unless
 * sound ones do not go together. */
void
readparts(Profile *p, Portion **part, int n, const char *what, int from, int of)
{
	Sum s = {.p = p, .part = part, .n = n, .what = what, .from = from, .of = of};
	bool looked = false;

	while (!attempt(addrest, &s, false)) {
		part[s.at++]->damaged = true;
		if (!looked)
			findbad(&s);
		looked = true;
		*p = (Profile){.run = p->run};
		s.at = 0;
	}
}

void
partsdone(Parts *p)
{
	while (p->nlock > 0)
		close(p->lock[--p->nlock]);
}
