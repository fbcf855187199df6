/* scan.c - find functions, blocks and edges.
 *
 * A function is what follows a function's label in its section, with its cold part in another.
 * A block begins at each leader: at the function's start, the target of a branch, a label whose
 * address is taken.  Most edges follow from the last instruction of a block.  Most of this file
 * is about ways that cannot be seen:
 *
 *    a switch:          jmp *%rax, and a table of labels in data.  The jump may lead to any label
 *                       of the function whose address is taken.  Instead of an edge for each pair
 *                       of jump and label there is the hub, a block without code: all such jumps
 *                       lead to it, and from it edges lead to all such labels.
 *    entered elsewhere: other functions jump to the middle of this one, or a label there is
 *                       global.  An edge leads there from ENTRY; no counter can stand on it
 *                       (it is pinned), but counters elsewhere determine its count.
 *    labels for others: the address of a label is taken, but no jump in the function goes there
 *                       (a goto out of a nested function, a fault handler).  Control must have
 *                       left the function before, unseen: so from each call an edge leads to the
 *                       hub, too.
 *    switched stacks:   a function loads the stack pointer, and then jumps or returns.  It
 *                       leaves, and the runtime is told.
 *
 * doc/DESIGN.md, decision 4, says why this is right.  A function with anything that is not
 * understood, such as a jump into padding, is not counted; Func.reason says why. */

#include "asm.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct Scan Scan;

enum { ISFUNC = 1, ISGLOBAL = 2, ISDATA = 4 };
enum { LEFT = 1, RIGHT = 2 };

struct Scan {
	Unit *u;
	Table labels; /* names to statements */
	Table traits; /* names to ISFUNC, ISGLOBAL, ISDATA */
	Table sizes;  /* names to the statements of their .size */
	Table sides;  /* names in exception tables to the sides of `-' on which they occur */
	bool typed;   /* the text has .type for a function */
};

static bool
nameend(int c)
{
	return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
		 || c == '_' || c == '.' || c == '$' || c >= 0x80);
}

/* typed - what a .type says about its name. */
static int
typed(const Stmt *st)
{
	const char *s = memrchr(st->s, ',', (size_t)st->len), *end = st->s + st->len;

	if (!s)
		s = st->s;
	if (memmem(s, (size_t)(end - s), "function", 8))
		return ISFUNC;
	return memmem(s, (size_t)(end - s), "object", 6) ? ISDATA : 0;
}

