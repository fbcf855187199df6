/* mix.c - tally mix: what kinds of instructions were executed. */

#include "cmd.h"

#include "report/mix.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Asked Asked;

struct Asked {
	Choosing choosing;
	Dump dump;
	Output out;
	Mix how;
};

static const char *const keys[] = {"mnemonic", "class", "length", NULL};
static const char *const parts[] = {"program", "file", "function", NULL};

static void readcosts(const Got *);

static const Option option[] = {
	{"by", 0, "KEY", setword, AT(how.key), keys,
	 "group by mnemonic (the default), class or length"},
	{"per", 0, "PART", setword, AT(how.part), parts,
	 "one table for each program (the default), file or function"},
	{"costs", 0, "FILE", readcosts, AT(how), NULL,
	 "a table of costs: each line has a mnemonic (or glob), class:NAME, read, write or byte, "
	 "and a number"},
	{.with = &memoryoption, .at = AT(dump.memory)},
	{.with = &baseoption, .at = AT(dump.base)},
	{.with = &onlyoption, .at = AT(choosing.only)},
	{.with = &prefixoption, .at = AT(choosing.prefix)},
	{.with = &formatoption, .at = AT(out.format)},
	{.with = &nopageroption, .at = AT(out.nopager)},
	{0},
};

static const Syntax syntax = {
	.usage = "tally mix [OPTIONS] [PROGRAM | PROFILE ...]",
	.option = option,
	.note = inputnote,
};

/* readcosts - a file of costs. */
static void
readcosts(const Got *g)
{
	Mix *mix = g->to;
	const char *path = g->value;
	FILE *f = fopen(path, "r");
	char *line = NULL, *what, *number, *end;
	size_t len = 0, cap = 0;
	double cost;
	int n = 0;

	if (!f)
		syserr("open %s", path);
	while (getline(&line, &len, f) >= 0) {
		n++;
		line[strcspn(line, "#\n")] = 0;
		if (!line[strspn(line, " \t")])
			continue;
		what = line + strspn(line, " \t");
		number = what + strcspn(what, " \t");
		if (*number)
			*number++ = 0;
		cost = strtod(number, &end);
		if (end == number || end[strspn(end, " \t")])
			err(path, "line %d: expected an instruction and its cost", n);
		apush(g->run, mix->cost, mix->ncost, cap);
		mix->cost[mix->ncost++] = (Cost){astrndup(g->run, what, strlen(what)), cost};
	}
	free(line);
	fclose(f);
}

int
cmdmix(int argc, char **argv)
{
	Arena run = {0};
	Report report = {.f = stdout, .run = &run};
	Asked a = {0};

	readoptions(&syntax, argc, argv, &a, &run);
	choose(&report, &a.choosing);
	readcounted(&report, &a.dump, &syntax, argv + optind, argc - optind);
	preparelines(&report.of, &run);
	openoutput(&a.out, &report);
	mix(&report, &a.how);
	closeoutput(&report);
	areset(&run);
	return !report.of.nmodule;
}
