/* scan.c - find functions, blocks and edges. */

#include "asm.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct Scan Scan;

enum { ISFUNC = 1, ISGLOBAL = 2 };
enum { LEFT = 1, RIGHT = 2 };

struct Scan {
	Unit *u;
	Table labels; /* names to statements */
	Table traits; /* names to ISFUNC, ISGLOBAL */
	Table sides;  /* names in tables of exceptions to the sides of `-' on which they are */
	bool typed;   /* the text has .type */
};

static bool
nameend(int c)
{
	return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
		 || c == '_' || c == '.' || c == '$' || c >= 0x80);
}

/* traits - what .type and .globl say. */
static void
traits(Scan *sc)
{
	Unit *u = sc->u;
	int i, n;

	u->byhand = true;
	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];
		const char *s = st->s, *end = s + st->len, *name;
		int what;

		if (st->kind != DIRECTIVE)
			continue;
		if (begins(st, ".ident"))
			u->byhand = false;
		if (begins(st, ".type") && memmem(s, (size_t)st->len, "function", 8))
			what = ISFUNC;
		else if (begins(st, ".globl") || begins(st, ".global") || begins(st, ".weak"))
			what = ISGLOBAL;
		else
			continue;
		sc->typed |= what == ISFUNC;
		word(&s, end, &name); /* the directive */
		while ((n = word(&s, end, &name)) > 0) {
			intern(&sc->traits, name, (size_t)n, 0)->value |= what;
			if (what == ISFUNC)
				break;
		}
	}
}

/* isfunction - whether a label begins a function. */
static bool
isfunction(Scan *sc, const Stmt *st)
{
	const Entry *e;
	const char *name;
	int n = labelname(st, &name);

	if (!sc->u->sect[st->sect].code || n == 0 || isdigit((unsigned char)st->s[0]))
		return false;
	e = lookup(&sc->traits, name, (size_t)n);
	if (e)
		return true;
	return !sc->typed && !(n > 1 && name[0] == '.' && name[1] == 'L');
}

/* bindlabels - each label names the next item of its section. */
static void
bindlabels(Scan *sc)
{
	Unit *u = sc->u;
	int *next = anew(u->run, int, u->nsect), i, n;
	const char *name;

	for (i = 0; i < u->nsect; i++)
		next[i] = NONE;
	for (i = u->nstmt - 1; i >= 0; i--) {
		Stmt *st = &u->stmt[i];

		if (st->kind == CODE && u->item[st->item].sect != NONE)
			next[st->sect] = st->item;
		if (st->kind == LABEL) {
			st->item = next[st->sect];
			n = labelname(st, &name);
			if (!isdigit((unsigned char)st->s[0]))
				intern(&sc->labels, name, (size_t)n, i);
		}
	}
}

/* parent - the function whose cold part a name names; NONE. */
static int
parent(const Unit *u, const char *name)
{
	const char *cold = strstr(name, ".cold");
	int f;

	if (!cold)
		return NONE;
	for (f = u->nfunc - 1; f >= 0; f--)
		if (strncmp(u->func[f].name, name, (size_t)(cold - name)) == 0
		    && u->func[f].name[cold - name] == 0)
			return f;
	return NONE;
}

/* findfuncs - give items to functions: each to the last function symbol before it in
 * its section. */
