/* print.c - tally print: what was counted. */

#include "cmd.h"

#include "profile/profile.h"
#include "report/report.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
	"usage: tally print [-f | -s | -b | --compare] [PROGRAM | PROFILE ...]\n"
	"                  without options: source lines and how often they ran\n"
	"  -f              a table of functions\n"
	"  -s              a line for each file: instructions executed (ie), there (i), never\n"
	"                  executed (ine); basic blocks executed (bbe), there (bb), never (bbne)\n"
	"  -b              every block and edge\n"
	"  --compare       compare redundant with optimal counters, in a program that was\n"
	"                  built with --counters=check\n"
	"Without PROGRAM or PROFILE all in tally.out; of a PROGRAM its runs there.\n";

/* profiles - the directory where they are. */
static const char *
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

/* program - of all in tally.out, the runs of one program. */
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

/* compare - blocks counted twice must be counted alike. */
static int
compare(const Module *m)
{
	long blocks = 0, wrong = 0;
	int i, b;

	for (i = 0; i < m->nfn; i++) {
		const Fn *fn = &m->fn[i];

		for (b = 0; fn->check && b < fn->g->nblock; b++) {
			uint64_t n;

			if (fn->check->slot[b] == NOSLOT)
				continue;
			n = m->count[fn->first + fn->code.block[b].check];
			blocks++;
			if (n != fn->flow->count[b]) {
				printf("%s: block %d: solved %" PRId64 ", counted %" PRIu64 "\n",
				       fn->name, b, (int64_t)fn->flow->count[b], n);
				wrong++;
			}
		}
	}
	printf("%s: %ld blocks compared, %ld differences\n", m->path, blocks, wrong);
	return wrong != 0;
}

/* remarks - what keeps the counts from being exact. */
static int
remarks(const Module *m)
{
	if (m->ngone)
		fprintf(stderr,
			"%s: %d of %d processes still run, or were killed: counts of the functions "
			"active then may be one off\n",
			m->path, m->ngone, m->nrun);
	else if (m->midcall)
		fprintf(stderr,
			"%s: ended inside a call of main (by exit or the like): counts of the "
			"functions "
			"active then may be one off\n",
			m->path);
	if (m->jumps)
		fprintf(stderr, "%s: calls longjmp: counts of the functions it leaves may be off\n",
			m->path);
	if (m->flags & PROFTHREADS)
		fprintf(stderr, "%s: ran several threads: counts may be too low\n", m->path);
	if (m->flags & PROFMIDWAY)
		fprintf(stderr,
			"%s: counting began or ended in the middle, by tally.h: counts of the "
			"functions active then may be one off\n",
			m->path);
	if (m->flags & PROFFORKED)
		fprintf(stderr,
			"%s: forked: counts of parent and child are in one, and may be off\n",
			m->path);
	if (m->nbad)
		fprintf(stderr, "%s: the counts of %d functions contradict each other\n", m->path,
			m->nbad);
	return m->nbad > 0;
}

/* Views of a module, by option. */
static const struct {
	int option;
	void (*view)(FILE *, const Module *, Arena *);
} views[] = {{0, listing}, {'f', functions}, {'s', summary}, {'b', blocks}};

int
cmdprint(int argc, char **argv)
{
	static const struct option longs[] = {
		{"compare", no_argument, NULL, 'c'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	Arena run = {0};
	Profile prof = {.run = &run};
	int c, i, chosen = 0, shown = 0, status = 0;
	size_t k;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":fsbh", longs, NULL)) != -1)
		switch (c) {
		case 'f':
		case 's':
		case 'b':
		case 'c':
			if (chosen && chosen != c)
				usage(help, "choose one of -f, -s, -b and --compare");
			chosen = c;
			break;
		case 'h':
			fputs(help, stdout);
			flushout();
			return 0;
		default:
			if (optopt)
				usage(help, "-%c: no such option", optopt);
			usage(help, "%s: no such option", argv[optind - 1]);
		}
	if (optind == argc) {
		readprofiles(&prof, profiles());
		if (!prof.nmodule)
			err(profiles(), "has no profiles: run a program that tally build made");
	}
	for (i = optind; i < argc; i++) {
		if (isprogram(argv[i]))
			program(&prof, argv[i]);
		else
			readprofile(&prof, argv[i]);
	}
	for (i = 0; i < prof.nmodule; i++) {
		Module *m = &prof.module[i];

		if (!readmap(m, &run)) {
			fprintf(stderr,
				"%s: has changed since it ran: %d run%s of another build left "
				"out\n",
				m->path, m->nrun, m->nrun == 1 ? "" : "s");
			continue;
		}
		shown++;
		solvemodule(m, &run);
		for (k = 0; k < sizeof views / sizeof *views; k++)
			if (views[k].option == chosen)
				views[k].view(stdout, m, &run);
		if (chosen == 'c')
			status |= compare(m);
		status |= remarks(m);
	}
	flushout();
	areset(&run);
	return status || !shown;
}
