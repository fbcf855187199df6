/* as.c - tally in the place of the assembler: put counters into what is assembled.
 *
 * What cannot be counted goes to the real assembler as it came. */

#include "standin.h"

#include "road/asm/asm.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Job Job;

/* A call of the assembler. */
struct Job {
	const Settings *settings;
	Call call;
	char *as;     /* the real one */
	Clang *clang; /* our caller; NULL if it is not clang */
	char *text;   /* the input */
	size_t len;
	Arena *run;
};

/* isusers - whether the text is the user's own.  By itself clang would not call an assembler for
 * what it compiled, so warnings about that are not shown. */
static bool
isusers(const Job *j)
{
	const char *input = j->call.input;
	int i;

	for (i = 1; j->clang && input && i < j->clang->argv.n; i++)
		if (strcmp(j->clang->argv.v[i], input) == 0)
			return true;
	return !j->clang;
}

/* repeat - the assembler's warnings name lines: have it read the text as it came. */
static void
repeat(const Job *j)
{
	const Call *c = &j->call;

	runwith(assembling(j->as, &c->opts, c->input, "/dev/null"), c->input ? NULL : j->text,
		j->len, NULL);
}

/* again - clang compiles and assembles in one process, so there was no chance to mark the source:
 * have clang compile it once more, with markers; or with --lines=tables, if optimized, at least
 * read its shape. */
static void
again(Unit *u, const Job *j)
{
	const char *why = NULL, *end, *s, *input = j->call.input;
	Unit marked = {.run = u->run, .dir = u->dir};
	Buf b = {.arena = u->run};
	size_t len;
	char *text;
	bool item;

	if (!j->clang || u->nmarker || istrial(mainfile(u)))
		return;
	if (j->settings->lines == TABLES) {
		if (askdriver(j->settings, u->run).plain)
			return;
		reshape(j->clang, mainfile(u), input, &b);
		for (s = b.s; s && s < b.s + b.n; s = end + 1) {
			end = strchr(s, '\n');
			isremark(u, s, end, &item);
		}
		return;
	}
	text = recompile(j->clang, mainfile(u), input, &len, &why);
	if (text) {
		split(&marked, input ? input : "-", text, len);
		*u = marked;
	} else if (why) {
		bprintf(&b, "tables\t%s\t%s\n", mainfile(u), why);
		writelog(j->settings, &b);
	}
}

/* pass - make the object as it would be without us; returns the wait status.  Preferably clang
 * makes it: it would not have called an assembler, and another assembler may not accept what
 * clang's does. */
static int
pass(Unit *u, const Job *j)
{
	const Call *c = &j->call;
	Buf words = {.arena = j->run};
	bool cheap = u->empty || istrial(mainfile(u)); /* any assembler makes the same of it */
	int status = -1;

	c->argv[0] = j->as;
	if (j->clang && !cheap)
		status = plainly(j->clang, mainfile(u), c->input, c->output);
	if (status == -1)
		status = runfor(c->argv, c->input ? NULL : j->text, j->len, NULL,
				j->clang ? &words : NULL);
	if (status != 0 && j->clang && cheap) {
		int other = plainly(j->clang, mainfile(u), c->input, c->output);

		if (other != -1)
			return other;
	}
	if (words.n)
		fwrite(words.s, 1, words.n, stderr);
	return status;
}

/* leave - assemble only: the counters are in the C text that this was compiled from.  Returns the
 * wait status. */
static int
leave(Unit *u, const Job *j)
{
	char *text = j->text, *marked = NULL;
	const Call *c = &j->call;
	const char *why = NULL;
	size_t len = j->len;
	int status;

	if (j->clang && !istrial(mainfile(u)))
		marked = recompile(j->clang, mainfile(u), c->input, &len, &why);
	if (marked)
		text = marked;
	status = runwith(assembling(j->as, &c->opts, NULL, c->output), text, len, NULL);
	u->empty = !hascode(u);
	if (status == 0 && !memmem(text, len, "__tally_c_", 10))
		note(j->settings, u, why ? why : "not C", 0);
	return status;
}

/* otherwise - why nothing of this is counted, whatever the text is; NULL if it may be. */
static const char *
otherwise(const Job *j, int distance)
{
	const Call *c = &j->call;
	const char *machine = NULL;
	Buf b = {.arena = j->run};
	int i;

	if (j->clang) {
		machine = target(j->clang);
	} else if (calledbygcc()) {
		for (i = 1; i < c->argc && strcmp(c->argv[i], "--64") != 0; i++)
			;
		if (i == c->argc)
			machine = gccmachine(j->settings, j->run);
	}
	if (machine && !iscountable(j->settings, machine))
		bprintf(&b, "code for another machine, %s", machine);
	else if (c->odd)
		bprintf(&b, "%s for the assembler", c->odd);
	else if (distance > 1)
		bprintf(&b, "something has cleared the environment of its compiler");
	return b.s;
}

/* assemble - make the object with counters; why that cannot be done, or NULL. */
static const char *
assemble(Unit *u, const Job *j, double began)
{
	const Call *c = &j->call;
	Buf out = {.arena = j->run};
	const char *why;
	double ready;
	bool said;

	again(u, j);
	why = count(u, j->settings, c, j->as, &out);
	if (why)
		return why;
	ready = now();
	if (runwith(assembling(j->as, &c->opts, NULL, c->output), out.s, out.n, &said) != 0)
		return "the assembler rejects it with counters";
	if (said && isusers(j))
		repeat(j);
	note(j->settings, u, NULL, ready - began);
	return NULL;
}

int
cmdas(int argc, char **argv)
{
	Arena run = {0};
	Settings settings;
	int distance = inbuild(&settings, &run), status = 0;
	Job j = {.settings = &settings, .run = &run};
	Unit u = {.run = &run};
	double began = now();
	char cwd[4096];
	const char *why, *name;
	Clang clang;

	j.as = calledbygcc() ? gccpart(&settings, "as", &run) : realtool(&settings, "as", &run);
	readcall(&j.call, argv, argc, &run);
	if (j.call.asks || distance < 0) {
		argv[0] = j.as;
		execv(j.as, argv);
		syserr("exec %s", j.as);
	}
	if (openclang(&clang, &settings, &run))
		j.clang = &clang;
	name = j.call.input ? j.call.input : "-";
	j.text = readfile(&run, name, &j.len);
	u.dir = getcwd(cwd, sizeof cwd);
	split(&u, name, j.text, j.len);
	why = otherwise(&j, distance);
	if (!why && settings.road == INTEXT) {
		status = leave(&u, &j);
	} else {
		if (!why)
			why = assemble(&u, &j, began);
		if (why) {
			status = pass(&u, &j);
			if (status < 0)
				syserr("exec %s", j.as);
			if (status == 0)
				note(&settings, &u, why, 0);
		}
	}
	if (j.clang && status == 0)
		bringhome(j.clang, mainfile(&u), j.call.input, j.call.output);
	areset(&run);
	return endas(status);
}