static void
findfuncs(Scan *sc)
{
	Unit *u = sc->u;
	int *cur = anew(u->run, int, u->nsect), i, f;

	for (i = 0; i < u->nsect; i++)
		cur[i] = NONE;
	for (i = 0; i < u->nstmt; i++) {
		Stmt *st = &u->stmt[i];

		if (st->kind == LABEL && st->item != NONE && isfunction(sc, st)) {
			const char *s;
			int n = labelname(st, &s);
			char *name = astrndup(u->run, s, (size_t)n);

			f = cur[st->sect];
			if (f != NONE && u->stmt[u->func[f].label].item == st->item)
				continue; /* another name of the same */
			f = parent(u, name);
			if (f == NONE) {
				apush(u->run, u->func, u->nfunc, u->capfunc);
				f = u->nfunc++;
				u->func[f] = (Func){.name = name, .label = i, .hub = NONE};
			}
			cur[st->sect] = f;
			u->item[st->item].leads = true;
			u->item[st->item].entry = f == u->nfunc - 1 && u->func[f].label == i;
		} else if (st->kind == CODE && u->item[st->item].sect != NONE) {
			f = u->item[st->item].func = cur[st->sect];
			if (f != NONE)
				u->func[f].nitem++;
		}
	}
	for (f = 0; f < u->nfunc; f++) {
		u->func[f].item = anew(u->run, int, u->func[f].nitem);
		u->func[f].nitem = 0;
	}
	for (i = 0; i < u->nitem; i++)
		if ((f = u->item[i].func) != NONE)
			u->func[f].item[u->func[f].nitem++] = i;
}

/* labelof - the statement of the label that a name stands for; NONE.  1b and 1f are the
 * nearest labels 1 before and behind statement i. */
static int
labelof(Scan *sc, int i, const char *s, int n)
{
	const Unit *u = sc->u;
	const Entry *e;
	int k, step = s[n - 1] == 'b' ? -1 : 1;

	if (!isdigit((unsigned char)s[0])) {
		e = lookup(&sc->labels, s, (size_t)n);
		return e ? e->value : NONE;
	}
	for (k = 0; k < n - 1; k++)
		if (!isdigit((unsigned char)s[k]))
			return NONE;
	if (s[n - 1] != 'b' && s[n - 1] != 'f')
		return NONE;
	for (i += step; i >= 0 && i < u->nstmt; i += step)
		if (u->stmt[i].kind == LABEL && u->stmt[i].len == n - 1
		    && memcmp(u->stmt[i].s, s, (size_t)n - 1) == 0)
			return i;
	return NONE;
}

/* pinpoint - where there are marks, several items begin at one place: a branch goes to the one
 * that its label names. */
static void
pinpoint(Scan *sc)
{
	Unit *u = sc->u;
	int i, k, n;

	for (i = 0; u->nmark && i < u->nitem; i++) {
		Item *it = &u->item[i];
		const Stmt *st = &u->stmt[it->stmt];
		const char *s = st->s, *end = s + st->len, *name;

		if (it->target == NONE || !it->insn.direct)
			continue;
		word(&s, end, &name);
		if ((n = word(&s, end, &name)) == 0 || (k = labelof(sc, it->stmt, name, n)) == NONE)
			continue;
		k = u->stmt[k].item;
		if (k != NONE && u->item[k].sect == u->item[it->target].sect
		    && u->item[k].off == u->item[it->target].off)
			it->target = k;
	}
}

static bool
inpads(const Unit *u, const Stmt *st)
{
	return strncmp(u->sect[st->sect].name, ".gcc_except_table", 17) == 0;
}

/* pads - what stands on which side of differences in tables of exceptions.  A table has the
 * begin and the length of a region, and the place where an exception from there lands:
 *
 *   .uleb128 .LEHB0-.LFB7, .LEHE0-.LEHB0, .L5-.LFB7
 *
 * so where regions begin is on both sides, where functions do on the right alone. */
static void
pads(Scan *sc)
{
	const Unit *u = sc->u;
	int i, na, nb;

	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];
		const char *s = st->s + sizeof ".uleb128" - 1, *end = st->s + st->len, *a, *b;

		if (!inpads(u, st) || !begins(st, ".uleb128"))
			continue;
		na = word(&s, end, &a);
		nb = word(&s, end, &b);
		if (!na || !nb || (na == nb && memcmp(a, b, (size_t)na) == 0))
			continue;
		intern(&sc->sides, a, (size_t)na, 0)->value |= LEFT;
		intern(&sc->sides, b, (size_t)nb, 0)->value |= RIGHT;
	}
}

