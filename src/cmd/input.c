/* input.c - the profiles that a command line names. */

#include "cmd.h"

#include <errno.h>
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
	FILE *f = fopen(path, "rb");
	bool is;

	if (!f)
		syserr("open %s", path);
	is = fread(magic, 1, 4, f) == 4 && memcmp(magic, "\177ELF", 4) == 0;
	fclose(f);
	return is;
}

/* program - of all in the directory, the runs of one program. */
static void
program(Profile *p, const char *path)
{
	Profile all = {.run = p->run};
	char *real = realpath(path, NULL);
	int k, found = 0;

	readprofiles(&all, profiles());
	for (k = 0; real && k < all.nmodule; k++)
		if (strcmp(all.module[k].path, real) == 0) {
			apush(p->run, p->module, p->nmodule, p->capmodule);
			p->module[p->nmodule++] = all.module[k];
			found++;
		}
	free(real);
	if (!found)
		err(path, "no run of it is in %s", profiles());
}

Module *
readinput(char **name, int n, int *nmodule, Arena *run)
{
	Profile prof = {.run = run};
	Module *module;
	int i;

	if (n == 0) {
		readprofiles(&prof, profiles());
		if (!prof.nmodule)
			err(profiles(), "has no profiles: run a program that tally build made");
	}
	for (i = 0; i < n; i++)
		readlast(&prof, name[i]);
	for (i = 0; i < n; i++) {
		if (isprogram(name[i]))
			program(&prof, name[i]);
		else
			readprofile(&prof, name[i]);
	}
	module = anew(run, Module, prof.nmodule);
	*nmodule = 0;
	for (i = 0; i < prof.nmodule; i++) {
		Module *m = &prof.module[i];

		if (access(m->path, R_OK) != 0) {
			remark("%s: %s: %d run%s left out", m->path, strerror(errno), m->nrun,
			       m->nrun == 1 ? "" : "s");
			continue;
		}
		if (!readmap(m, run)) {
			remark("%s: has changed since it ran: %d run%s of another build left out",
			       m->path, m->nrun, m->nrun == 1 ? "" : "s");
			continue;
		}
		solvemodule(m, run);
		module[(*nmodule)++] = *m;
	}
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
