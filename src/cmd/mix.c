/* mix.c - tally mix: what kinds of instructions were executed. */

#include "cmd.h"

#include "report/report.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"usage: tally mix [OPTIONS] [PROGRAM | PROFILE ...]\n"
	"  --by=KEY        mnemonic, class or length\n"
	"  --per=PART      program, file or function\n"
	"  --costs=FILE    what instructions cost: lines of a mnemonic (or glob), class:NAME,\n"
	"                  read, write or byte, and a number\n"
	"  --memory=FILE, --base=ADDR   take the counts out of PROGRAM's memory, as in tally "
	"print\n"
	"  --only=GLOB     only these files or functions; may be repeated\n"
	"  --prefix-map=OLD=NEW   sources whose paths begin with OLD are under NEW\n" MANNERSHELP
	"Without PROGRAM or PROFILE all in tally.out; of a PROGRAM its runs, there or where it was "
	"built.\n";

/* choice - which of the words was given; they end by NULL. */
static int
choice(const char *option, const char *given, const char *const *word)
{
	int i;

	for (i = 0; word[i]; i++)
		if (strcmp(word[i], given) == 0)
			return i;
	usage(help, "%s=%s: no such choice", option, given);
}

/* readcosts - a table that the user made. */
static void
readcosts(Mix *mix, const char *path, Arena *run)
{
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
			err(path, "line %d: want an instruction and what it costs", n);
		apush(run, mix->cost, mix->ncost, cap);
		mix->cost[mix->ncost++] = (Cost){astrndup(run, what, strlen(what)), cost};
	}
	free(line);
	fclose(f);
}

int
cmdmix(int argc, char **argv)
{
	static const struct option longs[] = {
		{"by", required_argument, NULL, 'b'},
		{"per", required_argument, NULL, 'p'},
		{"costs", required_argument, NULL, 'c'},
		{"only", required_argument, NULL, 'O'},
		{"prefix-map", required_argument, NULL, 'M'},
		{"memory", required_argument, NULL, 'm'},
		{"base", required_argument, NULL, 'B'},
		MANNERS,
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	static const char *const keys[] = {"mnemonic", "class", "length", NULL};
	static const char *const parts[] = {"program", "file", "function", NULL};
	Arena run = {0};
	Report report = {.f = stdout, .run = &run};
	const char *memory = NULL, *base = NULL;
	Mix how = {0};
	Output out = {0};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":h", longs, NULL)) != -1)
		switch (c) {
		case 'b': how.key = (Mixkey)choice("--by", optarg, keys); break;
		case 'p': how.part = (Mixpart)choice("--per", optarg, parts); break;
		case 'c': readcosts(&how, optarg, &run); break;
		case 'm': memory = optarg; break;
		case 'B': base = optarg; break;
		case 'O':
		case 'M': choose(&report, c, help); break;
		case 'F':
		case 'G': manners(&out, c, help); break;
		case 'h':
			fputs(help, stdout);
			flushout();
			return 0;
		case ':': usage(help, "%s: wants a value", argv[optind - 1]);
		default: usage(help, "%s: no such option", argv[optind - 1]);
		}
	if (base && !memory)
		usage(help, "--base is for --memory");
	if (memory && optind == argc)
		usage(help, "--memory wants the PROGRAM whose memory it was");
	if (memory)
		report.module =
			readdump(memory, base, argv + optind, argc - optind, &report.nmodule, &run);
	else
		report.module = readinput(argv + optind, argc - optind, &report.nmodule, &run);
	joinfiles(&report);
	sourcenames(&report);
	openoutput(&out, &report);
	mix(&report, &how);
	closeoutput(&report);
	areset(&run);
	return !report.nmodule;
}