/* bounds - whether a name in a table of exceptions, before what is at rest, is there for the
 * bounds of a region, or of a function: control does not come there because of it. */
static bool
bounds(Scan *sc, const char *s, int n, const char *rest, const char *end)
{
	const Entry *left = lookup(&sc->sides, s, (size_t)n), *right;
	const char *b;
	int nb = word(&rest, end, &b);

	if (!left || left->value != LEFT)
		return left != NULL;
	right = lookup(&sc->sides, b, (size_t)nb);
	return right && right->value != RIGHT;
}

/* takeaddresses - labels of code that branches name, and those that data or other code
 * does. */
static void
takeaddresses(Scan *sc)
{
	Unit *u = sc->u;
	int i, n;

	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];
		const char *s = st->s, *end = s + st->len, *name;
		bool branch = st->kind == CODE && u->item[st->item].insn.direct;
		bool table = inpads(u, st);
		Stmt *label;

		if (st->kind == LABEL || st->debug || begins(st, ".size") || begins(st, ".type")
		    || (st->kind == DIRECTIVE && !st->data))
			continue;
		while ((n = word(&s, end, &name)) > 0) {
			int k = labelof(sc, i, name, n);
			bool bound = table && bounds(sc, name, n, s, end);

			if (k == NONE || bound)
				continue;
			label = &u->stmt[k];
			label->jumped = true;
			if (branch || label->item == NONE || isfunction(sc, label))
				continue;
			/* Where an exception lands nothing jumps: the unwinder goes there, and
			 * the runtime sees it. */
			u->item[label->item].leads = true;
			if (st->kind == CODE && !st->data && !label->user && !u->byhand && !u->bare)
				u->item[label->item].lands = true;
			else
				u->item[label->item].taken |= !table;
		}
	}
}

/* distance - of the address in a statement from behind its instruction, where it is a number; false
 * if there is none: N(%rip). */
static bool
distance(const Stmt *st, long long *n)
{
	const char *rip = memmem(st->s, (size_t)st->len, "(%rip)", 6), *s = rip;
	char *end;

	while (s && s > st->s && (isxdigit((unsigned char)s[-1]) || s[-1] == 'x' || s[-1] == '-'))
		s--;
	if (!s || s == rip || s == st->s || !strchr(" \t,*", s[-1]))
		return false;
	*n = strtoll(s, &end, 0);
	return end == rip;
}

/* refer - such addresses in code that lead to code: it will be elsewhere, so they become names. */
static void
refer(Unit *u)
{
	long long n;
	int i, k;

	for (i = 0; i < u->nitem; i++) {
		Item *it = &u->item[i];

		if (it->func == NONE || it->insn.direct || !distance(&u->stmt[it->stmt], &n))
			continue;
		for (k = u->func[it->func].nitem - 1; k >= 0; k--) {
			const Item *to = &u->item[u->func[it->func].item[k]];

			if (to->sect == it->sect && to->bytes > 0
			    && to->off == it->off + (uint64_t)it->bytes + (uint64_t)n)
				break;
		}
		if (k < 0 || it->ninsn != 1) {
			u->func[it->func].odd = "an address by distance";
			continue;
		}
		it->refers = u->func[it->func].item[k];
		u->item[it->refers].leads = u->item[it->refers].taken = true;
	}
}

static bool
calls(const Stmt *st, const char *name)
{
	size_t len = strlen(name);
	const char *s = memmem(st->s, (size_t)st->len, name, len);

	return s && s > st->s && nameend((unsigned char)s[-1])
	       && (s + len == st->s + st->len || nameend((unsigned char)s[len]));
}

/* isfinal - whether a statement calls one of the library's functions that do not come
 * back to their caller: there the frame ends, as if by a return. */
