/* guest.h - the runtime as it travels in the programs that count: as text for assemblers. */

#ifndef GUEST_H
#define GUEST_H

#include "base/base.h"

/* Made of src/runtime by embed: the text; and the names of the C library that it wants, ended by NULL. */
extern const char runtimetext[];
extern const char *const runtimewants[];

/* text.c: putruntime - the runtime, for an assembler; dir is where profiles go of programs that are made here.  The
 * linker keeps dir if something that it keeps refers to PLACE, or in any case if it is to be `kept'. */
#define PLACE ".Ltally_place"
void putruntime(Buf *, const char *dir, bool kept);

#endif
