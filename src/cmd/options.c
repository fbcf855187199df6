/* options.c - the options of a verb, from one table: reading the command line, and --help. */

#include "cmd.h"

#include "report/report.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum {
	COLUMN = 20, /* where help texts begin */
	WIDTH = 90,
	LONG = 256, /* getopt_long()'s value for the first row; smaller values are letters */
};

/* row - row i of a table, in *o; false if there are no more. */
static bool
row(const Syntax *syntax, int i, Option *o)
{
	size_t at = syntax->option[i].at;

	*o = syntax->option[i];
	if (!o->help && o->with)
		*o = *(const Option *)o->with;
	o->at = at;
	return o->help != NULL;
}

/* label - how an option is written.  (-std=NAME is option -s.) */
static void
label(Buf *b, const Option *o)
{
	const char *value = o->value ? o->value : "";

	if (o->letter)
		bprintf(b, "-%c%s%s", o->letter, *value && !strchr(value, '=') ? " " : "", value);
	else if (o->name)
		bprintf(b, "--%s%s%s", o->name, *value ? "=" : "", value);
}

/* fill - a text that begins in column `at', wrapped; it may contain newlines. */
static void
fill(Buf *b, const char *text, size_t at)
{
	const char *s;
	size_t len;

	for (s = text; *s; s += len + (s[len] != 0)) {
		len = strcspn(s, " \n");
		if (s > text && (s[-1] == '\n' || at + 1 + len > WIDTH)) {
			bprintf(b, "\n%*s", COLUMN, "");
			at = COLUMN;
		} else if (s > text) {
			bput(b, " ", 1);
			at++;
		}
		bput(b, s, len);
		at += len;
	}
	bput(b, "\n", 1);
}

/* helprow - an option and its help. */
static void
helprow(Buf *b, const Option *o)
{
	size_t begin = b->n, at;

	bprintf(b, "  ");
	label(b, o);
	at = b->n - begin + 2;
	at = at < COLUMN ? COLUMN : at;
	bprintf(b, "%*s", (int)(at - (b->n - begin)), "");
	fill(b, o->help, at);
}

/* helptext - all that --help shows. */
static char *
helptext(const Syntax *syntax, Arena *run)
{
	Buf b = {.arena = run};
	const char *s, *end;
	Option o;
	int i;

	for (s = syntax->usage; *s; s = *end ? end + 1 : end) {
		end = strchrnul(s, '\n');
		bprintf(&b, "%s %.*s\n", s == syntax->usage ? "usage:" : "      ", (int)(end - s),
			s);
	}
	bprintf(&b, "%s", syntax->about ? syntax->about : "");
	for (i = 0; row(syntax, i, &o); i++)
		helprow(&b, &o);
	bprintf(&b, "%s", syntax->note ? syntax->note : "");
	return b.s;
}

void
wrong(const Syntax *syntax, const char *fmt, ...)
{
	Arena run = {0};
	char *what;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&what, fmt, ap) < 0)
		syserr("no memory");
	va_end(ap);
	usage(helptext(syntax, &run), "%s", what);
}

void
showhelp(const Syntax *syntax)
{
	Arena run = {0};

	fputs(helptext(syntax, &run), stdout);
	flushout();
	exit(0);
}

/* unknown - say which option getopt_long() rejected. */
static _Noreturn void
unknown(const Syntax *syntax, int c, char **argv)
{
	Option o;

	if (c == ':')
		wrong(syntax, "%s: needs a value", argv[optind - 1]);
	if (optopt >= LONG) {
		row(syntax, optopt - LONG, &o);
		wrong(syntax, "--%s: takes no value", o.name);
	}
	if (optopt)
		wrong(syntax, "-%c: no such option", optopt);
	wrong(syntax, "%s: no such option", argv[optind - 1]);
}

/* shortnames, longnames - a table in the form for getopt_long(). */
static char *
shortnames(const Syntax *syntax, Arena *run)
{
	Buf b = {.arena = run};
	Option o;
	int i;

	bprintf(&b, "%s:h", syntax->command ? "+" : "");
	for (i = 0; row(syntax, i, &o); i++)
		if (o.letter)
			bprintf(&b, "%c%s", o.letter, o.value ? ":" : "");
	return b.s;
}

static struct option *
longnames(const Syntax *syntax, Arena *run)
{
	struct option *v = NULL;
	size_t cap = 0;
	int i, n = 0;
	Option o;

	for (i = 0; row(syntax, i, &o); i++) {
		apush(run, v, n + 1, cap);
		if (o.name)
			v[n++] = (struct option){o.name, o.value != NULL, NULL, LONG + i};
	}
	apush(run, v, n + 1, cap);
	v[n++] = (struct option){"help", no_argument, NULL, 'h'};
	v[n] = (struct option){0};
	return v;
}

