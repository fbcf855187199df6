/* markers.c - collect what the C road left about the source in comments of the assembly.
 * profile/remark.c has their format. */

#include "asm.h"

bool
isremark(Unit *u, const char *s, const char *end, bool *item)
{
	Remark r;
	Remarkkind kind = readremark(s, end, &r);

	*item = kind == BLOCKBEGINS;
	if (kind == OFTEXT) {
		apush(u->run, u->told, u->ntold, u->captold);
		u->told[u->ntold++] = (Remarkline){s, end};
	}
	if (kind == BLOCKBEGINS) {
		apush(u->run, u->marker, u->nmarker, u->capmarker);
		u->marker[u->nmarker++] = r;
	}
	return kind != NOREMARK;
}

void
mapsources(Unit *u, Newmap *map)
{
	Srctext *text;
	uint32_t k;
	int i, n;

	text = readtexts(u->told, u->ntold, &n, u->run);
	for (i = 0; i < n; i++) {
		for (k = 0; k < text[i].nfile; k++)
			text[i].file[k] = fullpath(u, text[i].file[k]);
		mapsource(map, &text[i]);
	}
}

const Marker *
findmarkers(Unit *u, int f, int *n)
{
	const Func *fn = &u->func[f];
	bool counted = fn->body.g && !fn->reason;
	Marker *m = NULL;
	uint32_t done = 0;
	size_t cap = 0;
	int i, block = NONE;

	*n = 0;
	for (i = 0; i < fn->nitem; i++) {
		const Item *it = &u->item[fn->item[i]];
		int mark = u->stmt[it->stmt].marker;

		if (it->block != block)
			done = 0;
		block = it->block;
		if (mark != NONE && (!counted || block != NONE)) {
			apush(u->run, m, *n, cap);
			m[(*n)++] = (Marker){counted ? block : ENTRY, done, u->marker[mark].text,
					      u->marker[mark].block};
		}
		done += (uint32_t)(it->ninsn + it->npad);
	}
	return m;
}
