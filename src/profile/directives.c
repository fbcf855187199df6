/* directives.c - parts of the map as directives for the assembler. */

#include "mapfile.h"
#include "profile.h"

#include <inttypes.h>
#include <string.h>

void
asciz(Buf *out, const char *s)
{
	bprintf(out, "\t.asciz\t\"");
	for (; *s; s++)
		if (*s == '"' || *s == '\\' || (unsigned char)*s < ' ')
			bprintf(out, "\\%03o", (unsigned char)*s);
		else
			bput(out, s, 1);
	bprintf(out, "\"\n");
}

void
bytes(Buf *out, const Buf *b)
{
	size_t i;
	uint64_t x;

	for (i = 0; i + 8 <= b->n; i += 8) {
		memcpy(&x, b->s + i, 8);
		bprintf(out, "%s0x%" PRIx64, i % 64 ? "," : "\n\t.quad\t", x);
	}
	for (; i < b->n; i++)
		bprintf(out, "\n\t.byte\t%d", (unsigned char)b->s[i]);
	bput(out, "\n", 1);
}

void
sourcedirectives(Buf *out, const Srctext *x, const char *label)
{
	Buf packed = {.arena = out->arena};
	size_t text = 0;
	uint32_t k;

	packsource(&packed, x);
	for (k = 0; k < x->nfile; k++)
		text += strlen(x->file[k]) + 1;
	for (k = 0; k < x->nfn; k++)
		text += strlen(x->fn[k]) + 1;
	bprintf(out,
		"%s:\n\t.long\t%s_end-%s\n\t.value\t%d,%d\n"
		"\t.long\t%u,%u,%u,%u,%u,%u,%zu,%zu\n",
		label, label, label, x->shape ? MAPSHAPE : MAPSOURCE, MAPVERSION, x->id, x->nfile,
		x->nfn, x->nblock, x->npiece, x->nterm, packed.n, text);
	bytes(out, &packed);
	for (k = 0; k < x->nfile; k++)
		asciz(out, x->file[k]);
	for (k = 0; k < x->nfn; k++)
		asciz(out, x->fn[k]);
	bprintf(out, "\t.balign\t8\n%s_end:\n", label);
}

void
markdirectives(Buf *out, const Srcmark *m, int n, const char *label)
{
	Buf packed = {.arena = out->arena};

	packmarks(&packed, m, n);
	bprintf(out, "%s:\n\t.long\t%s_end-%s\n\t.value\t%d,%d\n\t.long\t%d,%zu\n", label, label,
		label, MAPMARKS, MAPVERSION, n, packed.n);
	bytes(out, &packed);
	bprintf(out, "\t.balign\t8\n%s_end:\n", label);
}

void
hintdirectives(Buf *out, const Graph *g, const Code *c, const char *label)
{
	Buf packed = {.arena = out->arena};
	int n = packhints(&packed, g, c);

	if (!n)
		return;
	bprintf(out, "%s:\n\t.long\t%s_end-%s\n\t.value\t%d,%d\n\t.long\t%d,%zu\n", label, label,
		label, MAPHINTS, MAPVERSION, n, packed.n);
	bytes(out, &packed);
	bprintf(out, "\t.balign\t8\n%s_end:\n", label);
}

void
copydirectives(Buf *out, const Copied *c, int n, const char *label)
{
	Buf packed = {.arena = out->arena};

	packcopies(&packed, c, n);
	bprintf(out, "%s:\n\t.long\t%s_end-%s\n\t.value\t%d,%d\n\t.long\t%d,%zu\n", label, label,
		label, MAPCOPIES, MAPVERSION, n, packed.n);
	bytes(out, &packed);
	bprintf(out, "\t.balign\t8\n%s_end:\n", label);
}

bool
iselsewhere(const Head *h, const Code *c)
{
	return h->line && c->nrow && (c->row->line != h->line || c->row->file != h->file);
}

void
headdirectives(Buf *out, const Head *h)
{
	bprintf(out, "\t.long\t%zu\n\t.value\t%d,%d\n\t.long\t%u,%u,%u,0\n", sizeof(struct Maphead),
		MAPHEAD, MAPVERSION, h->file, h->line, h->column);
}

bool
issystem(const char *path)
{
	return strncmp(path, "/usr/include/", 13) == 0 || strncmp(path, "/usr/lib/", 9) == 0;
}

/* stampdirectives - of the user's files among n of a unit. */
void
stampdirectives(Buf *out, const char *const *file, int n)
{
	Buf stamps = {.arena = out->arena};
	uint64_t size, hash;
	int i, k = 0;

	for (i = 0; i < n; i++) {
		if (!*file[i] || issystem(file[i]) || !stampof(file[i], &size, &hash))
			continue;
		bprintf(&stamps, "\t.long\t%d,0\n\t.quad\t%" PRIu64 ",0x%" PRIx64 "\n", i, size, hash);
		k++;
	}
	if (k)
		bprintf(out, "\t.long\t%zu\n\t.value\t%d,%d\n\t.long\t%d,0\n%s",
			sizeof(struct Mapfiles) + (size_t)k * sizeof(struct Mapstamp), MAPFILES, MAPVERSION,
			k, stamps.s);
}

void
counterpages(Buf *out)
{
	bprintf(out, "\t.section\t" COUNTSECTION ",\"awG\",@nobits," GUEST("runtime") ",comdat\n"
		     "\t.balign\t4096\n"
		     "\t.section\t" ENDSECTION ",\"awG\",@nobits," GUEST("runtime") ",comdat\n"
		     "\t.balign\t4096\n\t.text\n");
}
