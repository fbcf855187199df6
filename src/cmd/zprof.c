/* zprof.c - zprof: C in, C out, which counts its own basic blocks. */

#include "cmd.h"

#include "road/c/c.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
	"usage: zprof [OPTIONS] FILE.c [-o OUT.c]\n"
	"  -o OUT.c        write there, not to standard output\n"
	"  -P              FILE.c is not to be preprocessed\n"
	"  --cpp=COMMAND   the preprocessor; else the variable CPP, else `cc -E -C'\n"
	"  -std=NAME       the language: c89, gnu89, ..., gnu2x; gnu17 if nothing is said\n"
	"  -D..., -U..., -I...   for the preprocessor\n"
	"The program is to be linked with libzprof.a; it appends to zprof.out.\n";

/* preprocessed - the text of a file as the preprocessor has it. */
static char *
preprocessed(const char *cpp, char **opts, int nopt, char *path, size_t *len, Arena *run)
{
	char **argv = anew(run, char *, nopt + (int)(strlen(cpp) / 2) + 3);
	char *words = astrndup(run, cpp, strlen(cpp));
	int n = 0, i;

	for (words = strtok(words, " \t"); words; words = strtok(NULL, " \t"))
		argv[n++] = words;
	for (i = 0; i < nopt; i++)
		argv[n++] = opts[i];
	argv[n++] = path;
	return capture(argv, len, run);
}

/* writeout - all of it, or nothing; a device is left where it is. */
static void
writeout(const char *path, const Buf *b)
{
	FILE *f = path ? fopen(path, "w") : stdout;
	struct stat st;

	if (!f)
		syserr("open %s", path);
	if (fstat(fileno(f), &st) != 0 || !S_ISREG(st.st_mode))
		st.st_mode = 0;
	if (fwrite(b->s, 1, b->n, f) != b->n || fflush(f) != 0 || (path && fclose(f) != 0)) {
		int e = errno;

		if (path && st.st_mode)
			unlink(path);
		errno = e;
		syserr("write %s", path ? path : "standard output");
	}
}

int
cmdzprof(int argc, char **argv)
{
	static const struct option longs[] = {
		{"cpp", required_argument, NULL, 'p'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	Arena run = {0};
	Source s = {.run = &run};
	Dialect d = {2017, true};
	Buf out = {.arena = &run}, std = {.arena = &run};
	const char *cpp = getenv("CPP"), *to = NULL;
	char **opts = anew(&run, char *, 2 * argc + 2), *text;
	bool raw = false;
	size_t len;
	int c, nopt = 0;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":Po:D:U:I:s:h", longs, NULL)) != -1)
		switch (c) {
		case 'P': raw = true; break;
		case 'o': to = optarg; break;
		case 'p': cpp = optarg; break;
		case 'D':
		case 'U':
		case 'I': {
			Buf b = {.arena = &run};

			bprintf(&b, "-%c%s", c, optarg);
			opts[nopt++] = b.s;
			break;
		}
		case 's':
			if (strncmp(optarg, "td=", 3) != 0 || !dialect(&d, optarg + 3))
				usage(help, "-s%s: no such language", optarg);
			bprintf(&std, "-s%s", optarg);
			opts[nopt++] = std.s;
			break;
		case 'h':
			fputs(help, stdout);
			flushout();
			return 0;
		case ':': usage(help, "%s: its argument is missing", argv[optind - 1]);
		default: usage(help, "%s: no such option", argv[optind - 1]);
		}
	if (optind != argc - 1)
		usage(help, optind == argc ? "no file is given" : "one file at a time");
	text = raw ? readfile(&run, argv[optind], &len)
		   : preprocessed(cpp && *cpp ? cpp : "cc -E -C", opts, nopt, argv[optind], &len,
				  &run);
	if (!parse(&s, argv[optind], text, len, &d)) {
		fprintf(stderr, "%s\n", s.error);
		areset(&run);
		return 1;
	}
	placeblocks(&s, SEED);
	writec(&s, ZPROF, false, &out);
	writeout(to, &out);
	areset(&run);
	return 0;
}
