/* output.c - how verbs print tables: color, a pager, JSON or an HTML page. */

#include "cmd.h"

#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* wantcolor - decide by --color, the terminal and the environment. */
static bool
wantcolor(const Output *out)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (out->color != AUTO)
		return out->color == ALWAYS;
	return isatty(STDOUT_FILENO) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

void
openoutput(const Output *out, Report *r)
{
	r->color = out->format == TEXT && wantcolor(out);
	if (out->format != TEXT)
		r->rows = anew(r->run, Records, 1);
	else if (!out->nopager)
		startpager();
	if (out->format == HTML)
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
