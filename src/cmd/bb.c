/* bb.c - bb: put counters into a file of assembly, and write a listing of what they count beside
 * it. */

#include "cmd.h"

#include "guest/guest.h"
#include "road/asm/asm.h"
#include "standin/standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Asked Asked;

struct Asked {
	const char *dump;
};

/* setdump - letters of passes whose results are printed. */
static void
setdump(const Got *g)
{
	if (!isdump(g->value))
		wrong(g->syntax, "-d %s: contains a letter that names no pass", g->value);
	settext(g);
}

static const Option option[] = {
	{NULL, 'd', "LETTERS", setdump, AT(dump), NULL,
	 "for developers: show the results of passes, and write nothing else"},
	{0},
};

static const Syntax syntax = {
	.usage = "bb [-d LETTERS] [FILE.s]",
	.about = "Writes the assembly with counters to standard output, and to FILE.sL each "
		 "instruction\n"
		 "with the number of its basic block.  Without FILE, or for -, it reads standard "
		 "input\n"
		 "and writes no FILE.sL.\n",
	.option = option,
};

/* newrows - a line `FILE: LINE' for each row of a function up to an instruction, from *next on. */
static void
newrows(Buf *b, const Unit *u, int f, int *next, uint32_t insn)
{
	const Lines *l = &u->lines;

	for (; *next < l->first[f + 1] && l->row[*next].insn <= insn; ++*next) {
		const Coderow *row = &l->row[*next], *last = *next > l->first[f] ? row - 1 : NULL;
		const char *name = row->file < (uint32_t)l->nfile ? l->file[row->file] : NULL;
		const char *base = name ? strrchr(name, '/') : NULL;

		if (name && row->line
		    && (!last || last->line != row->line || last->file != row->file))
			bprintf(b, "%s: %u\n", base ? base + 1 : name, row->line);
	}
}

/* function - its name, and its instructions with the numbers of their blocks, the first of which is
 * base. */
static void
function(Buf *b, const Unit *u, int f, int base)
{
	const Func *fn = &u->func[f];
	int i, next = u->lines.first[f];
	uint32_t insn = 0;

	if (fn->body.g)
		bprintf(b, "%s:\n", fn->name);
	else
		bprintf(b, "%s: uncounted: %s\n", fn->name, fn->reason ? fn->reason : "?");
	for (i = 0; i < fn->nitem; i++) {
		const Item *it = &u->item[fn->item[i]];
		const Stmt *st = &u->stmt[it->stmt];

		if (st->data && it->block == NONE)
			continue;
		newrows(b, u, f, &next, insn);
		if (fn->body.g)
			bprintf(b, "%d\t%.*s\n", base + it->block - FIRST, st->len, st->s);
		else
			bprintf(b, "-\t%.*s\n", st->len, st->s);
		if (it->block != NONE)
			insn += (uint32_t)it->ninsn
				+ (fn->body.g && i != fn->body.last[it->block] ? (uint32_t)it->npad
									       : 0);
	}
}

/* list - all functions; blocks are numbered from 1 throughout the file. */
static void
list(Buf *b, const Unit *u)
{
	int f, k, base = 1;

	for (f = 0; f < u->nfunc; f++) {
		const Func *fn = &u->func[f];

		function(b, u, f, base);
		for (k = FIRST; fn->body.g && k < fn->body.g->nblock; k++)
			base += fn->body.first[k] != NONE;
	}
}

/* leave - write a file, completely or not at all. */
static void
leave(const char *path, const Buf *text, Arena *run)
{
	Newfile new;

	fwrite(text->s, 1, text->n, ownfile(&new, path, run));
	endfile(&new);
}

/* complain - show the assembler's diagnostics of the text, if any; then ours. */
static _Noreturn void
complain(char *as, const char *path, const char *text, size_t len, const char *why)
{
	char *argv[] = {as, "-o", "/dev/null", NULL};

	runwith(argv, text, len, NULL);
	err(path, "cannot be counted: %s", why);
}

/* beside - the name of the listing. */
static char *
beside(const char *path, Arena *run)
{
	const char *dot = strrchr(path, '.');
	Buf name = {.arena = run};

	bprintf(&name, "%s%s", path, dot && strcmp(dot, ".s") == 0 ? "L" : ".sL");
	return name.s;
}

/* finish - write the text with counters and the runtime, and the listing. */
static void
finish(const Unit *u, const char *path, const char *cwd, Buf *out)
{
	Buf dir = {.arena = u->run}, lines = {.arena = u->run};

	bprintf(&dir, "%s/tally.out", cwd);
	putruntime(out, dir.s, false);
	list(&lines, u);
	if (strcmp(path, "-") != 0)
		leave(beside(path, u->run), &lines, u->run);
	fwrite(out->s, 1, out->n, stdout);
	flushout();
}

/* finishdump - print what the passes printed, and why they stopped, if they did. */
static void
finishdump(Buf *dumped, const char *why)
{
	if (why)
		bprintf(dumped, "not counted: %s\n", why);
	fwrite(dumped->s, 1, dumped->n, stdout);
	flushout();
}

int
cmdbb(int argc, char **argv)
{
	Arena run = {0};
	Unit u = {.run = &run};
	Buf out = {.arena = &run}, dumped = {.arena = &run};
	Settings settings = getsettings(&run);
	char *as = realtool(&settings, "as", &run), *argvas[] = {as, NULL}, *text, cwd[4096];
	Counting how = {.as = argvas,
		     .scheme = EDGES,
		     .keeplines = true,
		     .firsts = true,
		     .place = PLACE,
		     .dumped = &dumped};
	const char *path, *why;
	Asked a = {0};
	size_t len;

	readoptions(&syntax, argc, argv, &a, &run);
	if (optind + 1 < argc)
		wrong(&syntax, "one file at a time");
	path = optind < argc ? argv[optind] : "-";
	how.dump = a.dump;
	if (!getcwd(cwd, sizeof cwd))
		syserr("getcwd");
	text = readfile(&run, path, &len);
	u.dir = cwd;
	split(&u, path, text, len);
	why = countunit(&u, &how, &out);
	if (why && !how.dump)
		complain(as, path, text, len, why);
	if (how.dump)
		finishdump(&dumped, why);
	else
		finish(&u, path, cwd, &out);
	areset(&run);
	return 0;
}
