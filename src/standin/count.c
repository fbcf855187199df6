/* count.c - put counters into a file of assembly, by the options of tally build, the compiler and
 * the assembler. */

#include "standin.h"

#include "guest/guest.h"
#include "road/asm/asm.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* order - how to count, by these options. */
static Counting
order(const Settings *s, const Call *c, const char *as, Unit *u)
{
	Driver d = askdriver(s, u->run);
	Counting how = {
		.as = assembling(as, &c->opts, NULL, NULL),
		.scheme = s->counters == CHECK ? EDGES : (Scheme)s->counters,
		.check = s->counters == CHECK,
		.calls = s->calls,
		.flat = s->flat,
		.firsts = s->order,
		.bare = s->bare,
		.only = s->only.v,
		.nonly = s->only.n,
		.skip = s->skip.v,
		.nskip = s->skip.n,
		.weights = s->weights ? readweights(s->weights, u->run) : NULL,
		.keeplines = d.lines,
		.plain = d.plain,
		.faraway = d.faraway,
		.marklines = c->debug,
		.place = s->bare ? NULL : PLACE,
	};
	int i, k;

	for (k = 0; k < s->without.n; k++)
		for (i = 0; i < NWAY; i++)
			how.without[i] |= strcmp(s->without.v[k], wayname[i]) == 0;
	u->nofrontiers = d.nofrontiers;
	return how;
}

const char *
count(Unit *u, const Settings *s, const Call *c, const char *as, Buf *out)
{
	Counting how = order(s, c, as, u);
	const char *why;

	if (istrial(mainfile(u)))
		return "a configuration test";
	if (!u->reason && how.faraway)
		return "a code model that is not small";
	why = countunit(u, &how, out);
	if (!why && !how.bare)
		putruntime(out, s->dir, s->road == INTEXT);
	return why;
}

double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

void
note(const Settings *s, Unit *u, const char *why, double took)
{
	Buf b = {.arena = u->run};
	const char *file = mainfile(u);
	int f;

	if (why) {
		bprintf(&b, "%s\t%s\t%s\n", u->empty ? "empty" : "passed", file, why);
	} else {
		bprintf(&b, "counted\t%s\t%d\t%.0f\n", file, u->nfunc, took);
		for (f = 0; f < u->nfunc; f++)
			if (u->func[f].reason)
				bprintf(&b, "function\t%s\t%s\t%s\n", file, u->func[f].name,
					u->func[f].reason);
	}
	writelog(s, &b);
}

void
countfile(const Settings *s, const Argv *as, const char *path)
{
	Arena *run = as->arena;
	Unit u = {.run = run};
	Buf out = {.arena = run}, reason = {.arena = run};
	char cwd[4096], *text;
	const char *why;
	double began = now();
	size_t len;
	FILE *f;
	bool said;
	Call c;

	readcall(&c, as->v, as->n, run);
	text = readfile(run, path, &len);
	u.dir = getcwd(cwd, sizeof cwd);
	split(&u, path, text, len);
	bprintf(&reason, "-B or -specs selects another assembler, %s", as->v[0]);
	why = c.odd ? reason.s : count(&u, s, &c, as->v[0], &out);
	if (hassection(
		    &u,
		    ".gnu.lto_")) { /* the linker compiles it; we do not see the assembly */
		u.empty = false;
		why = reason.s;
	}
	if (!why
	    && runwith(assembling(as->v[0], &c.opts, NULL, "/dev/null"), out.s, out.n, &said) != 0)
		why = "the assembler rejects it with counters";
	if (!why) {
		f = fopen(path, "w");
		if (!f || fwrite(out.s, 1, out.n, f) != out.n || fclose(f) != 0)
			syserr("write %s", path);
	}
	note(s, &u, why, now() - began);
}
