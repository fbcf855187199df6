/* cfi.c - the unwind information of our out-of-line code.
 *
 * A stub is reached by a branch, so an unwinder that finds a thread in a stub must find the
 * frame as it is at that branch.  Compilers write unwind information as a history: each .cfi_
 * directive since .cfi_startproc changes a rule.  A stub is a procedure of its own.  Repeating
 * all directives before its branch would work, but the text would grow with the square of the
 * function: one with a thousand early returns restores and sets its rules a thousand times.  The
 * rules in force at one statement are few.  On the left is a history, on the right what a stub
 * gets instead:
 *
 *	.cfi_startproc			.cfi_startproc
 *	.cfi_def_cfa_offset 16		.cfi_def_cfa 6, 16
 *	.cfi_offset 6, -16		.cfi_offset 6, -16
 *	.cfi_def_cfa_register 6
 *	.cfi_remember_state
 *	...
 *
 * So we follow the directives of a procedure once, as the assembler does, and keep the rules
 * after each of them.  Where a directive is not understood, the stubs after it repeat the
 * history after all. */

#include "asm.h"

#include <stdlib.h>
#include <string.h>

enum { NREG = 33, RSP = 7 }; /* DWARF numbers: the general registers, rip, and sixteen of SSE */
enum { NKEPT = 32 };         /* states remembered at once */

typedef enum Source {
	BEGUN,  /* as at the start of a procedure */
	OFFSET, /* register: at this offset from the CFA; CFA: register and offset */
	TOLD,   /* as the directive of a statement says */
} Source;

typedef struct Rule Rule;
typedef struct Rules Rules;

struct Rule {
	Source how;
	int n; /* OFFSET: bytes; TOLD: the statement */
};

/* The rules in force after a directive. */
struct Rules {
	bool known;
	Source cfa;
	int reg, off; /* of the CFA; off keeps its last value while TOLD */
	int told;     /* TOLD: the statement */
	int args;     /* statement with the size of arguments on the stack; NONE */
	Rule rule[NREG];
};

/* The directives of a unit. */
struct Unwind {
	int *cfi;   /* their statements */
	int *start; /* by directive: the .cfi_startproc in force after it, a directive; NONE */
	int n;
	int *upto;     /* by statement: number of directives before it */
	Arena tmp;     /* for the rules of the current procedure: */
	int proc;      /* its .cfi_startproc; NONE */
	Rules *rules;  /* after each of its directives */
};

static bool
iscfi(const Stmt *st)
{
	return st->len > 5 && memcmp(st->s, ".cfi_", 5) == 0;
}

void
indexcfi(Unit *u)
{
	Unwind *w = u->unwind = anew(u->run, Unwind, 1);
	int i, now = NONE;

	w->upto = anew(u->run, int, u->nstmt + 1);
	for (i = 0; i < u->nstmt; i++)
		w->n += iscfi(&u->stmt[i]);
	w->cfi = anew(u->run, int, w->n);
	w->start = anew(u->run, int, w->n);
	w->proc = NONE;
	for (w->n = i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];

		w->upto[i] = w->n;
		if (!iscfi(st))
			continue;
		if (begins(st, ".cfi_startproc"))
			now = w->n;
		else if (begins(st, ".cfi_endproc"))
			now = NONE;
		w->start[w->n] = now;
		w->cfi[w->n++] = i;
	}
}

void
forgetcfi(Unit *u)
{
	areset(&u->unwind->tmp);
	u->unwind = NULL;
}

/* startof - the .cfi_startproc of the procedure that a statement is in or begins, a directive;
 * NONE. */
static int
startof(const Unit *u, int stmt)
{
	const Unwind *w = u->unwind;
	int n = w->upto[stmt] + iscfi(&u->stmt[stmt]);

	return n ? w->start[n - 1] : NONE;
}

bool
isunwound(const Unit *u, int stmt)
{
	return startof(u, stmt) != NONE;
}

/* operand - read the next operand of a directive, a number or a register; returns whether it is
 * one. */
