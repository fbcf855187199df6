/* mix.h - kinds of instructions. */

#ifndef MIX_H
#define MIX_H

#include "report.h"

/* mix.c: how often each kind of instruction was executed. */

typedef enum Mixkey { MIXMNEMONIC, MIXGROUP, MIXLENGTH } Mixkey;
typedef enum Mixpart { MIXPROGRAM, MIXFILE, MIXFUNCTION } Mixpart;
typedef struct Cost Cost;

/* What something costs on some machine. */
struct Cost {
	const char *what; /* a mnemonic or a glob; class:GROUP; read, write, byte */
	double cost;
};

typedef struct Mix Mix;

struct Mix {
	Mixkey key;
	Mixpart part;
	Cost *cost; /* of several that match, the first counts */
	int ncost;
};

void mix(const Report *, const Mix *);

#endif