static bool
isfinal(const Stmt *st)
{
	static const char *const name[] = {
		"exit",
		"_exit",
		"_Exit",
		"quick_exit",
		"abort",
		"longjmp",
		"_longjmp",
		"siglongjmp",
		"__longjmp_chk",
		"pthread_exit",
		"__assert_fail",
		"__stack_chk_fail",
		"__chk_fail",
		"__fortify_fail",
		"__cxa_throw",
		"__cxa_rethrow",
		"_Unwind_Resume",
		"fpc_do_exit",
		"fpc_reraise",
		"fpc_raiseexception",
		"SYSTEM_$$_HALT$LONGINT",
		"SYSTEM_$$_HALT",
		NULL,
	};
	const char *s = st->s, *end = s + st->len, *to;
	int n, i;

	word(&s, end, &to); /* call */
	n = word(&s, end, &to);
	for (i = 0; name[i]; i++)
		if ((int)strlen(name[i]) == n && memcmp(name[i], to, (size_t)n) == 0)
			return s == end || *s == '@';
	return false;
}

/* isplain - whether the operand of a branch is a name.  An expression, such as .+5, may
 * count bytes, and we add some. */
static bool
isplain(const Stmt *st)
{
	const char *s = st->s, *end = s + st->len, *name;
	int n;

	word(&s, end, &name);
	n = word(&s, end, &name);
	if (n == 0 || (n == 1 && *name == '.'))
		return false;
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s == end || *s == '@';
}

/* cross - a branch or call that enters a function elsewhere than at its begin spoils
 * that one, and a branch from another function also the one it comes from. */
static void
cross(Unit *u, int f, const Item *it)
{
	const Item *to = &u->item[it->target];

	if (to->entry && (it->insn.turn == CALL || to->func != f))
		return; /* a call, in one way or another */
	if (it->insn.turn == CALL) {
		if (to->func != NONE)
			u->func[to->func].odd = "a call of its middle";
	} else if (to->func != f) {
		u->func[f].odd = "a jump into another function";
		if (to->func != NONE)
			u->func[to->func].odd = "a jump from another function";
	}
}

/* resolvers - functions that choose others for the dynamic linker (IFUNC).  They run while
 * a module is loaded, when its counters cannot be reached yet. */
static void
resolvers(Scan *sc)
{
	Unit *u = sc->u;
	Table chosen = {.arena = u->run};
	int i, f, n;

	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];
		const char *s = st->s + 5, *end = st->s + st->len, *name;

		if (begins(st, ".type") && memmem(st->s, (size_t)st->len, "gnu_indirect", 12)
		    && (n = word(&s, end, &name)) > 0)
			intern(&chosen, name, (size_t)n, 1);
	}
	for (i = 0; chosen.n && i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];
		const char *s = st->s + 4, *end = st->s + st->len, *name;

		if ((!begins(st, ".set") && !begins(st, ".equ")) || (n = word(&s, end, &name)) == 0
		    || !lookup(&chosen, name, (size_t)n))
			continue;
		n = word(&s, end, &name);
		intern(&chosen, name, (size_t)n, 1);
	}
	for (f = 0; chosen.n && f < u->nfunc; f++)
		if (lookup(&chosen, u->func[f].name, strlen(u->func[f].name)))
			u->func[f].odd = "runs while the program is loaded (IFUNC)";
}

