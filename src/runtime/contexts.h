/* contexts.h - control goes to another stack: by swapcontext and the like, by longjmp, or by the
 * program's own code (switches.h).
 *
 * A coroutine that waits has frames that were entered and not left.  We might keep a list of all
 * stacks that wait, but nobody tells us when one is freed, resumed by another thread or copied by
 * fork.  So there is no list:
 *
 *     control leaves a stack		all of its frames are counted as left
 *     control comes back to it		all of its frames are entered: the cuts are taken back
 *
 * Whatever waits when the process ends is counted as left already, which is right if it never goes
 * on.  The cost is a walk of both stacks at each switch, by what is known of their frames
 * (enterknown).
 *
 * swapcontext must come back through the runtime, for the sake of uc_link: its return address
 * becomes a stub, and the real one is kept in a table by stack pointer (Waiting). */

#ifndef CONTEXTS_H
#define CONTEXTS_H

#include "cuts.h"

/* Offsets in a ucontext_t. */
enum { UCSTACK = 16, UCSIZE = 32, UCRSP = SAVEDRSP, UCRIP = SAVEDRIP };

enum { PROBES = 8 };

/* unmangle - decode a pointer that glibc keeps in a jmp_buf. */
static uint64_t
unmangle(uint64_t x)
{
	uint64_t key;

	__asm__("movq %%fs:0x30, %0" : "=r"(key));
	return (x >> 17 | x << 47) ^ key;
}

/* setframe - set the callee-saved registers of a frame, which reg[] has in the order of a jmp_buf.
 * This is hot: the frame is not cleared, and its other registers stay undefined. */
static void
setframe(Frame *f, const uint64_t *reg, uint64_t rbp, uint64_t rsp, uint64_t rip)
{
	f->reg[RBX] = reg[0];
	f->reg[RBP] = rbp;
	f->reg[12] = reg[2];
	f->reg[13] = reg[3];
	f->reg[14] = reg[4];
	f->reg[15] = reg[5];
	f->reg[RSP] = rsp;
	f->reg[RIP] = rip;
	f->cfa = 0;
	f->interrupted = f->careful = 0;
}

/* target - the frame to which a jmp_buf leads.  glibc mangles three of its registers, musl none.
 * In musl sigsetjmp returns to its caller by way of itself, with the buffer in rbx. */
static void
target(const uint64_t *buf, Frame *f)
{
	int plain = (buf[6] | buf[7]) >> 47 == 0;

	if (plain)
		setframe(f, buf, buf[1], buf[6], buf[7]);
	else
		setframe(f, buf, unmangle(buf[1]), unmangle(buf[6]), unmangle(buf[7]));
	if (plain && buf[0] == (uint64_t)buf) {
		f->reg[RBX] = buf[10];
		f->reg[RIP] = buf[8];
	}
}

/* enterknown - enter frames as long as all is known of them, and they are counted as left. */
QUICK static void
enterknown(Frame *f)
{
	uint64_t rip = f->reg[RIP], sp = f->reg[RSP], cfa;
	const Known *k;
	int i;

	for (k = knownat(rip); k->rip == rip && !k->interrupted && k->left && k->left->times;
	     k = knownat(rip)) {
		cfa = (uint64_t)(int64_t)k->cfaoff + (k->cfareg == RSP ? sp : f->reg[k->cfareg]);
		if (cfa <= sp)
			break;
		k->left->times--;
		for (i = 0; i < NSAVED; i++)
			f->reg[k->reg[i]] = *(const uint64_t *)(cfa + (uint64_t)(int64_t)k->off[i]);
		rip = *(const uint64_t *)(cfa - 8);
		sp = cfa;
	}
	f->reg[RIP] = rip;
	f->reg[RSP] = f->cfa = sp;
}

/* iscalling - whether the frame where control goes on is in a call.  It is not at the start of a
 * function, perhaps of a new stack, or at a label to which somebody jumps. */
static int
iscalling(const Frame *f)
{
	uint64_t at = f->reg[RIP];

	if (f->interrupted)
		return 0;
	return iscounted(at - 1) ? followscall((const uint8_t *)at) : !isbegin(at);
}

/* enterfirst - enter the frame where control goes on, if it is not in a call, and step to its
 * caller.  Returns what step() returned. */
static int
enterfirst(Frame *f)
{
	uint64_t at = f->reg[RIP], back;
	int went;

	f->interrupted = !iscalling(f);
	if (!f->interrupted)
		return 1;
	if (isbegin(at)) {
		back = *(const uint64_t *)f->reg[RSP];
		if (!entryfor(back - 1) || !followscall((const uint8_t *)back))
			learn(back);
	}
	uncut(at, CUTINTERRUPTED);
	went = step(f);
	if (went == -1 && !entryfor(at)) /* its function has no unwind information */
		went = popframe(f);
	return went;
}

/* enterframes - enter all frames of the stack from f on, where control goes on. */
QUICK static void
enterframes(Frame *f)
{
	int quick = !f->careful && !p->bridges, went = enterfirst(f), depth;

	for (depth = 0; went == 1 && depth < 1 << 20; depth++) {
		uint64_t at;
		uint32_t how;

		if (quick && !f->interrupted)
			enterknown(f);
		at = f->reg[RIP];
		how = f->interrupted ? CUTINTERRUPTED : 0;
		went = step(f);
		uncut(at, how);
	}
	if (went > 0 || (went < 0 && !search(f, UINT64_MAX, 0, CUTENTERED)))
		p->hdr->flags |= PROFLOSTCUTS;
}

