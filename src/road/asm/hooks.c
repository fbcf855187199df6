/* hooks.c - redirect calls of functions that the runtime intercepts.
 *
 * The runtime must see calls such as longjmp and fork.  In a dynamic program it changes the
 * words through which modules call each other.  A static program has no such words, and an
 * object does not know what it will be linked into.  So all calls of these functions go to
 * stubs:
 *
 *	call	longjmp		call	__tally_longjmp_N
 *				...
 *			__tally_longjmp_N:
 *				movq	WORD, %r11	in a static program the runtime sets WORD;
 *				testq	%r11, %r11	in a dynamic one it remains 0
 *				jne	1f
 *				jmp	longjmp@PLT
 *			1:	jmp	*%r11
 *
 * Each stub is in a COMDAT group, so that a program has it once. */

#include "plant.h"

#include "guest/guest.h"

#include <string.h>

#define NAME(number, name, ...) name,
static const char *const hooked[] = {HOOKS(NAME) STATICHOOKS(NAME)};
enum { NHOOKED = sizeof hooked / sizeof *hooked };

/* hookof - the intercepted function that a statement calls or jumps to, as NAME, NAME@PLT or
 * *NAME@GOTPCREL(%rip); NONE. */
static int
hookof(const Unit *u, const Stmt *st)
{
	const char *end = st->s + st->len, *s = mnemonic(st->s, end), *name;
	const Item *it = st->kind == CODE && !st->data ? &u->item[st->item] : NULL;
	int i;

	if (!it || it->ninsn != 1 || it->glued
	    || (strncmp(s, "call", 4) != 0 && strncmp(s, "jmp", 3) != 0))
		return NONE;
	while (s < end && *s != ' ' && *s != '\t')
		s++;
	while (s < end && (*s == ' ' || *s == '\t' || *s == '*'))
		s++;
	for (name = s; s < end && *s != '@' && *s != ' ' && *s != '(' && *s != '+' && *s != '-';
	     s++)
		;
	if (s < end && *s != '@')
		return NONE;
	for (i = 0; i < NHOOKED; i++)
		if (strlen(hooked[i]) == (size_t)(s - name)
		    && memcmp(hooked[i], name, (size_t)(s - name)) == 0)
			return i;
	return NONE;
}

struct Leads {
	bool own[NHOOKED];   /* the file itself defines the function */
	bool all[NHOOKED];   /* and other files see it */
	bool need[NHOOKED];  /* the file calls it, or has pointers to it */
	bool taken[NHOOKED]; /* its address is taken other than in a word of data */
	Buf pointers;        /* what the runtime is told about such words */
	int npointer;
	bool calls; /* the code has system call instructions */
};

/* isglobal - whether a statement makes this name global. */
static bool
isglobal(const Stmt *st, const char *name)
{
	size_t n = strlen(name);

	return (begins(st, ".globl") || begins(st, ".global") || begins(st, ".weak"))
	       && (size_t)st->len > n && memcmp(st->s + st->len - n, name, n) == 0
	       && (st->s[st->len - n - 1] == ' ' || st->s[st->len - n - 1] == '\t');
}

/* namein - the next intercepted function that a statement names, from *s on; NONE. */
static int
namein(Table *names, const char **s, const char *end)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$";
	const Entry *e;
	size_t n;

	while (*s < end) {
		for (n = 0; *s + n < end && strchr(letters, (*s)[n]); n++)
			;
		e = n ? lookup(names, *s, n) : NULL;
		*s += n ? n : 1;
		if (e)
			return e->value;
	}
	return NONE;
}

/* ispointer - whether a statement is a word of data that holds the address of this function and
 * nothing else, in a section where a reference to the word does not keep alive what the linker
 * would drop. */
static bool
ispointer(const Unit *u, const Stmt *st, const char *name)
{
	static const char *const kept[] = {".data",        ".data.rel",          ".data.rel.local",
					   ".data.rel.ro", ".data.rel.ro.local", ".rodata"};
	const Sect *sect = &u->sect[st->sect];
	size_t n = strlen(name), i;
	bool known = false;

	for (i = 0; i < sizeof kept / sizeof *kept; i++)
		known |= strcmp(sect->name, kept[i]) == 0;
	return known && !sect->group && (begins(st, ".quad") || begins(st, ".8byte"))
	       && (size_t)st->len == strcspn(st->s, " \t") + 1 + n
	       && memcmp(st->s + st->len - n, name, n) == 0;
}

/* point - note where the addresses of such functions are: in a static program, calls through
 * pointers pass through no stub.  The runtime can change words of data, but not code. */
static void
point(Planter *pl, Leads *l, Table *names, int i)
{
	const Unit *u = pl->u;
	const Stmt *st = &u->stmt[i];
	const char *s = st->s, *end = s + st->len;
	int k;

	if (st->debug || u->sect[st->sect].debug
	    || (st->kind != CODE && !begins(st, ".quad") && !begins(st, ".8byte")
		&& !begins(st, ".long")))
		return;
	while ((k = namein(names, &s, end)) != NONE) {
		if (l->own[k])
			continue;
		if (!ispointer(u, st, hooked[k])) {
			l->taken[k] = true;
			continue;
		}
		l->need[k] = true;
		bprintf(at(pl, pl->before, i), ".Ltally_p%d:\n", l->npointer);
		bprintf(&l->pointers, "\t.long\t%u, .Ltally_p%d-.\n", (unsigned)k | POINTER,
			l->npointer++);
	}
}