/* traits - collect what .type, .globl and .size say. */
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
		if (begins(st, ".size")) {
			word(&s, end, &name); /* the directive */
			if ((n = word(&s, end, &name)) > 0)
				intern(&sc->sizes, name, (size_t)n, i)->value = i;
			continue;
		}
		if (begins(st, ".type") && typed(st))
			what = typed(st);
		else if (begins(st, ".globl") || begins(st, ".global") || begins(st, ".weak"))
			what = ISGLOBAL;
		else
			continue;
		sc->typed |= what == ISFUNC;
		word(&s, end, &name); /* the directive */
		while ((n = word(&s, end, &name)) > 0) {
			intern(&sc->traits, name, (size_t)n, 0)->value |= what;
			if (what != ISGLOBAL)
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

/* bindlabels - find the item that each label names: the next one in its section. */
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

/* isinside - whether a global label without a type is inside of function f, by the type and size
 * of f: then others may jump to the middle of f. */
static bool
isinside(Scan *sc, const Stmt *st, int f)
{
	const char *name;
	int n = labelname(st, &name);
	const Entry *e = lookup(&sc->traits, name, (size_t)n);

	if (f == NONE || !e || e->value != ISGLOBAL)
		return false;
	name = sc->u->func[f].name;
	e = lookup(&sc->traits, name, strlen(name));
	if (!e || !(e->value & ISFUNC))
		return false;
	e = lookup(&sc->sizes, name, strlen(name));
	return e && e->value > st - sc->u->stmt;
}

/* parent - the function of whose cold part this is the name; NONE. */
static int
parent(const Unit *u, const char *name)
{
	const char *cold = strstr(name, ".cold");
	int f;

	if (!cold || (cold[5] && cold[5] != '.'))
		return NONE;
	for (f = u->nfunc - 1; f >= 0; f--)
		if (strncmp(u->func[f].name, name, (size_t)(cold - name)) == 0
		    && u->func[f].name[cold - name] == 0)
			return f;
	return NONE;
}

/* findfuncs - assign items to functions: each to the last function label before it in its
 * section. */
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
				continue; /* another name of the same function */
			if (isinside(sc, st, f)) {
				u->item[st->item].leads = u->item[st->item].middle = true;
				continue;
			}
			f = parent(u, name);
			if (f == NONE) {
				apush(u->run, u->func, u->nfunc, u->capfunc);
				f = u->nfunc++;
				u->func[f] = (Func){.name = name, .label = i, .body.hub = NONE};
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

/* labelof - the statement of the label that a name refers to; NONE.  1b and 1f are the nearest
 * labels 1 before and after statement i. */
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

/* firstat - the first of the items that begin at the same address as this one. */
static int
firstat(const Unit *u, int i)
{
	int k, first = i;

	for (k = i - 1;
	     k >= 0
	     && (u->item[k].sect != u->item[i].sect || u->stmt[u->item[k].stmt].marker != NONE);
	     k--)
		if (u->item[k].sect == u->item[i].sect && u->item[k].off == u->item[i].off)
			first = k;
	return first;
}

/* pinpoint - resolve branches where several items begin at one address, because of markers: a
 * branch leads to the item that its label names, or if it is by distance to the first one. */
static void
pinpoint(Scan *sc)
{
	Unit *u = sc->u;
	int i, k, n;

	for (i = 0; u->nmarker && i < u->nitem; i++) {
		Item *it = &u->item[i];
		const Stmt *st = &u->stmt[it->stmt];
		const char *s = st->s, *end = s + st->len, *name;

		if (it->target == NONE || !it->insn.direct)
			continue;
		if (!isplain(st)) {
			it->target = firstat(u, it->target);
			continue;
		}
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

/* pads - find out which side of `-' names are on in exception tables.  A table has, for each
 * region of a function, its start, its length, and the landing pad of exceptions in it:
 *
 *	.uleb128 .LEHB0-.LFB7, .LEHE0-.LEHB0, .L5-.LFB7
 *
 * Starts of functions are only on the right, starts of regions on both sides, ends of regions
 * and landing pads only on the left.  What is subtracted tells those two apart: the start of a
 * region from its end, the start of the function from a landing pad.  bounds() uses this. */
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

/* bounds - whether a name in an exception table, followed by this rest of the statement, is only
 * a bound of a region or function, and not a landing pad. */
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

/* instruction - the item that has the instruction at this position: markers have none. */
static Item *
instruction(Unit *u, Item *it)
{
	int sect = u->stmt[it->stmt].sect, i;

	for (i = (int)(it - u->item); i < u->nitem; i++)
		if (u->item[i].sect != NONE && u->stmt[u->item[i].stmt].sect == sect
		    && u->stmt[u->item[i].stmt].marker == NONE)
			return &u->item[i];
	return it;
}

/* issled - whether others may overwrite an item: it is a nop, or nops follow where control does
 * not go on. */
static bool
issled(Unit *u, Item *it)
{
	bool last = it == &u->item[u->nitem - 1];

	return it->nops
	       || ((it->insn.turn == JUMP || it->insn.turn == RETURN) && !last
		   && instruction(u, it + 1)->nops);
}

/* ispoints - whether a section of a kernel has the addresses of single instructions that may
 * fault or be overwritten, and of where control goes then. */
static bool
ispoints(const Sect *sect)
{
	static const char *const name[] = {"__ex_table", "__jump_table", "__mcount_loc",
					   ".smp_locks", "__bug_table"};
	size_t i;

	for (i = 0; i < sizeof name / sizeof *name; i++)
		if (strcmp(sect->name, name[i]) == 0)
			return true;
	return false;
}

/* first - keep the smaller of two statements. */
static void
first(int *stmt, int k)
{
	if (*stmt == NONE || k < *stmt)
		*stmt = k;
}

/* fix - let no code of ours come between label k and its instruction. */
static void
fix(Unit *u, Item *it, int k)
{
	Item *end = instruction(u, it);

	for (; it < end; it++)
		if (u->stmt[it->stmt].sect == u->stmt[end->stmt].sect)
			first(&it->fixed, k);
	first(&end->fixed, k);
}

/* before - the instruction right before a label; NULL. */
static Item *
before(Unit *u, int k)
{
	int i, sect = u->stmt[k].sect;

	for (i = k - 1; i >= 0; i--) {
		const Stmt *st = &u->stmt[i];

		if (st->sect != sect || st->kind == LABEL || st->kind == BLANK || st->debug)
			continue;
		if (st->kind == CODE && st->marker == NONE)
			return u->item[st->item].ninsn ? &u->item[st->item] : NULL;
		if (st->kind == DIRECTIVE && strncmp(st->s, ".cfi_", 5) != 0)
			return NULL;
	}
	return NULL;
}

/* keepreturn - if label k follows a call, let no code of ours come between: stack walkers
 * compare the address of such a label with return addresses. */
static void
keepreturn(Unit *u, int k)
{
	Item *call = before(u, k);

	if (call && call->insn.turn == CALL)
		call->sealed = true;
}

/* take - statement i takes the address of label k.
 *
 * The address of a function's start is used for calls, which are seen.  A section that is not
 * loaded, or is linked to code (SHF_LINK_ORDER), only describes code: nothing jumps there
 * because of it.  Through an address in code, or in data, control may come.  What other sections
 * are for is not known. */
static void
take(Scan *sc, int i, int k)
{
	Unit *u = sc->u;
	const Stmt *st = &u->stmt[i];
	const Sect *sect = &u->sect[st->sect];
	Stmt *label = &u->stmt[k];
	Item *it = label->item == NONE ? NULL : &u->item[label->item], *end;

	if (sect->loaded && !inpads(u, st))
		keepreturn(u, k);
	if (sect->about) {
		if (it && sect->loaded && issled(u, instruction(u, it)))
			fix(u, it, k);
		return;
	}
	if (!it || !it->entry)
		label->jumped = true;
	if (!it || isfunction(sc, label))
		return;
	it->leads = true;
	if (inpads(u, st)) /* only the unwinder goes there, and the runtime sees that */
		return;
	if (sect->code && st->kind == CODE && !st->data && !label->user && !u->byhand && !u->bare) {
		it->lands = true;
		return;
	}
	it->taken = true;
	it->held |= sect->code && !st->data;
	if (sect->code)
		return;
	it->strange |= !sect->data && !ispoints(sect);
	first(&it->listed, k);
	end = instruction(u, it);
	if (!sect->data && (end->insn.turn == PLAIN || end->insn.turn == CALL || issled(u, end)))
		fix(u, it, k);
}

/* alias - a directive that gives a label another name.  If that label is in the middle of a
 * function, others may jump there. */
static void
alias(Scan *sc, int i)
{
	Unit *u = sc->u;
	const Stmt *st = &u->stmt[i];
	const char *s = st->s, *end = s + st->len, *name;
	int n, k;

	if (begins(st, ".set") || begins(st, ".equ") || begins(st, ".equiv"))
		word(&s, end, &name);
	else if (!memchr(s, '=', (size_t)st->len) || *s == '.')
		return;
	word(&s, end, &name);
	n = word(&s, end, &name);
	k = n > 0 && s == end ? labelof(sc, i, name, n) : NONE;
	if (k == NONE || u->stmt[k].item == NONE || u->item[u->stmt[k].item].entry)
		return;
	u->item[u->stmt[k].item].leads = u->item[u->stmt[k].item].middle = true;
}

/* istext - directives whose operands are text, not names. */
static bool
istext(const Stmt *st)
{
	return begins(st, ".string") || begins(st, ".asciz") || begins(st, ".ascii")
	       || begins(st, ".incbin");
}

/* takeaddresses - find labels that branches lead to, and labels whose address is taken by data
 * or by other code. */
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

		if (st->kind == DIRECTIVE && !st->data && !st->debug)
			alias(sc, i);
		if (st->kind == LABEL || st->debug || begins(st, ".size") || begins(st, ".type")
		    || (st->kind == DIRECTIVE && !st->data) || istext(st))
			continue;
		while ((n = word(&s, end, &name)) > 0) {
			int k = labelof(sc, i, name, n);
			bool bound = table && bounds(sc, name, n, s, end);

			if (k == NONE || bound)
				continue;
			if (branch)
				u->stmt[k].jumped = true;
			else
				take(sc, i, k);
		}
	}
}

/* distance - the number in an address of the form N(%rip), which counts from the end of the
 * instruction; returns whether there is one. */
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

/* refer - resolve such addresses that lead to code.  Since we move that code, they become
 * labels. */
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
			u->func[it->func].reason = "an address by distance";
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

/* isfinal - whether a statement calls a library function that does not return to its caller: the
 * frame ends there, as if by a return. */
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

bool
isbegin(const Func *fn)
{
	return strcmp(fn->name, "_start") == 0 || strcmp(fn->name, "PASCALMAIN") == 0;
}

/* isplain - whether the operand of a branch is a name.  An expression such as .+5 may count
 * bytes, and we add some. */
bool
isplain(const Stmt *st)
{
	const char *end = st->s + st->len, *s = mnemonic(st->s, end), *name;
	int n;

	word(&s, end, &name);
	n = word(&s, end, &name);
	if (n == 0 || (n == 1 && *name == '.') || st->data)
		return false;
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s == end || *s == '@';
}

/* resolvers - exclude functions that choose others for the dynamic linker (IFUNC): they run
 * while a module is being loaded, when its counters cannot be reached yet. */
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
			u->func[f].reason = "runs while the program is loaded (IFUNC)";
}

/* redirects - whether a branch by distance can be made a branch to a label. */
static bool
redirects(const Item *it)
{
	return it->target != NONE && (it->insn.turn == JUMP || it->insn.turn == COND)
	       && it->ninsn == 1 && !it->npad && !it->glued;
}

/* inspect - find reasons not to count a function, and calls that do not return. */
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
			continue; /* data after a jump or between functions */
		if (it->odd)
			fn->reason = "code that was not understood";
		/* clang -O0 jumps to the end of the function if nothing can follow; control
		 * never gets there. */
		if (it->gap && it->target != NONE)
			fn->reason = "a jump to padding";
		if (it->glued && it->leads)
			fn->reason = "a jump past a prefix";
		if (it->insn.turn == COND && it->insn.brief)
			fn->reason = "a branch that cannot be moved";
		if (it->insn.direct && !isplain(st) && !redirects(it))
			fn->reason = "a branch by distance";
		if (it->insn.turn == CALL && it->ninsn == 1 && it->target == NONE && !u->bare
		    && isfinal(st)) {
			it->insn.turn = RETURN;
			it->lost = true;
		}
		if (it->insn.turn == CALL && (calls(st, "vfork") || calls(st, "__vfork")))
			fn->reason = "a call that returns twice";
		reach = it->insn.turn == PLAIN || it->insn.turn == CALL || it->insn.turn == COND
			|| it->ninsn == 0;
	}
}

