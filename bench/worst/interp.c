/* interp.c - a threaded interpreter: every instruction of its byte code ends with a jump through a
 * table (gcc's computed goto), so almost every block needs a counter.  The program that it runs
 * finds primes by division. */

#include "threads.h"

enum { SET, MOVE, ADD, SUB, MUL, MOD, LESS, JUMP, IFZERO, HALT };

typedef struct Insn {
	unsigned char op, a, b, c; /* registers; a is the result */
	int n;                     /* a constant, or a destination */
} Insn;

enum { N, D, T, U, COUNT, ONE, LIMIT, SUM, REGS };

static const Insn program[] = {
	{SET, ONE, 0, 0, 1},
	{SET, COUNT, 0, 0, 0},
	{SET, N, 0, 0, 2},
	/*  3: next n */
	{LESS, T, N, LIMIT, 0},
	{IFZERO, T, 0, 0, 18},
	{SET, D, 0, 0, 2},
	/*  6: next d */
	{MUL, T, D, D, 0},
	{LESS, U, N, T, 0},
	{IFZERO, U, 0, 0, 10},
	{JUMP, 0, 0, 0, 14}, /* a prime */
	{MOD, T, N, D, 0},
	{IFZERO, T, 0, 0, 16},
	{ADD, D, D, ONE, 0},
	{JUMP, 0, 0, 0, 6},
	{ADD, COUNT, COUNT, ONE, 0},
	{ADD, SUM, SUM, N, 0},
	{ADD, N, N, ONE, 0},
	{JUMP, 0, 0, 0, 3},
	{SUB, T, SUM, COUNT, 0},
	{MOVE, COUNT, T, 0, 0},
	{HALT, COUNT, 0, 0, 0},
};

/* run - run the program; its result is in the register that HALT names. */
static uint64_t
run(const Insn *code, uint64_t *r)
{
	static const void *const to[] = {&&set, &&move, &&add,  &&sub,    &&mul,
					 &&mod, &&less, &&jump, &&ifzero, &&halt};
	const Insn *i = code;

#define GO(insn)                 \
	do {                     \
		i = (insn);      \
		goto *to[i->op]; \
	} while (0)
	GO(code);
set:
	r[i->a] = (uint64_t)i->n;
	GO(i + 1);
move:
	r[i->a] = r[i->b];
	GO(i + 1);
add:
	r[i->a] = r[i->b] + r[i->c];
	GO(i + 1);
sub:
	r[i->a] = r[i->b] - r[i->c];
	GO(i + 1);
mul:
	r[i->a] = r[i->b] * r[i->c];
	GO(i + 1);
mod:
	r[i->a] = (uint32_t)r[i->b] % (uint32_t)r[i->c];
	GO(i + 1);
less:
	r[i->a] = r[i->b] < r[i->c];
	GO(i + 1);
jump:
	GO(code + i->n);
ifzero:
	GO(r[i->a] == 0 ? code + i->n : i + 1);
halt:
	return r[i->a];
}

static uint64_t
work(uint64_t seed)
{
	uint64_t r[REGS] = {0};

	r[SUM] = seed;
	r[LIMIT] = 1600000;
	return run(program, r);
}
