/* plant.h - what the files that plant share. */

#ifndef PLANT_H
#define PLANT_H

#include "asm.h"

#include "layout/names.h"

typedef struct Planter Planter;
typedef struct Leads Leads;

/* What to write around each statement. */
struct Planter {
	Unit *u;
	const Order *how;
	Buf **before; /* by statement: what goes before it; NULL */
	Buf **after;
	Plan **plan;  /* by function; NULL if it is not counted */
	Plan **check; /* likewise */
	Bed *bed;     /* by function: what was planted in it */
	Buf *stubs;   /* by function */
	char **rules; /* by function: unwind information of the last of them, whose procedure is open; NULL */
	int *cfiend;  /* by function: statement after which its stubs go */
	char **shown; /* by function: what its source calls it, if that matters */
	bool *tight;  /* by block of the function at hand: it is in a tight loop */
	bool quick;   /* the counter at hand is: three instructions for one, if they can be had */
	Buf midway;   /* what the runtime is told of the places where control comes from other stacks */
	int nmidway;
	Buf *out;
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

/* plantours - write code of ours in a function to what goes before or after a statement, or to its stubs; with
 * the number of its counter, or NONE. */
void plantours(Planter *, int f, Buf *, int stmt, const Ours *, int slot);

/* calls.c: calls of the runtime.
 *
 * putlook - whether the file has been used, where a function begins.  isbegin, putbegin - a function is where a program
 * without a C library begins: the runtime begins there.  putrecords - before calls through pointers, and jumps
 * through such that leave the function: whom they call.  putdepart, putgoing - where it goes to another
 * stack.  putnotes - what the runtime is to know of all that. */
void putlook(Planter *, int f);
bool isbegin(const Func *);
void putbegin(Planter *, int f);
void putrecords(Planter *, int f);
void putdepart(Planter *, int f);
void putgoing(Planter *, int f);
void putnotes(const Planter *);

/* hooks.c: lead - calls of functions that the runtime stands in for lead to stubs.  putleads - those; of NULL, none. */
Leads *lead(Planter *);
void putleads(const Leads *, Buf *out);

/* write.c: findends - where stubs can go: after the function's unwind information, or after its last item.
 * closestubs - end the procedure of the last stub, if there is one.  unwindable - have the assembler write what it is
 * told of frames where a running program finds it.  copytext - all of it. */
void findends(Planter *);
void closestubs(Planter *, int f);
void unwindable(Unit *);
void copytext(Planter *);

#endif