/* cross - a branch into another function elsewhere than at its start, or a call of code that is
 * not a function's start: control enters there from outside.  If the branch is by distance, what
 * is in between must not change. */
static void
cross(Unit *u, Item *it)
{
	Item *to = &u->item[it->target];
	bool entered = to->middle;

	to->leads = to->middle = true;
	if (it->insn.turn != CALL) {
		it->away = true;
		it->target = NONE;
	} else if (to == it + 1 && !u->stmt[it->stmt].data
		   && (begins(&u->stmt[to->stmt], "pop") || begins(&u->stmt[to->stmt], "popq"))) {
		it->insn.turn = JUMP; /* no call: it reads its own address */
		to->middle = entered;
		return;
	} else if (it->func == to->func) {
		it->ends = true; /* the return address may be popped */
	}
	if (!isplain(&u->stmt[it->stmt]) && to->func != NONE)
		u->func[to->func].reason = "a branch by distance from elsewhere";
}

/* leaders - mark the targets of branches as leaders.  A jump to the start of another function is
 * a call that does not return, and leads out. */
static void
leaders(Unit *u)
{
	int i;

	for (i = 0; i < u->nitem; i++) {
		Item *it = &u->item[i], *to = it->target == NONE ? NULL : &u->item[it->target];

		if (!to || (to->entry && it->insn.turn == CALL))
			continue;
		if (to->entry && to->func != it->func)
			it->target = NONE;
		else if (it->insn.turn == CALL || to->func != it->func)
			cross(u, it);
		else
			to->leads = true;
	}
}