/* inspect - leaders, and reasons to leave the function alone. */
static void
inspect(Unit *u, int f)
{
	Func *fn = &u->func[f];
	bool reach = true; /* control can come to this item from the one before */
	int i;

	for (i = 0; i < fn->nitem; i++) {
		Item *it = &u->item[fn->item[i]];
		const Stmt *st = &u->stmt[it->stmt];

		if (st->data && !reach && !it->taken && !it->leads)
			continue; /* data between functions or behind a jump */
		if (it->odd)
			fn->odd = "code that was not understood";
		/* Without code that could come next, clang -O0 jumps to the end of the
		 * function: control never gets there. */
		if (it->gap && it->target != NONE)
			fn->odd = "a jump to padding";
		if (it->glued && it->leads)
			fn->odd = "a jump past a prefix";
		if (it->target != NONE)
			cross(u, f, it);
		if (it->insn.turn == COND && it->insn.brief)
			fn->odd = "a branch that cannot be moved";
		if (it->insn.direct && !isplain(st))
			fn->odd = "a branch by distance";
		if (it->insn.turn == CALL && it->ninsn == 1 && it->target == NONE && !u->bare
		    && isfinal(st)) {
			it->insn.turn = RETURN;
			it->lost = true;
		}
		if (it->insn.turn == CALL && (calls(st, "vfork") || calls(st, "__vfork")))
			fn->odd = "a call that returns twice";
		reach = it->insn.turn == PLAIN || it->insn.turn == CALL || it->insn.turn == COND
			|| it->ninsn == 0;
	}
}

/* leaders - the targets of branches.  A jump to the begin of another function is a
 * call that does not come back, and leads out. */
static void
leaders(Unit *u)
{
	int i;

	for (i = 0; i < u->nitem; i++) {
		Item *it = &u->item[i];

		if (it->target == NONE || it->insn.turn == CALL)
			continue;
		if (u->item[it->target].entry && u->item[it->target].func != it->func)
			it->target = NONE;
		else
			u->item[it->target].leads = true;
	}
}

/* follows - whether item k of the function is the one after item k-1 in memory. */
static bool
follows(const Unit *u, const Func *fn, int k)
{
	return k < fn->nitem && u->item[fn->item[k]].sect == u->item[fn->item[k - 1]].sect;
}

/* isout - whether an item leaves its function. */
static bool
isout(const Item *it)
{
	return it->insn.turn == INDIR || (it->insn.turn == RETURN && !it->lost)
	       || (it->insn.turn == JUMP && it->target == NONE);
}

typedef struct Course Course;

/* What happened to the stack on the way to an item. */
struct Course {
	int from;    /* where the way begins: behind the last call, or where others may come */
	Stack stack; /* what it became there */
	bool base;   /* so did the frame pointer */
};

/* goes - whether control goes to another stack by an item.  Compilers that leave a function in a
 * frame of another set its frame pointer, too, and jump; that they set a stack pointer, and
 * return or jump to a case of a switch, is no more than the end of a variable array. */
static bool
goes(const Item *it, const Course *c, bool hand)
{
	return isout(it) && c->stack == OTHER && (hand || (it->insn.turn == INDIR && c->base));
}

/* byhand - whether people wrote a function. */
static bool
byhand(const Unit *u, const Func *fn)
{
	return u->byhand || u->stmt[u->item[fn->item[0]].stmt].user;
}

/* handed - a function that people wrote goes to another stack: what it does to its own frame is not
 * known, so its callers' frames are left when it begins, and wherever it ends some are
 * entered.  False if it does more than that. */
static bool
handed(const Unit *u, const Func *fn)
{
	bool silent = true; /* it says nothing of its frame */
	int i;

	for (i = u->item[fn->item[0]].stmt; i >= fn->label; i--)
		silent &= !begins(&u->stmt[i], ".cfi_startproc");
	for (i = 0; i < fn->nitem; i++) {
		const Item *it = &u->item[fn->item[i]];

		if (it->insn.turn == CALL || it->insn.turn == STOP
		    || (it->insn.turn == COND && it->target == NONE)
		    || (it->insn.turn == INDIR && !it->goes)
		    || ((it->lands || it->taken) && silent && it->insn.turn != RETURN)
		    || (it->insn.turn != CALL && it->target == fn->item[0]))
			return false;
	}
	return true;
}

