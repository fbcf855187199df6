/* input.c - the profiles that a command line names. */

#include "profile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *
profiles(void)
{
	const char *dir = getenv("TALLY_DIR");

	return dir && *dir ? dir : "tally.out";
}

bool
isprogram(const char *path)
{
	int fd = openfile(path, NULL);
	char magic[4] = "";
	bool is = fd >= 0 && pread(fd, magic, 4, 0) == 4 && memcmp(magic, "\177ELF", 4) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

/* addprogram - notes a program whose runs are asked for. */
static void
addprogram(Input *in, const char *path)
{
	Finder *f = &in->finder;
	char *real = realpath(path, NULL);
	int i;

	if (!real)
		syserr("open %s", path);
	for (i = 0; i < f->nnamed; i++)
		if (strcmp(f->named[i].path, real) == 0)
			break;
	if (i == f->nnamed) {
		apush(in->run, f->named, f->nnamed, f->capnamed);
		f->named[f->nnamed++] = (Given){.path = astrndup(in->run, real, strlen(real))};
	}
	free(real);
}

const char **
profilesof(const char *program, int *n, Arena *run)
{
	char *real = realpath(program, NULL);
	const char **own = placesof(real ? real : program, n, run);
	const char **all = anew(run, const char *, *n + 1);
	struct stat *st = anew(run, struct stat, *n + 1);
	int i, k, m = 0;

	free(real);
	for (i = 0; i <= *n; i++) {
		all[m] = i ? own[i - 1] : profiles();
		if (stat(all[m], &st[m]) != 0)
			st[m].st_ino = 0;
		for (k = 0; k < m; k++)
			if (st[m].st_ino
				    ? st[k].st_ino == st[m].st_ino && st[k].st_dev == st[m].st_dev
				    : strcmp(all[k], all[m]) == 0)
				break;
		m += k == m;
	}
	*n = m;
	return all;
}

/* How a run belongs to a program that is named; the smaller, the better. */
enum {
	ITSOWN, /* it ran, or one of its build that is no longer where it was */
	COPYS, /* one of its build ran that is still there: the program is a copy that never ran */
	OLD,   /* another build ran, from the program's path */
	NOBODYS,
};

typedef struct Wanted Wanted;

struct Wanted {
	Finder *finder;
	const char *program;
	int best;
};

/* seerun - looks at a module that ran. */
static void
seerun(const struct Profmodule *m, void *with)
{
	const char *path = (const char *)(m + 1);
	Wanted *w = with;
	int how = NOBODYS, idlen = (int)m->idlen;
	bool same = strcmp(path, w->program) == 0;

	if (m->idlen > sizeof m->id)
		return;
	if (isbuildof(w->finder, w->program, m->id, idlen))
		how = same || !isbuildof(w->finder, path, m->id, idlen) ? ITSOWN : COPYS;
	else if (same)
		how = OLD;
	w->best = how < w->best ? how : w->best;
}

/* runsin - how well the best run in some parts belongs to a program. */
static int
runsin(Input *in, const Parts *parts, const char *program)
{
	Wanted w = {.finder = &in->finder, .program = program, .best = NOBODYS};
	int i;

	for (i = 0; i < parts->n && w.best != ITSOWN; i++) {
		Arena tmp = {0};

		eachmodule(&parts->part[i], seerun, &w, &tmp);
		areset(&tmp);
	}
	return w.best;
}

/* dirat - the number of a directory of profiles; NONE if it does not exist or may not be read. */
static int
dirat(Input *in, const char *path)
{
	struct stat st, had;
	int i;

	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode) || access(path, R_OK | X_OK) != 0)
		return NONE;
	for (i = 0; i < in->ndir; i++)
		if (stat(in->dir[i].path, &had) == 0 && had.st_dev == st.st_dev
		    && had.st_ino == st.st_ino)
			return i;
	apush(in->run, in->dir, in->ndir, in->capdir);
	in->dir[i] = (Inputdir){.path = path, .parts = {.run = in->run}};
	addparts(&in->dir[i].parts, path);
	settleparts(&in->dir[i].parts);
	searchnear(&in->finder, path);
	return in->ndir++;
}