/* morestacks - with -fsplit-stack, a function that needs another stack begins like this:
 *
 *	call	__morestack
 *	ret
 *	.L2:
 *
 * __morestack calls what begins one byte after its return address, and when that returns, it
 * returns itself. */
static void
morestacks(Unit *u)
{
	int i;

	for (i = 0; i + 2 < u->nitem; i++) {
		Item *it = &u->item[i];
		const char *s = u->stmt[it->stmt].s, *end = s + u->stmt[it->stmt].len, *name;

		if (it->insn.turn != CALL || it->ninsn != 1 || it[1].insn.turn != RETURN
		    || it[1].bytes != 1 || it[2].func != it->func || it[2].sect != it->sect)
			continue;
		word(&s, end, &name);
		if (word(&s, end, &name) < 11 || strncmp(name, "__morestack", 11) != 0)
			continue;
		it->sealed = it[1].solid = true;
		it[2].leads = it[2].middle = it[2].again = true;
	}
}

/* openness - whether a function can be entered at labels whose address is taken.  If it has
 * indirect jumps, these lead there.  If it has none, or if code takes the address, others may go
 * there; then control left the function before, at a call or, in hand-written code, at an
 * instruction that faults. */
static void
openness(Unit *u, Func *fn)
{
	bool taken = false, held = false, strange = false, indirect = false, hand = u->byhand;
	bool going = false;
	bool both = false; /* a label that others jump to, and perhaps its own indirect jumps */
	int i;

	for (i = 0; i < fn->nitem; i++) {
		const Item *it = &u->item[fn->item[i]];

		indirect |= it->insn.turn == INDIR && !it->goes;
		going |= it->goes;
	}
	for (i = 0; i < fn->nitem; i++) {
		Item *it = &u->item[fn->item[i]];

		if (it->lands && indirect)
			it->taken = it->held = true; /* else arrivals there are seen */
		both |= it->taken && it->middle && !it->entry;
		if (!it->taken || it->entry || it->middle)
			continue;
		taken = true;
		held |= it->held;
		strange |= it->strange;
		hand |= u->stmt[it->stmt].user;
	}
	if (going && !indirect)
		return; /* arrivals there are seen */
	if (strange && !indirect)
		fn->reason = "labels whose address is taken, and no jump that goes there";
	fn->open = taken && !indirect;
	fn->loose = fn->open || held;
	for (i = 0; i < fn->nitem && fn->loose; i++) {
		Item *it = &u->item[fn->item[i]];

		it->ends |= it->insn.turn == CALL;
		it->ends |= fn->open && hand && it->insn.turn == PLAIN && it->insn.traps;
		if (fn->open && it->listed != NONE
		    && (it->insn.turn == PLAIN || it->insn.turn == CALL))
			it->fixed = it->listed; /* it may fault, and be found by that */
	}
	fn->loose |= both && indirect;
}