/* findgoing - items by which control goes to another stack. */
static void
findgoing(Unit *u, Func *fn)
{
	bool hand = fn->nitem && byhand(u, fn), any = false;
	Course c = {0};
	int i;

	for (i = 0; i < fn->nitem; i++) {
		Item *it = &u->item[fn->item[i]];

		if (!hand && it->leads)
			c = (Course){.from = i};
		if (it->insn.stack != STAYS)
			c.stack = it->insn.stack;
		c.base |= it->insn.base;
		if (!hand && u->stmt[it->stmt].user)
			u->switches |= goes(it, &c, true); /* amid what the compiler does */
		else
			it->goes = goes(it, &c, hand);
		any |= it->goes;
		if (it->goes && !hand)
			u->item[fn->item[c.from]].parts = true;
		if (it->insn.turn != PLAIN && !(hand && it->insn.turn == COND))
			c = (Course){.from = i + 1};
	}
	if (!hand || !any)
		return;
	fn->parts = handed(u, fn);
	u->switches |= !fn->parts;
	for (i = 0; i < fn->nitem; i++)
		u->item[fn->item[i]].goes = fn->parts && isout(&u->item[fn->item[i]]);
}

/* makeblocks - runs of items; data between them belongs to none. */
static void
makeblocks(Unit *u, Func *fn)
{
	int i, b = NONE;

	fn->first = anew(u->run, int, fn->nitem + FIRST + 1);
	fn->last = anew(u->run, int, fn->nitem + FIRST + 1);
	fn->first[ENTRY] = fn->first[EXIT] = fn->last[ENTRY] = fn->last[EXIT] = NONE;
	for (i = 0; i < fn->nitem; i++) {
		Item *it = &u->item[fn->item[i]];
		const Stmt *st = &u->stmt[it->stmt];

		if (i > 0 && !follows(u, fn, i))
			b = NONE;
		if (b == NONE && st->data && !it->taken && !it->leads)
			continue;
		if (b == NONE || it->leads) {
			b = addblock(fn->g);
			fn->first[b] = i;
		}
		it->block = b;
		fn->last[b] = i;
		if (it->ninsn > 0 && it->insn.turn != PLAIN && it->insn.turn != CALL)
			b = NONE;
	}
}

static void
edge(Unit *u, Func *fn, size_t *cap, int src, int dst, How how)
{
	int e = addedge(fn->g, src, dst);

	fn->how = agrow(u->run, fn->how, (size_t)e + 1, cap, sizeof *fn->how);
	fn->how[e] = how;
}