/* leaveall - leave all frames of the stack from f on. */
static void
leaveall(const Frame *f)
{
	Frame from = *f;

	leaveframes(&from, UINT64_MAX, 0, 0, CUTLEFT, NULL);
}

/* probe - the i-th entry where a context that waits with that stack pointer may be. */
static Waiting *
probe(uint64_t rsp, uint64_t i)
{
	uint64_t h = rsp >> 4;

	return &p->context[((h ^ h >> 10 ^ h >> 20) + i) % MAXCONTEXT];
}

/* waiting - the context that waits with that stack pointer; NULL if there is none. */
static Waiting *
waiting(uint64_t rsp)
{
	uint64_t i;

	for (i = 0; i < PROBES; i++)
		if (probe(rsp, i)->rip && probe(rsp, i)->rsp == rsp)
			return probe(rsp, i);
	return NULL;
}

/* overwrite - write a word to memory that may not be mapped any more. */
static void
overwrite(uint64_t at, uint64_t is)
{
	uint64_t to[2] = {at, 8}, from[2] = {(uint64_t)&is, 8};

	sys(__NR_process_vm_writev, p->pid, (long)from, 1, (long)to, 1, 0);
}

/* letgo - make a context that would return to a stub return to where swapcontext was called
 * instead; returns whether it would have. */
static int
letgo(Waiting *w, uint64_t stub)
{
	uint64_t rip, rsp;
	int waits = w->rip && ask(w->saved + UCRIP, &rip) && ask(w->saved + UCRSP, &rsp)
		    && rip == stub && rsp == w->rsp;

	if (waits)
		overwrite(w->saved + UCRIP, w->rip);
	w->rip = 0;
	return waits;
}

/* placefor - the place for a context that is saved in a frame; NULL if there is none.  A context
 * that was saved in the same frame before can still be resumed, so it is let go, unless it returns
 * to the same instruction. */
static Waiting *
placefor(const Frame *f, uint64_t saved, uint64_t stub)
{
	uint64_t rsp = f->reg[RSP], i;
	Waiting *at = waiting(rsp);

	if (at && (at->saved == saved || at->rip == f->reg[RIP]))
		return at;
	for (i = 0; !at && i < PROBES; i++)
		if (!probe(rsp, i)->rip)
			return probe(rsp, i);
	for (i = 0; !at && i < PROBES; i++)
		if (probe(rsp, i)->resumed)
			at = probe(rsp, i);
	if (!at || !maycall())
		return NULL;
	letgo(at, stub);
	return at;
}

/* wait - remember the context that swapcontext saves, called from f, and that will return to a
 * stub; returns whether there was room. */
static int
wait(const Frame *f, uint64_t saved, uint64_t stub)
{
	Waiting *at = placefor(f, saved, stub);

	if (!at) {
		p->hdr->flags |= PROFLOSTCUTS;
		return 0;
	}
	*at = (Waiting){f->reg[RSP], f->reg[RIP], saved, 0};
	return 1;
}

/* dismiss - make contexts that would return to a stub that is about to be unloaded return to where
 * swapcontext was called. */
static void
dismiss(uint64_t stub)
{
	int i;

	for (i = 0; i < MAXCONTEXT; i++)
		if (letgo(&p->context[i], stub) && p->hdr)
			p->hdr->flags |= PROFLOSTCUTS;
}

/* resume - the context that waits with that stack pointer goes on; returns its real return
 * address. */
static uint64_t
resume(uint64_t rsp)
{
	Waiting *w = waiting(rsp);

	w->resumed = 1;
	return w->rip;
}

/* abandon - forget contexts that wait on a stack that is used for something else now. */
static void
abandon(uint64_t begin, uint64_t end)
{
	int i;

	for (i = 0; i < MAXCONTEXT; i++)
		if (p->context[i].rsp >= begin && p->context[i].rsp <= end)
			p->context[i].rip = 0;
}

/* jump - go from f to where a jmp_buf says: down this stack, or to another one. */
static void
jump(Frame *f, const Frame *to)
{
	uint64_t sp = to->reg[RSP], again = to->reg[RIP];
	Frame on = *to;

	if (p->leaving && threadof()->lastrip && isleaving(*f))
		p->hdr->flags |= PROFLOSTCUTS;
	if (!leaveframes(f, sp, again, 0, CUTLEFT, NULL))
		enterframes(&on);
}

/* turn - go from f to a context.  Returns the frame that goes on; an empty one if that returns to
 * the stub `swapped', from where it is entered. */
static Frame
turn(const Frame *f, const char *to, uint64_t swapped)
{
	Frame on = {0}, all;

	leaveall(f);
	interrupted(&on, (uint64_t)to + SAVEDREGS);
	on.interrupted = 0;
	if (on.reg[RIP] == swapped && waiting(on.reg[RSP]))
		return (Frame){0};
	on.interrupted = isbegin(on.reg[RIP]);
	all = on;
	enterframes(&all);
	return on;
}

#endif
