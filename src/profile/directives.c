/* directives.c - the map as text for an assembler, and how the sections of counters begin and
 * end. */

#include "mapfile.h"
#include "profile.h"

#include <inttypes.h>
#include <string.h>

/* bytes - n known bytes, in lines of 64. */
static void
bytes(Buf *out, const char *s, size_t n)
{
	size_t i;
	uint64_t x;

	for (i = 0; i + 8 <= n; i += 8) {
		memcpy(&x, s + i, 8);
		bprintf(out, "%s0x%" PRIx64, i % 64 ? "," : i ? "\n\t.quad\t" : "\t.quad\t", x);
	}
	if (i)
		bput(out, "\n", 1);
	if (i < n)
		bprintf(out, "\t.byte\t%d", (unsigned char)s[i]);
	for (i++; i < n; i++)
		bprintf(out, ",%d", (unsigned char)s[i]);
	if (n % 8)
		bput(out, "\n", 1);
}

void
directives(Buf *out, const Newmap *map, const char *section, const char *label)
{
	const char *s = map->bytes.s;
	size_t at = 0;
	int i;

	bprintf(out, "\t.pushsection\t" MAPSECTION ",%s\n\t.balign\t8\n%s:\n", section, label);
	for (i = 0; i < map->nnote; i++) {
		const Note *n = &map->note[i];

		bytes(out, s + at, n->at - at);
		at = n->at;
		switch (n->kind) {
		case ISADDRESS:
			bprintf(out, "\t.quad\t%s\n", n->expr);
			at += 8;
			break;
		case ISDISTANCE:
			bprintf(out, "\t.long\t%s\n", n->expr);
			at += 4;
			break;
		case ISSTRING:
			asciz(out, s + at);
			at += strlen(s + at) + 1;
			break;
		}
	}
	bytes(out, s + at, map->bytes.n - at);
	bprintf(out, "\t.popsection\n");
}

void
counterpages(Buf *out)
{
	bprintf(out, "\t.section\t" COUNTSECTION ",\"awG\",@nobits," GUEST(
			     "runtime") ",comdat\n"
					"\t.balign\t4096\n"
					"\t.section\t" ENDSECTION ",\"awG\",@nobits," GUEST(
						"runtime") ",comdat\n"
							   "\t.balign\t4096\n\t.text\n");
}