/* tried - the directories, as text. */
static const char *
tried(const char **dir, int n, Arena *run)
{
	Buf b = {.arena = run};
	int i;

	for (i = 0; i < n; i++)
		bprintf(&b, "%s%s", !i ? "" : i + 1 < n ? ", " : " or ", dir[i]);
	return b.s;
}

/* findruns - finds the directory with the runs of program i. */
static void
findruns(Input *in, int i)
{
	Given *named = &in->finder.named[i];
	int k, n, at, found = NONE, best = runsin(in, &in->named, named->path);
	const char **path = profilesof(named->path, &n, in->run);
	Inputdir *d;

	for (k = 0; k < n && best != ITSOWN; k++) {
		int how;

		if ((at = dirat(in, path[k])) == NONE)
			continue;
		how = runsin(in, &in->dir[at].parts, named->path);
		if (how < best) {
			best = how;
			found = at;
		}
	}
	if (best == NOBODYS)
		err(named->path, "no profile of it in %s", tried(path, n, in->run));
	named->iscopy = best == COPYS;
	if (found == NONE)
		return;
	d = &in->dir[found];
	apush(in->run, d->program, d->nprogram, d->capprogram);
	d->program[d->nprogram++] = named->path;
}

void
openinput(Input *in, char **name, int n, Arena *run)
{
	int i;

	*in = (Input){.run = run, .finder = {.run = run}, .named = {.run = run}};
	if (n == 0) {
		addparts(&in->named, profiles());
		searchnear(&in->finder, profiles());
		if (!in->named.n && anyfailed())
			exit(1);
		if (!in->named.n)
			err(profiles(),
			    "has no profiles: build a program with tally build and run it");
	}
	for (i = 0; i < n; i++) {
		if (isprogram(name[i])) {
			addprogram(in, name[i]);
			continue;
		}
		addparts(&in->named, name[i]);
		searchnear(&in->finder, name[i]);
	}
	settleparts(&in->named);
	for (i = 0; i < in->finder.nnamed; i++)
		findruns(in, i);
	for (i = 0; i < in->ndir; i++)
		if (!in->dir[i].nprogram)
			partsdone(&in->dir[i].parts);
}

void
closeinput(Input *in)
{
	int i;

	partsdone(&in->named);
	for (i = 0; i < in->ndir; i++)
		partsdone(&in->dir[i].parts);
}

/* addlabel - adds the parts with a label; with any, if it is NULL. */
static void
addlabel(Profile *p, Parts *parts, const char *label)
{
	const Entry *e = label ? lookup(&parts->label, label, strlen(label)) : NULL;
	Arena tmp = {0};
	Portion **part = NULL;
	size_t cap = 0;
	int i, n = 0;

	for (i = label ? e ? e->value : NONE : 0; i != NONE && i < parts->n;
	     i = label ? parts->part[i].next : i + 1) {
		if (parts->part[i].unwanted)
			continue;
		apush(&tmp, part, n, cap);
		part[n++] = &parts->part[i];
	}
	readparts(p, part, n, label ? NULL : "reading profiles", 0, n);
	if (!label)
		progressed();
	areset(&tmp);
}

/* readruns - reads what was counted in the programs whose runs are in a directory. */
static void
readruns(Profile *p, Inputdir *d, const char *label)
{
	Profile all = {.run = p->run, .finder = p->finder};
	int i, k;

	addlabel(&all, &d->parts, label);
	for (i = 0; i < d->nprogram; i++)
		for (k = 0; k < all.nmodule; k++)
			if (strcmp(all.module[k].path, d->program[i]) == 0) {
				apush(p->run, p->module, p->nmodule, p->capmodule);
				p->module[p->nmodule++] = all.module[k];
			}
}

Profile
readcounts(Input *in, const char *label, Arena *run)
{
	Profile p = {.run = run, .finder = &in->finder};
	int i;

	addlabel(&p, &in->named, label);
	for (i = 0; i < in->ndir; i++)
		if (in->dir[i].nprogram)
			readruns(&p, &in->dir[i], label);
	if (!label && !p.nmodule && anyfailed())
		exit(1);
	return p;
}