/* follows - whether item k of a function follows item k-1 in memory. */
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
	int from;    /* the item where the way begins: after the last call, or a leader */
	Stack stack; /* what was done to the stack pointer */
	bool base;   /* the frame pointer was written, too */
};

/* goes - whether control goes to another stack by this item.  In compiled code it must be an
 * indirect jump, after both stack pointer and frame pointer were loaded: a goto out of a nested
 * function.  A stack pointer alone is also loaded at the end of a variable-length array, before
 * a return or the jump of a switch. */
static bool
goes(const Item *it, const Course *c, bool hand)
{
	return isout(it) && c->stack == OTHER && (hand || (it->insn.turn == INDIR && c->base));
}

/* byhand - whether a function is hand-written. */
static bool
byhand(const Unit *u, const Func *fn)
{
	return u->byhand || u->stmt[u->item[fn->item[0]].stmt].user;
}

/* ismidway - whether control may come to an item from another stack, and the return address need
 * not be on top of the stack there. */
static bool
ismidway(const Item *it)
{
	return (it->lands || it->taken) && !it->entry && it->insn.turn != RETURN;
}

/* handed - whether a hand-written function only goes to another stack, and does nothing else
 * that matters.  What it does to its own frame is not known, so the frames of its callers are
 * taken as left when it begins, and frames as entered wherever it ends. */