void
readoptions(const Syntax *syntax, int argc, char **argv, void *asked, Arena *run)
{
	char *letter = shortnames(syntax, run);
	struct option *name = longnames(syntax, run);
	int c, i;
	Option o;

	opterr = 0;
	while ((c = getopt_long(argc, argv, letter, name, NULL)) != -1) {
		if (c == 'h')
			showhelp(syntax);
		if (c == ':' || c == '?')
			unknown(syntax, c, argv);
		for (i = 0; row(syntax, i, &o) && (c < LONG ? o.letter != c : LONG + i != c); i++)
			;
		o.take(&(Got){syntax, &o, optarg, (char *)asked + o.at, run});
	}
}

void
setflag(const Got *g)
{
	*(bool *)g->to = true;
}

void
settext(const Got *g)
{
	*(char **)g->to = g->value;
}

/* sentence - words as a list: a, b or c. */
static char *
sentence(const char *const *word, Arena *run)
{
	Buf b = {.arena = run};
	int i;

	for (i = 0; word[i]; i++)
		bprintf(&b, "%s%s", i == 0 ? "" : word[i + 1] ? ", " : " or ", word[i]);
	return b.s;
}

void
setword(const Got *g)
{
	const char *const *word = g->option->with;
	int i;

	for (i = 0; word[i] && strcmp(word[i], g->value) != 0; i++)
		;
	if (!word[i])
		wrong(g->syntax, "--%s=%s: choose %s", g->option->name, g->value,
		      sentence(word, g->run));
	*(int *)g->to = i;
}

void
addtext(const Got *g)
{
	Argv *w = g->to;

	w->arena = g->run;
	argput(w, g->value);
}

void
addpair(const Got *g)
{
	if (!strchr(g->value, '='))
		wrong(g->syntax, "--%s=%s: expected OLD=NEW", g->option->name, g->value);
	addtext(g);
}

void
setnumber(const Got *g)
{
	*(int *)g->to = *(const int *)g->option->with;
}

void
setone(const Got *g)
{
	const void **to = g->to;
	Buf all = {.arena = g->run};
	Option o;
	int i;

	for (i = 0; *to && *to != g->option->with && row(g->syntax, i, &o); i++)
		if (o.take == setone && o.at == g->option->at) {
			bprintf(&all, all.n ? ", " : "");
			label(&all, &o);
		}
	if (all.n)
		wrong(g->syntax, "choose one of %s", all.s);
	*to = g->option->with;
}

void
choose(Report *r, const Choosing *c)
{
	r->of.only = c->only.v;
	r->of.nonly = c->only.n;
	r->of.prefix = c->prefix.v;
	r->of.nprefix = c->prefix.n;
	r->mangled = c->mangled;
}

void
readcounted(Report *r, const Dump *d, const Syntax *syntax, char **name, int n)
{
	if (d->base && !d->memory)
		wrong(syntax, "--base needs --memory");
	if (d->memory && !n)
		wrong(syntax, "--memory needs the PROGRAM whose memory it is");
	r->of.module = d->memory ? readdump(d->memory, d->base, name, n, &r->of.nmodule, r->run)
			      : readinput(name, n, &r->of.nmodule, r->run);
}

const char inputnote[] =
	"PROFILE may be a directory.  A PROGRAM stands for the profiles of its runs, in tally.out\n"
	"or where it was built.  The default is all profiles in tally.out.\n";

const Option onlyoption = {
	.name = "only",
	.value = "GLOB",
	.take = addtext,
	.help = "show only these files or functions; may be repeated",
};

const Option mangledoption = {
	.name = "mangled",
	.take = setflag,
	.help = "show symbols instead of demangled names",
};

const Option prefixoption = {
	.name = "prefix-map",
	.value = "OLD=NEW",
	.take = addpair,
	.help = "look under NEW for sources whose paths begin with OLD",
};

const Option memoryoption = {
	.name = "memory",
	.value = "FILE",
	.take = settext,
	.help = "read the counts from PROGRAM's memory: a core file, or raw bytes",
};

const Option baseoption = {
	.name = "base",
	.value = "ADDR",
	.take = settext,
	.help = "the address in PROGRAM of the first byte of FILE; default: PROGRAM's lowest "
		"address",
};

static const char *const formats[] = {[TEXT] = "text", [JSON] = "json", NULL};
static const char *const colors[] = {[AUTO] = "auto", [ALWAYS] = "always", [NEVER] = "never", NULL};

const Option formatoption = {
	.name = "format",
	.value = "FORM",
	.take = setword,
	.with = formats,
	.help = "text, or json: an array with an object for each row",
};

const Option nopageroption = {
	.name = "no-pager",
	.take = setflag,
	.help = "do not start a pager on a terminal",
};

const Option coloroption = {
	.name = "color",
	.value = "WHEN",
	.take = setword,
	.with = colors,
	.help = "always, never, or auto (the default): on a terminal",
};
