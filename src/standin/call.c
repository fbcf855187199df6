/* call.c - the command line of an assembler. */

#include "standin.h"

#include <string.h>

void
readcall(Call *c, char **argv, int argc, Arena *run)
{
	static const char *const takes[] = {"-I",   "--defsym", "--debug-prefix-map",
					    "--MD", "-MD",      NULL};
	int i, k;

	*c = (Call){.argv = argv, .argc = argc, .output = "a.out", .opts = {.arena = run}};
	for (i = 1; i < c->argc; i++) {
		char *a = c->argv[i];

		if (strcmp(a, "-o") == 0 && i + 1 < c->argc) {
			c->output = c->argv[++i];
			continue;
		}
		if (strncmp(a, "-o", 2) == 0 && a[2]) {
			c->output = a + 2;
			continue;
		}
		if (a[0] == '@') {      /* a file with more options */
			c->asks = true; /* the real assembler reads it */
			continue;
		}
		if (strcmp(a, "--") == 0 || strcmp(a, "-") == 0)
			continue;
		if (a[0] != '-') {
			if (c->input)
				c->odd = a;
			c->input = a;
			continue;
		}
		c->asks |= strcmp(a, "--version") == 0 || strcmp(a, "--help") == 0
			   || strcmp(a, "--target-help") == 0;
		if (strcmp(a, "--32") == 0 || strcmp(a, "--x32") == 0 || strncmp(a, "-a", 2) == 0
		    || strcmp(a, "-v") == 0)
			c->odd = a;
		c->debug |= strncmp(a, "-g", 2) == 0 || strncmp(a, "--g", 3) == 0;
		argput(&c->opts, a);
		for (k = 0; takes[k]; k++)
			if (strcmp(a, takes[k]) == 0 && i + 1 < c->argc)
				argput(&c->opts, c->argv[++i]);
	}
}

char **
assembling(const char *as, const Argv *opts, const char *input, const char *output)
{
	Argv a = {.arena = opts->arena};

	argput(&a, as);
	argputall(&a, opts->v, opts->n);
	if (output) {
		argput(&a, "-o");
		argput(&a, output);
	}
	if (input)
		argput(&a, input);
	return a.v;
}