static bool
handed(const Unit *u, const Func *fn)
{
	int i;

	for (i = 0; i < fn->nitem; i++) {
		const Item *it = &u->item[fn->item[i]];

		if (it->insn.turn == CALL || it->insn.turn == STOP
		    || (it->insn.turn == COND && it->target == NONE)
		    || (it->insn.turn == INDIR && !it->goes)
		    || (it->insn.turn != CALL && it->target == fn->item[0]))
			return false;
	}
	return true;
}

/* findmidway - find such items in a function without unwind information. */
static void
findmidway(Unit *u, Func *fn)
{
	int i;

	for (i = u->item[fn->item[0]].stmt; i >= fn->label; i--)
		if (begins(&u->stmt[i], ".cfi_startproc"))
			return;
	for (i = 0; i < fn->nitem; i++)
		u->item[fn->item[i]].midway = ismidway(&u->item[fn->item[i]]);
}

/* findgoing - find the items by which control goes to another stack. */
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
			u->switches |= goes(it, &c, true); /* inside compiled code */
		else
			it->goes = goes(it, &c, hand);
		any |= it->goes;
		if (it->goes && !hand)
			u->item[fn->item[c.from]].departs = true;
		if (it->insn.turn != PLAIN && !(hand && it->insn.turn == COND))
			c = (Course){.from = i + 1};
	}
	if (!hand || !any)
		return;
	fn->departs = handed(u, fn);
	u->switches |= !fn->departs;
	if (fn->departs)
		findmidway(u, fn);
	for (i = 0; i < fn->nitem; i++)
		u->item[fn->item[i]].goes = fn->departs && isout(&u->item[fn->item[i]]);
}

/* makeblocks - divide a function into blocks; data between them belongs to none. */
static void
makeblocks(Unit *u, Func *fn)
{
	int i, b = NONE;

	fn->body.first = anew(u->run, int, fn->nitem + FIRST + 1);
	fn->body.last = anew(u->run, int, fn->nitem + FIRST + 1);
	fn->body.first[ENTRY] = fn->body.first[EXIT] = fn->body.last[ENTRY] = fn->body.last[EXIT] = NONE;
	for (i = 0; i < fn->nitem; i++) {
		Item *it = &u->item[fn->item[i]];
		const Stmt *st = &u->stmt[it->stmt];

		if (i > 0 && !follows(u, fn, i))
			b = NONE;
		if (b == NONE && st->data && !it->taken && !it->leads)
			continue;
		if (b == NONE || it->leads) {
			b = addblock(fn->body.g);
			fn->body.first[b] = i;
		}
		it->block = b;
		fn->body.last[b] = i;
		if (it->ends || (it->ninsn > 0 && it->insn.turn != PLAIN && it->insn.turn != CALL))
			b = NONE;
	}
}

