/* guest.h - the runtime as it travels in counted programs: as text for assemblers. */

#ifndef GUEST_H
#define GUEST_H

#include "base/base.h"

/* Made from src/runtime by embed: the text, and the names of the C library that it refers to, which
 * end with NULL. */
extern const char runtimetext[];
extern const char *const runtimewants[];

/* text.c:
 * putruntime - the runtime, for an assembler; dir is where programs write their profiles.  The
 * linker keeps dir if something that it keeps refers to PLACE, or always if `kept'. */
#define PLACE ".Ltally_place"
void putruntime(Buf *, const char *dir, bool kept);

#endif
