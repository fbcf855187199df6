/* text.c - the runtime as text for assemblers. */

#include "guest.h"

#include "layout/layout.h"

#include <string.h>

/* Guards against a second copy in one text, since LTO may join several.  The directory is in a
 * section of strings, of which the linker merges equal ones. */
void
putruntime(Buf *out, const char *dir, bool kept)
{
	bprintf(out,
		"\t.ifndef\t" PLACE "\n\t.section\t" DIRSECTION ",\"aMS%s\",@progbits,1\n"
		PLACE ":\n\t.byte\t1\n",
		kept ? "R" : "");
	asciz(out, dir);
	bprintf(out, "\t.endif\n\t.ifndef\t.Ltally_rt_once\n\t.set\t.Ltally_rt_once, 1\n");
	bput(out, runtimetext, strlen(runtimetext));
	bprintf(out,
		"\t.section\t.rodata.tally,\"aG\",@progbits," GUEST("runtime") ",comdat\n"
		"\t.reloc\t., R_X86_64_NONE, " PLACE "\n\t.byte\t0\n\t.endif\n\t.text\n");
}