static void
edge(Unit *u, Func *fn, size_t *cap, int src, int dst, How how)
{
	int e = addedge(fn->body.g, src, dst);

	fn->body.how = agrow(u->run, fn->body.how, (size_t)e + 1, cap, sizeof *fn->body.how);
	fn->body.how[e] = how;
}

/* tohub - add an edge for control that leaves unseen. */
static void
tohub(Unit *u, Func *fn, size_t *cap, int src, How how)
{
	edge(u, fn, cap, src, fn->body.hub, how);
	if (how == NOWHERE) {
		fn->body.g->edge[fn->body.g->nedge - 1].pinned = true;
		fn->body.g->edge[fn->body.g->nedge - 1].odds = COLD_ODDS;
	}
}

/* needshub - whether control can leave or enter a function unseen. */
static bool
needshub(const Unit *u, const Func *fn)
{
	bool taken = false, indirect = false;
	int i;

	for (i = 0; i < fn->nitem; i++) {
		const Item *it = &u->item[fn->item[i]];

		if (it->ends)
			return true;
		taken |= it->taken;
		indirect |= it->insn.turn == INDIR && !it->goes;
	}
	return fn->open || (taken && indirect);
}

/* fromoutside - add the edge by which control comes to block b from elsewhere: from ENTRY if
 * others jump there, from the hub if the address of its label is taken. */
static void
fromoutside(Unit *u, Func *fn, size_t *cap, int b)
{
	const Item *it = &u->item[fn->item[fn->body.first[b]]];

	if (it->middle && b != FIRST && !(it->taken && fn->body.hub != NONE && !fn->open)) {
		edge(u, fn, cap, ENTRY, b, it->again ? REENTERS : ENTERS);
		fn->body.g->edge[fn->body.g->nedge - 1].pinned = true;
	} else if (it->taken && fn->body.hub != NONE && !(it->entry && fn->open)) {
		edge(u, fn, cap, fn->body.hub, b, FROMHUB);
		fn->body.g->edge[fn->body.g->nedge - 1].net = fn->loose;
	}
}

static void
makeedges(Unit *u, Func *fn)
{
	size_t cap = 0;
	int b, n = fn->body.g->nblock, i;

	fn->body.how = agrow(u->run, NULL, 1, &cap, sizeof *fn->body.how);
	fn->body.how[CLOSING] = NOWHERE;
	edge(u, fn, &cap, ENTRY, FIRST, INTO);
	if (needshub(u, fn)) {
		fn->body.hub = addblock(fn->body.g);
		fn->body.g->block[fn->body.hub].pinned = true;
		fn->body.first[fn->body.hub] = fn->body.last[fn->body.hub] = NONE;
	}
	for (b = FIRST; b < n; b++) {
		const Item *it = &u->item[fn->item[fn->body.last[b]]];
		int next = fn->body.last[b] + 1;
		int after = follows(u, fn, next) ? u->item[fn->item[next]].block : NONE;

		fromoutside(u, fn, &cap, b);
		if (it->ends)
			tohub(u, fn, &cap, b, NOWHERE);
		switch (it->insn.turn) {
		case COND:
			edge(u, fn, &cap, b, it->target == NONE ? EXIT : u->item[it->target].block,
			     BRANCH);
			/* fall through */
		case PLAIN:
		case CALL:
			/* If nothing follows a call, it does not return, and the frame ends
			 * there; any other code runs into the next function. */
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
			if (fn->body.hub != NONE && !it->goes)
				tohub(u, fn, &cap, b, TOHUB);
			else
				edge(u, fn, &cap, b, EXIT, LEAVES);
			break;
		case RETURN: edge(u, fn, &cap, b, EXIT, LEAVES); break;
		case STOP: break;
		}
	}
	if (fn->body.hub != NONE) { /* some of the jumps may be tail calls */
		edge(u, fn, &cap, fn->body.hub, EXIT, NOWHERE);
		fn->body.g->edge[fn->body.g->nedge - 1].pinned = true;
		fn->body.g->edge[fn->body.g->nedge - 1].odds = COLD_ODDS;
		fn->body.g->edge[fn->body.g->nedge - 1].net = fn->loose;
	}
	closeflow(fn->body.g, u->run);
	fn->body.how = agrow(u->run, fn->body.how, (size_t)fn->body.g->nedge, &cap, sizeof *fn->body.how);
	for (i = 0; i < fn->body.g->nedge; i++)
		if (fn->body.g->edge[i].never)
			fn->body.how[i] = NOWHERE;
}