/* lead - redirect calls of such functions to stubs. */
Leads *
lead(Planter *pl)
{
	Unit *u = pl->u;
	Leads *l = anew(u->run, Leads, 1);
	Table labels = {.arena = u->run}, names = {.arena = u->run};
	int i, k;

	l->pointers.arena = u->run;
	indexlabels(u, &labels);
	for (k = 0; k < NHOOKED; k++) {
		intern(&names, hooked[k], strlen(hooked[k]), k);
		l->own[k] = lookup(&labels, hooked[k], strlen(hooked[k])) != NULL;
	}
	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];
		Buf b = {.arena = u->run};

		for (k = 0; k < NHOOKED; k++)
			l->all[k] |= l->own[k] && isglobal(st, hooked[k]);
		k = hookof(u, st);
		l->calls |= st->kind == CODE && begins(st, "syscall");
		if (k == NONE)
			point(pl, l, &names, i);
		if (k == NONE || l->own[k])
			continue;
		l->need[k] = true;
		bprintf(&b, "%s\t" GUEST("%s"), *mnemonic(st->s, st->s + st->len) == 'c' ? "call" : "jmp", hooked[k]);
		pl->instead[i] = b.s;
	}
	return l;
}

/* note - write a fact about an intercepted function for the runtime. */
static void
note(Buf *out, unsigned what)
{
	bprintf(out, "\t.section\t" CALLSECTION ",\"a\",@progbits\n\t.balign\t8\n\t.long\t%u, 0\n",
		what);
}

/* group - begin a section in a COMDAT group: the linker keeps one for each name. */
static void
group(Buf *out, const char *section, const char *flags, const char *name)
{
	bprintf(out, "\t.section\t%s,\"%s\",@progbits,", section, flags);
	bprintf(out, GUEST("%s") ",comdat\n", name);
}

/* putstub - write the stub of function k, and tell the runtime where the function is. */
static void
putstub(Buf *out, int k)
{
	const char *s = hooked[k];
	Buf word = {.arena = out->arena};

	bprintf(&word, GUEST("standins") "+%d", 8 * k);
	group(out, ".text.tally", "axG", s);
	bprintf(out, "\t.globl\t" GUEST("%s") "\n", s);
	bprintf(out, "\t.hidden\t" GUEST("%s") "\n", s);
	bprintf(out, "\t.type\t" GUEST("%s") ", @function\n", s);
	bprintf(out, GUEST("%s") ":\n\t.cfi_startproc\n", s);
	putlead(out, word.s, s);
	bprintf(out, "\t.cfi_endproc\n");
	group(out, CALLSECTION, "aG", s);
	bprintf(out, "\t.balign\t8\n\t.long\t%d\n\t.reloc\t., R_X86_64_PLT32, %s\n\t.long\t0\n", k,
		s);
}

/* putleads - write the stubs and what the runtime must know. */
void
putleads(const Leads *l, Buf *out)
{
	int k;

	for (k = 0; l && k < NHOOKED; k++) {
		if (l->all[k])
			note(out, (unsigned)k | OWNNAME);
		if (l->taken[k])
			note(out, (unsigned)k | TAKEN);
		if (l->need[k])
			putstub(out, k);
	}
	if (l && l->calls) {
		group(out, CALLSECTION, "aG", "owncalls");
		bprintf(out, "\t.balign\t8\n\t.long\t%u, 0\n", OWNCALLS);
	}
	if (l && l->npointer)
		bprintf(out, "\t.section\t" CALLSECTION ",\"a\",@progbits\n\t.balign\t8\n%s",
			l->pointers.s);
}

const char *
hides(const Unit *u)
{
	Table known = {.arena = u->run};
	const char *const *want, *s;
	int i, n;

	for (i = 0; i < u->nstmt; i++) {
		const Stmt *st = &u->stmt[i];
		const char *p = st->s, *end = p + st->len;
		bool global = begins(st, ".globl") || begins(st, ".global") || begins(st, ".weak");
		bool local = begins(st, ".local") || begins(st, ".lcomm");

		if (st->kind != LABEL && !global && !local)
			continue;
		if (st->kind != LABEL)
			word(&p, end, &s);
		n = word(&p, end, &s);
		for (want = runtimewants; *want; want++)
			if ((int)strlen(*want) == n && memcmp(*want, s, (size_t)n) == 0)
				intern(&known, s, (size_t)n, 0)->value |= global ? 2 : 1;
	}
	for (want = runtimewants; *want; want++) {
		const Entry *e = lookup(&known, *want, strlen(*want));

		if (e && e->value == 1)
			return *want;
	}
	return NULL;
}