static void
makeedges(Unit *u, Func *fn)
{
	size_t cap = 0;
	int b, n = fn->g->nblock, i;
	bool taken = false, indirect = false, landing = false, going = false;

	fn->how = agrow(u->run, NULL, 1, &cap, sizeof *fn->how);
	fn->how[CLOSING] = NOWHERE;
	for (i = 0; i < fn->nitem; i++) {
		const Item *it = &u->item[fn->item[i]];

		taken |= it->taken;
		landing |= it->lands;
		indirect |= it->insn.turn == INDIR && !it->goes;
		going |= it->goes;
	}
	if (indirect)
		taken |= landing;
	else if (going)
		taken = false; /* who comes there is seen */
	if (taken && !indirect)
		fn->odd = "labels whose address is taken, and no jump that goes there";
	edge(u, fn, &cap, ENTRY, FIRST, INTO);
	if (taken && indirect) {
		fn->hub = addblock(fn->g);
		fn->g->block[fn->hub].pinned = true;
		fn->first[fn->hub] = fn->last[fn->hub] = NONE;
	}
	for (b = FIRST; b < n; b++) {
		const Item *it = &u->item[fn->item[fn->last[b]]];
		int next = fn->last[b] + 1;
		int after = follows(u, fn, next) ? u->item[fn->item[next]].block : NONE;

		if (fn->hub != NONE
		    && (u->item[fn->item[fn->first[b]]].taken
			|| u->item[fn->item[fn->first[b]]].lands))
			edge(u, fn, &cap, fn->hub, b, FROMHUB);
		switch (it->insn.turn) {
		case COND:
			edge(u, fn, &cap, b, it->target == NONE ? EXIT : u->item[it->target].block,
			     BRANCH);
			/* fall through */
		case PLAIN:
		case CALL:
			/* Without anything after it, a call does not return, and the
			 * frame ends there; other code runs into the next function. */
			if (after != NONE)
				edge(u, fn, &cap, b, after, FALLS);
			else
				edge(u, fn, &cap, b, EXIT, it->insn.turn == CALL ? LEAVES : FALLS);
			break;
		case JUMP:
			edge(u, fn, &cap, b, it->target == NONE ? EXIT : u->item[it->target].block,
			     LEAVES);
			break;
		case INDIR:
			if (fn->hub != NONE && !it->goes)
				edge(u, fn, &cap, b, fn->hub, TOHUB);
			else
				edge(u, fn, &cap, b, EXIT, LEAVES);
			break;
		case RETURN: edge(u, fn, &cap, b, EXIT, LEAVES); break;
		case STOP: break;
		}
	}
	if (fn->hub != NONE) { /* some of the jumps may be tail calls */
		edge(u, fn, &cap, fn->hub, EXIT, NOWHERE);
		fn->g->edge[fn->g->nedge - 1].pinned = true;
		fn->g->edge[fn->g->nedge - 1].odds = COLD_ODDS;
	}
	closeflow(fn->g, u->run);
	fn->how = agrow(u->run, fn->how, (size_t)fn->g->nedge, &cap, sizeof *fn->how);
	for (i = 0; i < fn->g->nedge; i++)
		if (fn->g->edge[i].never)
			fn->how[i] = NOWHERE;
}

/* costs - what a counter costs on each edge and in each block, and where none can be. */
static void
costs(Unit *u, Func *fn)
{
	Graph *g = fn->g;
	int e, b;

	for (e = 0; e < g->nedge; e++) {
		Edge *ed = &g->edge[e];
		bool alone = g->inat[ed->dst + 1] - g->inat[ed->dst] == 1 && ed->dst >= FIRST;

		switch (fn->how[e]) {
		case BRANCH: ed->cost = alone ? 1 : 2; break;
		case FROMHUB: ed->pinned = !alone; break;
		case NOWHERE: ed->pinned = true; break;
		default: break;
		}
	}
	for (b = FIRST; b < g->nblock; b++)
		if (fn->first[b] != NONE) {
			const char *sect =
				u->sect[u->stmt[u->item[fn->item[fn->first[b]]].stmt].sect].name;

			g->block[b].cold = strncmp(sect, ".text.unlikely", 14) == 0;
		}
}

void
scan(Unit *u)
{
	Scan sc = {.u = u,
		   .labels = {.arena = u->run},
		   .traits = {.arena = u->run},
		   .sides = {.arena = u->run}};
	int f;

	traits(&sc);
	bindlabels(&sc);
	findfuncs(&sc);
	resolvers(&sc);
	pads(&sc);
	pinpoint(&sc);
	takeaddresses(&sc);
	refer(u);
	leaders(u);
	for (f = 0; f < u->nfunc; f++)
		inspect(u, f);
	for (f = 0; f < u->nfunc && !u->bare; f++)
		findgoing(u, &u->func[f]);
	for (f = 0; f < u->nfunc; f++) {
		Func *fn = &u->func[f];

		if (fn->odd || fn->nitem == 0)
			continue;
		fn->g = newgraph(u->run);
		makeblocks(u, fn);
		if (fn->g->nblock == FIRST) {
			fn->odd = "no code";
			continue;
		}
		makeedges(u, fn);
		if (fn->odd) {
			fn->g = NULL;
			continue;
		}
		costs(u, fn);
	}
	findlive(u);
}