/* diverts - whether the last branch of block b can be sent to our code, which then jumps to the old
 * target: not if that is a local label such as 1f, which would be another one from there. */
static bool
diverts(const Unit *u, const Func *fn, int b)
{
	const Item *it = &u->item[fn->item[fn->body.last[b]]];
	const char *s = u->stmt[it->stmt].s, *end = s + u->stmt[it->stmt].len, *name;

	word(&s, end, &name);
	word(&s, end, &name);
	return !it->sealed && !u->stmt[it->stmt].data
	       && !(it->away && isdigit((unsigned char)*name));
}

/* costs - set what a counter costs in each block and on each edge, and pin those that can have
 * none. */
static void
costs(Unit *u, Func *fn)
{
	Graph *g = fn->body.g;
	int e, b;

	for (e = 0; e < g->nedge; e++) {
		Edge *ed = &g->edge[e];
		bool alone = g->inat[ed->dst + 1] - g->inat[ed->dst] == 1 && ed->dst >= FIRST;
		bool head = alone && fn->body.first[ed->dst] != NONE && headat(u, fn, ed->dst) != NONE;

		switch (fn->body.how[e]) {
		case INTO: ed->pinned = !head && entryat(u, fn) == NONE; break;
		case BRANCH:
			ed->cost = head ? 1 : 2;
			ed->pinned = !head && !diverts(u, fn, ed->src);
			break;
		case FALLS: ed->pinned = !standsafter(u, fn, ed->src); break;
		case LEAVES:
		case TOHUB: ed->pinned = endat(u, fn, ed->src) == NONE; break;
		case FROMHUB: ed->pinned = !head; break;
		case ENTERS:
		case REENTERS:
		case NOWHERE: ed->pinned = true; break;
		}
		g->block[ENTRY].pinned |= ed->src == ENTRY && ed->pinned;
	}
	for (b = FIRST; b < g->nblock; b++)
		if (fn->body.first[b] != NONE) {
			const char *sect =
				u->sect[u->stmt[u->item[fn->item[fn->body.first[b]]].stmt].sect].name;

			g->block[b].cold = strncmp(sect, ".text.unlikely", 14) == 0;
			g->block[b].pinned = headat(u, fn, b) == NONE;
		}
}

void
scan(Unit *u)
{
	Scan sc = {.u = u,
		   .labels = {.arena = u->run},
		   .traits = {.arena = u->run},
		   .sizes = {.arena = u->run},
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
	morestacks(u);
	for (f = 0; f < u->nfunc && !u->bare; f++)
		findgoing(u, &u->func[f]);
	for (f = 0; f < u->nfunc; f++)
		openness(u, &u->func[f]);
	seal(u);
	for (f = 0; f < u->nfunc; f++)
		inspect(u, f);
	for (f = 0; f < u->nfunc; f++) {
		Func *fn = &u->func[f];

		if (fn->reason || fn->nitem == 0)
			continue;
		fn->body.g = newgraph(u->run);
		makeblocks(u, fn);
		if (fn->body.g->nblock == FIRST) {
			fn->reason = "no code";
			continue;
		}
		makeedges(u, fn);
		costs(u, fn);
	}
}
