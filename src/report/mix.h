/* mix.h - kinds of instructions. */

#ifndef MIX_H
#define MIX_H

#include "report.h"

/* mix.c: how often each kind of instruction was executed. */

typedef enum Mixkey { MIXMNEMONIC, MIXGROUP, MIXLENGTH } Mixkey;
typedef enum Mixpart { MIXPROGRAM, MIXFILE, MIXFUNCTION } Mixpart;
typedef struct Cost Cost;

/* What an instruction costs on some machine. */
struct Cost {
	const char *what; /* mnemonic, a glob; class:GROUP; read, write, byte */
	double cost;
};

typedef struct Mix Mix;

struct Mix {
	Mixkey key;
	Mixpart part;
	Cost *cost; /* the first that fits counts */
	int ncost;
};

void mix(const Report *, const Mix *);

#endif