static bool
operand(const char **s, const char *end, int *n)
{
	static const char *const name[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
					   "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip"};
	char text[16], *rest;
	const char *from;
	int len = 0, i;

	while (*s < end && (**s == ' ' || **s == '\t'))
		++*s;
	for (from = *s; *s < end && **s != ','; ++*s)
		;
	for (len = (int)(*s - from); len > 0 && (from[len - 1] == ' ' || from[len - 1] == '\t');)
		len--;
	if (*s < end)
		++*s;
	if (len > 0 && *from == '%') {
		from++;
		len--;
	}
	if (len <= 0 || len >= (int)sizeof text)
		return false;
	memcpy(text, from, (size_t)len);
	text[len] = 0;
	for (i = 0; i < (int)(sizeof name / sizeof *name); i++)
		if (strcmp(text, name[i]) == 0) {
			*n = i;
			return true;
		}
	*n = (int)strtol(text, &rest, 0);
	return !*rest;
}

/* operands - read all operands of a directive; returns whether there are exactly `want'. */
static bool
operands(const Stmt *st, int *n, int want)
{
	const char *s = st->s, *end = s + st->len;
	int i;

	while (s < end && *s != ' ' && *s != '\t')
		s++;
	for (i = 0; i < want; i++)
		if (!operand(&s, end, &n[i]))
			return false;
	return s == end && end[-1] != ',';
}

/* escaped - apply a .cfi_escape, whose operands are bytes of the unwind table; returns whether
 * it is understood. */
static bool
escaped(const Stmt *st, int stmt, Rules *r)
{
	enum { CFA = 0x0f, HELD = 0x10, IS = 0x16, ARGS = 0x2e };
	const char *s = st->s + sizeof ".cfi_escape" - 1, *end = st->s + st->len;
	int op, reg;

	if (!operand(&s, end, &op))
		return false;
	if (op == CFA) {
		r->cfa = TOLD;
		r->told = stmt;
		return true;
	}
	if (op == ARGS) {
		r->args = stmt;
		return true;
	}
	if ((op != HELD && op != IS) || !operand(&s, end, &reg) || reg < 0 || reg >= NREG)
		return false;
	r->rule[reg] = (Rule){TOLD, stmt};
	return true;
}

/* setcfa - apply a directive that changes the CFA; returns whether it was one. */
static bool
setcfa(const Stmt *st, Rules *r)
{
	int n[2];

	if (begins(st, ".cfi_def_cfa") && operands(st, n, 2)) {
		r->cfa = OFFSET;
		r->reg = n[0];
		r->off = n[1];
	} else if (begins(st, ".cfi_def_cfa_register") && r->cfa == OFFSET && operands(st, n, 1)) {
		r->reg = n[0];
	} else if (begins(st, ".cfi_def_cfa_offset") && r->cfa == OFFSET && operands(st, n, 1)) {
		r->off = n[0];
	} else if (begins(st, ".cfi_adjust_cfa_offset") && r->cfa == OFFSET && operands(st, n, 1)) {
		r->off += n[0];
	} else {
		return false;
	}
	return true;
}

/* setrule - apply a directive that says where a register's value is; returns whether it was one. */
static bool
setrule(const Stmt *st, int stmt, Rules *r)
{
	Rule rule = {BEGUN, 0};
	int n[2];

	if (begins(st, ".cfi_offset") && operands(st, n, 2))
		rule = (Rule){OFFSET, n[1]};
	else if (begins(st, ".cfi_rel_offset") && operands(st, n, 2))
		rule = (Rule){OFFSET, n[1] - r->off};
	else if (((begins(st, ".cfi_undefined") || begins(st, ".cfi_same_value")) && operands(st, n, 1))
		 || ((begins(st, ".cfi_register") || begins(st, ".cfi_val_offset")) && operands(st, n, 2)))
		rule = (Rule){TOLD, stmt};
	else if (!begins(st, ".cfi_restore") || !operands(st, n, 1))
		return false;
	if (n[0] < 0 || n[0] >= NREG)
		return false;
	r->rule[n[0]] = rule;
	return true;
}