/* bytext - sorts labels by their letters. */
static int
bytext(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **
labelsof(const Input *in, int *n, Arena *run)
{
	Table seen = {.arena = run};
	const char **label = NULL;
	size_t cap = 0;
	int i, k;

	*n = 0;
	for (i = -1; i < in->ndir; i++) {
		const Parts *from = i < 0 ? &in->named : &in->dir[i].parts;

		for (k = 0; k < from->n && (i < 0 || in->dir[i].nprogram); k++) {
			const char *s = from->part[k].label;

			if (intern(&seen, s, strlen(s), *n)->value < *n)
				continue;
			apush(run, label, *n, cap);
			label[(*n)++] = s;
		}
	}
	if (*n)
		qsort(label, (size_t)*n, sizeof *label, bytext);
	return label;
}

typedef struct Mapping Mapping;

struct Mapping {
	Module *m;
	Arena *run;
	bool same;
};

static void
domap(void *mapping)
{
	Mapping *x = mapping;

	x->same = readmap(x->m, x->run);
}

/* mapmodules - keeps the modules whose programs exist as they ran; says which are left out, unless
 * quiet. */
int
mapmodules(Module *module, int n, bool quiet, Arena *run)
{
	int i, k = 0;

	for (i = 0; i < n; i++) {
		Module *m = &module[i];
		Mapping x = {m, run, false};

		if (access(m->path, R_OK) != 0) {
			if (!quiet)
				remark("%s: %s: %" PRIu64 " run%s left out", m->path,
				       strerror(errno), m->nrun, m->nrun == 1 ? "" : "s");
			continue;
		}
		if (!attempt(domap, &x, quiet))
			continue;
		if (!x.same) {
			if (!quiet)
				remark("%s: has changed since it ran: %" PRIu64
				       " run%s of another build "
				       "left out",
				       m->path, m->nrun, m->nrun == 1 ? "" : "s");
			continue;
		}
		module[k++] = *m;
	}
	return k;
}

Module *
readlabel(Input *in, const char *label, bool quiet, int *nmodule, Arena *run)
{
	Profile p = readcounts(in, label, run);
	int i;

	*nmodule = mapmodules(p.module, p.nmodule, quiet, run);
	findswitched(p.module, *nmodule);
	for (i = 0; i < *nmodule; i++)
		solvemodule(&p.module[i], run);
	return p.module;
}

/* wantended - leaves out the parts of processes that were killed or still run, unless there are no
 * others; returns how many processes are left out. */
static uint64_t
wantended(Parts *p)
{
	uint64_t gone = 0;
	bool some = false;
	int i;

	for (i = 0; i < p->n; i++)
		some |= !p->part[i].gone;
	for (i = 0; i < p->n && some; i++) {
		p->part[i].unwanted = p->part[i].gone;
		gone += p->part[i].gone;
	}
	return gone;
}

Module *
readended(char **name, int n, int *nmodule, Arena *run)
{
	Module *module;
	uint64_t gone;
	Input in;
	int i;

	openinput(&in, name, n, run);
	gone = wantended(&in.named);
	for (i = 0; i < in.ndir; i++)
		gone += wantended(&in.dir[i].parts);
	if (gone)
		remark("%" PRIu64 " processes still run or were killed: they are not compared",
		       gone);
	module = readlabel(&in, NULL, false, nmodule, run);
	closeinput(&in);
	return module;
}

Module *
readinput(char **name, int n, int *nmodule, Arena *run)
{
	Module *module;
	Input in;

	openinput(&in, name, n, run);
	module = readlabel(&in, NULL, false, nmodule, run);
	closeinput(&in);
	return module;
}

Module *
readdump(const char *memory, const char *base, char **program, int n, int *nmodule, Arena *run)
{
	Module *module = anew(run, Module, n);
	uint64_t addr = 0;
	char *end;
	int i;

	if (base) {
		errno = 0;
		addr = strtoull(base, &end, 0);
		if (errno || end == base || *end)
			err("--base", "%s: expected an address, such as 0x100000", base);
	}
	for (i = 0; i < n; i++) {
		module[i].path = program[i];
		readmemory(&module[i], memory, base ? &addr : NULL, run);
		solvemodule(&module[i], run);
	}
	*nmodule = n;
	return module;
}
