/* input.c - the profiles that a command line names. */

#include "cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *
profiles(void)
{
	const char *dir = getenv("TALLY_DIR");

	return dir && *dir ? dir : "tally.out";
}

/* isprogram - whether a file is one: it begins as ELF files do. */
static bool
isprogram(const char *path)
{
	char magic[4] = "";
	FILE *f = fopen(path, "rb"); /* a directory can be opened, too */
	bool is;

	if (!f)
		syserr("open %s", path);
	is = fread(magic, 1, 4, f) == 4 && memcmp(magic, "\177ELF", 4) == 0;
	fclose(f);
	return is;
}

/* addprogram - the runs of one program, of all in the directory. */
static void
addprogram(Input *in, const char *path)
{
	char *real = realpath(path, NULL);

	if (!real)
		syserr("open %s", path);
	apush(in->run, in->program, in->nprogram, in->capprogram);
	in->program[in->nprogram++] = astrndup(in->run, real, strlen(real));
	free(real);
}

void
openinput(Input *in, char **name, int n, Arena *run)
{
	int i;

	*in = (Input){.run = run, .all = {.run = run}, .named = {.run = run}};
	if (n == 0) {
		addparts(&in->named, profiles());
		if (!in->named.n)
			err(profiles(), "has no profiles: run a program that tally build made");
	}
	for (i = 0; i < n; i++) {
		if (isprogram(name[i]))
			addprogram(in, name[i]);
		else
			addparts(&in->named, name[i]);
	}
	if (in->nprogram)
		addparts(&in->all, profiles());
	settleparts(&in->named);
	settleparts(&in->all);
}

void
closeinput(Input *in)
{
	partsdone(&in->named);
	partsdone(&in->all);
}

/* readparts - those with a label; NULL for any. */
static void
readparts(Profile *p, Parts *parts, const char *label)
{
	const Entry *e = label ? lookup(&parts->label, label, strlen(label)) : NULL;
	int i;

	for (i = e ? e->value : NONE; i != NONE; i = parts->part[i].next)
		readpart(p, &parts->part[i]);
	for (i = 0; !label && i < parts->n; i++) {
		progress("reading profiles", i, parts->n);
		readpart(p, &parts->part[i]);
	}
	if (!label)
		progressed();
}

Profile
readcounts(Input *in, const char *label, Arena *run)
{
	Profile p = {.run = run}, all = {.run = run};
	int i, k, found;

	readparts(&p, &in->named, label);
	if (in->nprogram)
		readparts(&all, &in->all, label);
	for (i = 0; i < in->nprogram; i++) {
		for (k = found = 0; k < all.nmodule; k++)
			if (strcmp(all.module[k].path, in->program[i]) == 0) {
				apush(run, p.module, p.nmodule, p.capmodule);
				p.module[p.nmodule++] = all.module[k];
				found++;
			}
		if (!found && !label)
			err(in->program[i], "no run of it is in %s", profiles());
	}
	return p;
}

/* bytext - labels in the order of their letters. */
static int
bytext(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **
labelsof(const Input *in, int *n, Arena *run)
{
	const Parts *from[] = {&in->named, &in->all};
	Table seen = {.arena = run};
	const char **label = NULL;
	size_t cap = 0;
	int i, k;

	*n = 0;
	for (i = 0; i < 2; i++)
		for (k = 0; k < from[i]->n; k++) {
			const char *s = from[i]->part[k].label;

			if (intern(&seen, s, strlen(s), *n)->value < *n)
				continue;
			apush(run, label, *n, cap);
			label[(*n)++] = s;
		}
	if (*n)
		qsort(label, (size_t)*n, sizeof *label, bytext);
	return label;
}

/* mapmodules - those whose programs are there as they ran; what is left out is said, unless
 * it has been. */
int
mapmodules(Module *module, int n, bool quiet, Arena *run)
{
	int i, k = 0;

	for (i = 0; i < n; i++) {
		Module *m = &module[i];

		if (access(m->path, R_OK) != 0) {
			if (!quiet)
				remark("%s: %s: %" PRIu64 " run%s left out", m->path,
				       strerror(errno), m->nrun, m->nrun == 1 ? "" : "s");
			continue;
		}
		if (!readmap(m, run)) {
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
	for (i = 0; i < *nmodule; i++)
		solvemodule(&p.module[i], run);
	return p.module;
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
			err("--base", "%s: want an address, such as 0x100000", base);
	}
	for (i = 0; i < n; i++) {
		module[i].path = program[i];
		readmemory(&module[i], memory, base ? &addr : NULL, run);
		solvemodule(&module[i], run);
	}
	*nmodule = n;
	return module;
}