/* follow - apply one directive; returns whether it is understood. */
static bool
follow(const Unit *u, int stmt, Rules *r, Rules *kept, int *nkept)
{
	const Stmt *st = &u->stmt[stmt];

	if (begins(st, ".cfi_personality") || begins(st, ".cfi_lsda"))
		return true; /* our code has no landing pads */
	if (begins(st, ".cfi_remember_state") && *nkept < NKEPT) {
		kept[(*nkept)++] = *r;
		return true;
	}
	if (begins(st, ".cfi_restore_state") && *nkept > 0) {
		*r = kept[--*nkept];
		return true;
	}
	if (begins(st, ".cfi_escape"))
		return escaped(st, stmt, r);
	return setcfa(st, r) || setrule(st, stmt, r);
}

/* followall - find the rules after each directive of the procedure that begins with this one. */
static void
followall(const Unit *u, int proc)
{
	Unwind *w = u->unwind;
	const Stmt *begin = &u->stmt[w->cfi[proc]];
	Rules kept[NKEPT], now = {.known = begin->len == sizeof ".cfi_startproc" - 1};
	int nkept = 0, n = 1, i;

	now.cfa = OFFSET;
	now.reg = RSP;
	now.off = 8;
	now.args = NONE;
	while (proc + n < w->n && w->start[proc + n] == proc)
		n++;
	areset(&w->tmp);
	w->rules = anew(&w->tmp, Rules, n);
	w->proc = proc;
	w->rules[0] = now;
	for (i = 1; i < n; i++) {
		int stmt = w->cfi[proc + i];

		now.known = now.known && u->stmt[stmt].sect == begin->sect && follow(u, stmt, &now, kept, &nkept);
		w->rules[i] = now;
	}
}

/* rulesat - the rules in force at a statement in a procedure. */
static const Rules *
rulesat(const Unit *u, int stmt)
{
	Unwind *w = u->unwind;
	int proc = startof(u, stmt);

	if (proc != w->proc)
		followall(u, proc);
	return &w->rules[w->upto[stmt] - 1 - proc];
}

/* copystmt - write a statement unchanged. */
static void
copystmt(const Unit *u, int stmt, Buf *b)
{
	bprintf(b, "\t%.*s\n", u->stmt[stmt].len, u->stmt[stmt].s);
}

/* replay - repeat all directives of the procedure before a statement. */
static void
replay(const Unit *u, int stmt, Buf *b)
{
	const Unwind *w = u->unwind;
	int i;

	for (i = startof(u, stmt); i < w->upto[stmt]; i++) {
		const Stmt *st = &u->stmt[w->cfi[i]];

		if (st->sect == u->stmt[stmt].sect && !begins(st, ".cfi_personality") && !begins(st, ".cfi_lsda")
		    && !begins(st, ".cfi_sections"))
			copystmt(u, w->cfi[i], b);
	}
}

bool
unwindas(const Unit *u, int stmt, Buf *b)
{
	const Rules *r = isunwound(u, stmt) ? rulesat(u, stmt) : NULL;
	int i;

	if (!r)
		return false;
	if (!r->known || u->stmt[stmt].sect != u->stmt[u->unwind->cfi[u->unwind->proc]].sect) {
		replay(u, stmt, b);
		return true;
	}
	bprintf(b, "\t.cfi_startproc\n");
	if (r->cfa == TOLD)
		copystmt(u, r->told, b);
	else if (r->reg != RSP || r->off != 8)
		bprintf(b, "\t.cfi_def_cfa %d, %d\n", r->reg, r->off);
	for (i = 0; i < NREG; i++)
		if (r->rule[i].how == OFFSET)
			bprintf(b, "\t.cfi_offset %d, %d\n", i, r->rule[i].n);
		else if (r->rule[i].how == TOLD)
			copystmt(u, r->rule[i].n, b);
	if (r->args != NONE)
		copystmt(u, r->args, b);
	return true;
}

bool
isrelative(const Unit *u, int stmt)
{
	const Rules *r = isunwound(u, stmt) ? rulesat(u, stmt) : NULL;

	return r && (!r->known || (r->cfa == OFFSET && r->reg == RSP));
}
