/* output.c - what verbs have in common: --format, --color, --no-pager; options that they do not know. */

#include "cmd.h"

#include "report/report.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
manners(Output *out, int option, const char *help)
{
	switch (option) {
	case 'F':
		out->json = strcmp(optarg, "json") == 0;
		if (!out->json && strcmp(optarg, "text") != 0)
			usage(help, "--format=%s: choose text or json", optarg);
		break;
	case 'C':
		out->color = optarg;
		if (strcmp(optarg, "always") != 0 && strcmp(optarg, "never") != 0
		    && strcmp(optarg, "auto") != 0)
			usage(help, "--color=%s: choose always, never or auto", optarg);
		break;
	default: out->nopager = true;
	}
}

/* wantcolor - what --color says. */
static bool
wantcolor(const Output *out)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (out->color && strcmp(out->color, "auto") != 0)
		return strcmp(out->color, "always") == 0;
	return isatty(STDOUT_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

void
openoutput(const Output *out, Report *r)
{
	r->color = !out->json && !out->html && wantcolor(out);
	if (out->json || out->html)
		r->rows = anew(r->run, Records, 1);
	else if (!out->nopager)
		startpager();
	if (out->html)
		r->rows->html = true;
	beginrows(r);
}

void
closeoutput(const Report *r)
{
	endrows(r);
	flushout();
	endpager();
}

void
otheroption(int c, char **argv, const char *help)
{
	if (c == 'h') {
		fputs(help, stdout);
		flushout();
		exit(0);
	}
	if (c == ':')
		usage(help, "%s: wants a value", argv[optind - 1]);
	if (optopt)
		usage(help, "-%c: no such option", optopt);
	usage(help, "%s: no such option", argv[optind - 1]);
}
