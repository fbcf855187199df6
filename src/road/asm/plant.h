/* plant.h - what the files that plant share. */

#ifndef PLANT_H
#define PLANT_H

#include "asm.h"

#include "layout/names.h"

#include <string.h>

typedef struct Leads Leads;
typedef struct Words Words;

/* What to write around each statement, and in its place.  The statements themselves stay as they are. */
struct Planter {
	Unit *u;
	const Order *how;
	Buf **before; /* by statement: what goes before it; NULL */
	Buf **after;
	char **instead; /* by statement: what is written for its words; NULL */
	Buf *stubs;     /* by function */
	char **rules; /* by function: unwind information of the last of them, whose procedure is open; NULL */
	int *end;     /* by function: statement after which its stubs go */
	Leads *leads; /* stubs that functions of the C library are called through; NULL */
	bool *tight;  /* by block of the function at hand: it is in a tight loop */
	bool quick;   /* the counter at hand is: three instructions for one, if they can be had */
	Buf midway; /* what the runtime is told of the places where control comes from other stacks */
	int nmidway;
};

struct Words {
	const char *s;
	int len;
};

/* at - what goes before or after a statement. */
static inline Buf *
at(Planter *pl, Buf **where, int stmt)
{
	if (!where[stmt]) {
		where[stmt] = anew(pl->u->run, Buf, 1);
		where[stmt]->arena = pl->u->run;
	}
	return where[stmt];
}

/* wordsof - of a statement, as they will be written. */
static inline Words
wordsof(const Planter *pl, int stmt)
{
	const char *s = pl->instead[stmt];

	return s ? (Words){s, (int)strlen(s)} : (Words){pl->u->stmt[stmt].s, pl->u->stmt[stmt].len};
}

/* plantours - write code of ours in a function to what goes before or after a statement, or to its stubs; with
 * the number of its counter, or NONE. */
void plantours(Planter *, int f, Buf *, int stmt, const Ours *, int slot);

/* calls.c: calls of the runtime.
 *
 * putlook - whether the file has been used, where a function begins.  putbegin - the runtime begins where a program
 * without a C library does.  putrecords - before calls through pointers, and jumps
 * through such that leave the function: which function they call.  putdepart, putgoing - where it goes to another
 * stack.  putnotes - what the runtime is to know of all that. */
void putlook(Planter *, int f);
void putbegin(Planter *, int f);
void putrecords(Planter *, int f);
void putdepart(Planter *, int f);
void putgoing(Planter *, int f);
void putnotes(const Planter *, Buf *out);

/* hooks.c: lead - calls of functions that the runtime stands in for lead to stubs.  putleads - those; of NULL, none. */
Leads *lead(Planter *);
void putleads(const Leads *, Buf *out);

/* write.c: findends - where stubs can go: after the function's unwind information, or after its last item.
 * closestubs - end the procedure of the last stub, if there is one.  movestubs - of functions that run into the next
 * one, to after that.  unwindable - have the assembler write what it is told of frames where a running program finds
 * it.  copytext - the text with all that; with signs for people to see what is ours. */
void findends(Planter *);
void unwindable(Planter *);
void closestubs(Planter *, int f);
void movestubs(Planter *);
void copytext(const Planter *, bool signs, Buf *out);

#endif
