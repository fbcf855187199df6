/* loads.c - what processes have loaded: programs and libraries. */

#include "trace.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void
release(Space *sp)
{
	if (!sp || --sp->refs)
		return;
	close(sp->mem);
	areset(&sp->run);
}

Space *
newspace(Tracer *t, pid_t pid)
{
	Space *sp = anew(t->run, Space, 1);
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	sp->pid = pid;
	sp->mem = open(path, O_RDWR | O_CLOEXEC);
	sp->refs = 1;
	sp->counting = true;
	return sp;
}

Space *
copyspace(Tracer *t, const Space *old, pid_t pid)
{
	Space *sp = newspace(t, pid);
	int i;

	sp->entry = old->entry;
	for (i = 0; i < old->nmod; i++) {
		Mod *m;

		apush(&sp->run, sp->mod, sp->nmod, sp->capmod);
		m = &sp->mod[sp->nmod++];
		*m = old->mod[i];
		m->slot = anew(&sp->run, int, m->capslot + 1);
		m->owner = anew(&sp->run, int, m->capowner + 1);
		if (m->nslotted)
			memcpy(m->slot, old->mod[i].slot, (size_t)m->nslotted * sizeof *m->slot);
		if (m->nslot)
			memcpy(m->owner, old->mod[i].owner, (size_t)m->nslot * sizeof *m->owner);
	}
	for (i = 0; i < old->ntrap; i++)
		puttrap(sp, &old->trap[i]);
	return sp;
}

/* targetin - the target for a file that a process of a program uses; NULL if it is no program or
 * library. */
static Target *
targetin(const Tracer *t, Run *run, const char *path)
{
	Image *im;
	int i;

	for (i = 0; i < run->ntarget; i++)
		if (strcmp(run->target[i]->im->path, path) == 0)
			return run->target[i];
	im = openimage(path, isusual(path, t->wish, run->ntarget == 0), t->run);
	if (!im)
		return NULL;
	if (run->ntarget == 0) {
		run->wish = *t->wish;
		if (!im->debug && !run->wish.given && t->nprog == 1)
			run->wish.unit = FUNCTIONS;
		if (t->nprog == 1
		    && (run->wish.unit != t->wish->unit || (!im->debug && run->wish.unit == LINES)))
			notice("%s: has no debug information: %s", path,
			       run->wish.given ? "there are no lines to count"
					       : "function calls are counted instead");
	}
	/* NOLINTNEXTLINE(bugprone-sizeof-expression) */
	apush(t->run, run->target, run->ntarget, run->captarget);
	run->target[run->ntarget] = targetof(im, &run->wish, run->ntarget == 0, t->run);
	return run->target[run->ntarget++];
}

/* addmodule - add a module that a process has loaded, and plant its probes. */
static void
addmodule(const Thread *th, Target *tg, uint64_t bias)
{
	Space *sp = th->sp;
	uint64_t at;
	Mod *m;
	int i;

	for (i = 0; i < sp->nmod; i++)
		if (sp->mod[i].tg == tg && sp->mod[i].bias == bias) {
			sp->mod[i].here = true;
			return;
		}
	apush(&sp->run, sp->mod, sp->nmod, sp->capmod);
	m = &sp->mod[sp->nmod++];
	*m = (Mod){.tg = tg, .bias = bias, .here = true};
	if (sp->counting)
		putbreaks(sp, m);
	at = symbolat(tg->im, "_dl_debug_state");
	if (at)
		addtrap(sp, bias + at, ATLIBS);
	at = symbolat(tg->im, "_Unwind_SetIP");
	if (at)
		addtrap(sp, bias + at, ATLANDING);
}

/* forgetgone - forget the modules that were unloaded, and the traps in them. */
static void
forgetgone(Space *sp)
{
	int i, k, n = 0;

	for (i = 0; i < sp->nmod; i++) {
		const Mod *m = &sp->mod[i];

		if (m->here) {
			sp->mod[n++] = *m;
			continue;
		}
		for (k = 0; k < sp->ntrap; k++)
			if (modat(sp, sp->trap[k].addr) == m)
				sp->trap[k].addr = 0;
	}
	sp->nmod = n;
}

void
lookaround(Tracer *t, Thread *th)
{
	FILE *f = openmaps(th->tid);
	Mapping m;
	int i, k;

	for (i = 0; i < th->sp->nmod; i++)
		th->sp->mod[i].here = false;
	while (nextmap(f, &m)) {
		const uint64_t mask = 4095;
		Target *tg = m.code && m.path[0] == '/' ? targetin(t, th->run, m.path) : NULL;

		for (k = 0; tg && k < tg->im->ntext; k++)
			if ((tg->im->text[k].offset & ~mask) == m.offset) {
				addmodule(th, tg, m.begin - (tg->im->text[k].addr & ~mask));
				break;
			}
	}
	if (f)
		fclose(f);
	forgetgone(th->sp);
}

uint64_t
auxval(pid_t pid, uint64_t type)
{
	char path[64];
	uint64_t pair[2];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/auxv", (int)pid);
	f = fopen(path, "rb");
	while (f && fread(pair, sizeof pair, 1, f) == 1)
		if (pair[0] == type) {
			fclose(f);
			return pair[1];
		}
	if (f)
		fclose(f);
	return 0;
}

Run *
runof(Tracer *t, pid_t pid)
{
	char link[64], path[PATH_MAX] = "";
	ssize_t n;
	Run *run;
	int i;

	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	n = readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = 0;
	for (i = 0; i < t->nprog; i++)
		if (t->prog[i]->ntarget && strcmp(t->prog[i]->target[0]->im->path, path) == 0)
			return t->prog[i];
	run = anew(t->run, Run, 1);
	run->pid = pid;
	run->begun = (uint64_t)time(NULL);
	/* NOLINTNEXTLINE(bugprone-sizeof-expression) */
	apush(t->run, t->prog, t->nprog, t->capprog);
	t->prog[t->nprog++] = run;
	targetin(t, run, path);
	return run;
}

void
begin(Tracer *t, Thread *th)
{
	release(th->sp);
	th->sp = newspace(t, th->tid);
	th->run = runof(t, th->tid);
	th->run->runs++;
	th->sp->entry = auxval(th->tid, AT_ENTRY);
	if (t->wish->times && !th->run->cost.wall)
		th->run->cost = stopcost(th->sp, th->tid);
	lookaround(t, th);
	if (auxval(th->tid, AT_BASE)) {
		addtrap(th->sp, th->sp->entry, ATENTRY);
		th->loading = th->starting = true;
	}
}
