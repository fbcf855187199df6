/* contexts.h - swapcontext and its sisters.  Frames that another context waits in are not
 * left; those that wait when the process ends are. */

#ifndef CONTEXTS_H
#define CONTEXTS_H

#include "cuts.h"

/* As getcontext and swapcontext save them: offsets in a ucontext_t. */
enum { UCSTACK = 16, UCSIZE = 32, UCRSP = SAVEDRSP, UCRIP = SAVEDRIP };

enum { PROBES = 8 };

/* probe - the i-th place for a context that waits with that stack. */
static Frame *
probe(uint64_t rsp, uint64_t i)
{
	uint64_t h = rsp >> 4;

	return &p->context[((h ^ h >> 10 ^ h >> 20) + i) % MAXCONTEXT];
}

/* waiting - the context that does so with that stack; NULL. */
static Frame *
waiting(uint64_t rsp)
{
	uint64_t i;

	for (i = 0; i < PROBES; i++)
		if (probe(rsp, i)->reg[RIP] && probe(rsp, i)->reg[RSP] == rsp)
			return probe(rsp, i);
	return NULL;
}

/* isbegin - whether a function begins there: a context that was made, and never ran. */
static int
isbegin(uint64_t pc)
{
	const uint8_t *at = entryfor(pc);
	Entry e = {0};

	return !at || !readentry(at, &e) || pc == e.begin || pc - e.begin >= e.length;
}

/* learn - where the first function of a context returns to: its unwind entry is that of
 * something else, for it was not called. */
static void
learn(const char *to)
{
	if (!p->outermost && isbegin(*(const uint64_t *)(to + UCRIP)))
		p->outermost = **(const uint64_t *const *)(to + UCRSP);
}

/* wait - in swapcontext, called from f; false if there is no room. */
static int
wait(const Frame *f)
{
	Frame *at = waiting(f->reg[RSP]);
	uint64_t i;

	if (at)
		p->hdr->flags |= PROFLOSTCUTS; /* nobody came back to that one */
	for (i = 0; !at && i < PROBES; i++)
		if (!probe(f->reg[RSP], i)->reg[RIP]) {
			at = probe(f->reg[RSP], i);
			p->ncontext++;
		}
	if (!at) {
		p->hdr->flags |= PROFLOSTCUTS;
		return 0;
	}
	*at = *f;
	at->careful = 1; /* its stack may be gone by then */
	return 1;
}

/* resume - the context that waits with that stack; where it goes on. */
static uint64_t
resume(uint64_t rsp)
{
	Frame *f = waiting(rsp);
	uint64_t rip = f->reg[RIP];

	f->reg[RIP] = 0;
	p->ncontext--;
	return rip;
}

/* cutwaiting - the frames of contexts that wait on a stack. */
static void
cutwaiting(uint64_t begin, uint64_t end, uint32_t kind)
{
	int i;

	for (i = 0; p->ncontext && i < MAXCONTEXT; i++) {
		Frame f = p->context[i];

		if (f.reg[RIP] && f.reg[RSP] >= begin && f.reg[RSP] <= end)
			leaveframes(&f, UINT64_MAX, 0, 0, kind, NULL);
	}
}

/* abandon - those contexts: nobody will come back to them. */
static void
abandon(uint64_t begin, uint64_t end)
{
	int i;

	cutwaiting(begin, end, CUTLEFT);
	for (i = 0; p->ncontext && i < MAXCONTEXT; i++) {
		Frame *f = &p->context[i];

		if (f->reg[RIP] && f->reg[RSP] >= begin && f->reg[RSP] <= end) {
			f->reg[RIP] = 0;
			p->ncontext--;
		}
	}
}

/* landon - go on at `again' in the frame that holds address `to' on another stack, where a
 * context may wait that is left thereby. */
static void
landon(uint64_t to, uint64_t again)
{
	int i;

	for (i = 0; p->ncontext && i < MAXCONTEXT; i++) {
		Frame from = p->context[i];

		if (from.reg[RIP] && from.reg[RSP] <= to && isbelow(from, to)) {
			leaveframes(&from, to, again, 0, CUTLEFT, NULL);
			p->context[i].reg[RIP] = 0;
			p->ncontext--;
			return;
		}
	}
	p->hdr->flags |= PROFLOSTCUTS;
	cut(again, CUTENTERED);
}

/* jump - down this stack, to where a jmp_buf says; false if that is not on it. */
static int
jump(Frame *f, uint64_t to, uint64_t again)
{
	if (p->leaving && slotof()->lastrip && isleaving(*f))
		p->hdr->flags |= PROFLOSTCUTS;
	return leaveframes(f, to, again, 0, CUTLEFT, NULL);
}

/* jumpaway - to another stack, after all.  Those who are left on this one may go on some day,
 * or never. */
static void
jumpaway(Frame *f, uint64_t to, uint64_t again)
{
	uint64_t at = f->reg[RIP];

	p->undo = 1;
	leaveframes(f, to, again, 0, CUTLEFT, NULL);
	p->undo = 0;
	p->hdr->flags |= PROFLOSTCUTS;
	cut(at, CUTLEFT);
	landon(to, again);
}

/* turn - to a context, called from f and not to come back.  Returns the frame that goes on, if it
 * has not been waiting. */
static Frame
turn(Frame *f, const char *to, uint64_t swapped)
{
	uint64_t rsp = *(const uint64_t *)(to + UCRSP), rip = *(const uint64_t *)(to + UCRIP);
	Frame on = {0};

	learn(to);
	interrupted(&on, (uint64_t)to + SAVEDREGS);
	on.interrupted = isbegin(rip);
	if (isbelow(*f, rsp)) {
		leaveframes(f, rsp, rip, 0, CUTLEFT, NULL);
		return on;
	}
	leaveframes(f, UINT64_MAX, 0, 0, CUTLEFT, NULL);
	if (rip == swapped && waiting(rsp))
		return (Frame){0};
	if (!isbegin(rip))
		landon(rsp, rip);
	return on;
}

#endif
