/* plant.h - what plant.c, calls.c, hooks.c and write.c share. */

#ifndef PLANT_H
#define PLANT_H

#include "asm.h"

#include "layout/names.h"

#include <string.h>

typedef struct Leads Leads;
typedef struct Words Words;

/* What to write around each statement and in its place.  The statements themselves are not
 * changed. */
struct Planter {
	Unit *u;
	const Counting *how;
	Buf **before; /* by statement: what goes before it; NULL */
	Buf **after;
	char **instead; /* by statement: what is written in its place; NULL */
	Buf *stubs;     /* by function */
	char **rules;   /* by function: rules of its last stub, whose procedure is open; NULL */
	int *end;       /* by function: statement after which its stubs go */
	Leads *leads;   /* stubs through which library functions are called; NULL */
	bool *tight;    /* by block of the current function: it is in a tight loop */
	bool quick;     /* the current counter should be a triple, if possible */
	Buf midway;     /* for the runtime: where control may arrive from another stack */
	int nmidway;
};

struct Words {
	const char *s;
	int len;
};

/* at - the buffer for what goes before or after a statement. */
static inline Buf *
at(Planter *pl, Buf **where, int stmt)
{
	if (!where[stmt]) {
		where[stmt] = anew(pl->u->run, Buf, 1);
		where[stmt]->arena = pl->u->run;
	}
	return where[stmt];
}

/* wordsof - a statement as it will be written. */
static inline Words
wordsof(const Planter *pl, int stmt)
{
	const char *s = pl->instead[stmt];

	return s ? (Words){s, (int)strlen(s)} : (Words){pl->u->stmt[stmt].s, pl->u->stmt[stmt].len};
}

/* plantours - write our own code for function f to a buffer: that of what goes before or after
 * stmt, or of the function's stubs.  slot is that of its counter, or NONE. */
void plantours(Planter *, int f, Buf *, int stmt, const Ours *, int slot);

/* calls.c: calls of the runtime.
 *
 * putlook - where a function begins: has this file been used?
 * putbegin - where a program without a C library begins: start the runtime.
 * putrecords - before calls through pointers, and indirect jumps that leave the function: record
 * the callee.
 * putdepart, putgoing - where a function goes to another stack.
 * putnotes - write what the runtime must know about all that. */
void putlook(Planter *, int f);
void putbegin(Planter *, int f);
void putrecords(Planter *, int f);
void putdepart(Planter *, int f);
void putgoing(Planter *, int f);
void putnotes(const Planter *, Buf *out);

/* hooks.c
 *
 * lead - redirect calls of functions that the runtime intercepts to stubs.
 * putleads - write these stubs; does nothing for NULL. */
Leads *lead(Planter *);
void putleads(const Leads *, Buf *out);

/* write.c
 *
 * findends - find where stubs can go: after the function's unwind information, or else after its
 * last item.
 * closestubs - end the procedure of the last stub, if one is open.
 * movestubs - move the stubs of functions that run into the next one to after that.
 * unwindable - have the assembler write unwind information where a running program finds it.
 * copytext - write the text with all that; `signs' adds a column that shows which lines are
 * ours. */
void findends(Planter *);
void unwindable(Planter *);
void closestubs(Planter *, int f);
void movestubs(Planter *);
void copytext(const Planter *, bool signs, Buf *out);

#endif
