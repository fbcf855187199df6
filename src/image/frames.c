/* frames.c - the ranges of code in .eh_frame.
 *
 * .eh_frame has an entry (FDE) for each range of code, with its start and length.  The entry's
 * common part (CIE) says how these are encoded. */

#include "image.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

typedef struct Frames Frames;

struct Frames {
	const unsigned char *ident;
	Elf_Data *data;
	uint64_t addr; /* of the section */
	Dwarf_Off cie; /* the last one that was read */
	int encoding;  /* of addresses, in its entries; DW_EH_PE_omit if unknown */
	bool signal;   /* its entries describe what signal handlers return to */
};

/* encodedsize - bytes of an encoded address; 0 if the length varies. */
static size_t
encodedsize(int encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8: return 8;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4: return 4;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2: return 2;
	default: return 0;
	}
}

/* encoded - decode the number at p; returns whether it lies before end and can be decoded. */
static bool
encoded(const uint8_t *p, const uint8_t *end, int encoding, uint64_t *x)
{
	size_t n = encodedsize(encoding);
	uint64_t sign;

	*x = 0;
	if (!n || (size_t)(end - p) < n)
		return false;
	memcpy(x, p, n);
	sign = n < 8 && (encoding & DW_EH_PE_signed) ? 1ull << (8 * n - 1) : 0;
	*x = (*x ^ sign) - sign;
	return true;
}

/* encodingof - how the entries of a CIE encode addresses. */
static int
encodingof(const Dwarf_CIE *c)
{
	const uint8_t *p = c->augmentation_data, *end = p + c->augmentation_data_size;
	const char *a = c->augmentation;

	if (!a || *a++ != 'z')
		return DW_EH_PE_absptr;
	for (; *a && p < end; a++)
		switch (*a) {
		case 'R': return *p;
		case 'L': p++; break;
		case 'P':
			if (!encodedsize(*p))
				return DW_EH_PE_omit;
			p += 1 + encodedsize(*p);
			break;
		case 'S':
		case 'B': break;
		default: return DW_EH_PE_omit;
		}
	return DW_EH_PE_absptr;
}

/* rangeof - the code that an entry describes; returns whether that is known. */
static bool
rangeof(Frames *f, const Dwarf_FDE *e, Range *r)
{
	const uint8_t *base = f->data->d_buf;
	Dwarf_CFI_Entry cie;
	Dwarf_Off next;
	uint64_t len;

	if (f->cie != e->CIE_pointer) {
		f->cie = e->CIE_pointer;
		f->encoding = DW_EH_PE_omit;
		if (dwarf_next_cfi(f->ident, f->data, true, e->CIE_pointer, &next, &cie) == 0
		    && cie.CIE_id == DW_CIE_ID_64)
			f->encoding = encodingof(&cie.cie);
		f->signal = f->encoding != DW_EH_PE_omit && cie.cie.augmentation
			    && strchr(cie.cie.augmentation, 'S');
	}
	/* glibc's entry for what a signal handler returns to begins in the padding before it, so
	 * that unwinders, which look up the address less one, find it: no instruction begins
	 * there. */
	if (f->signal)
		return false;
	if (f->encoding == DW_EH_PE_omit || (f->encoding & DW_EH_PE_indirect)
	    || !encoded(e->start, e->end, f->encoding, &r->begin)
	    || !encoded(e->start + encodedsize(f->encoding), e->end,
			f->encoding & 0x07 /* a length has no sign */, &len))
		return false;
	if ((f->encoding & 0x70) == DW_EH_PE_pcrel)
		r->begin += f->addr + (uint64_t)(e->start - base);
	else if ((f->encoding & 0x70) != DW_EH_PE_absptr)
		return false;
	r->end = r->begin + len;
	return r->end > r->begin;
}

static int
byaddr(const void *a, const void *b)
{
	const Range *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

Range *
readframes(const File *f, int *n, Arena *run)
{
	const Section *s = section(f, ".eh_frame");
	Frames x = {.cie = DW_CIE_ID_64};
	Dwarf_Off at = 0, next;
	Range *list = NULL, r;
	Dwarf_CFI_Entry e;
	size_t cap = 0;
	int got;

	*n = 0;
	x.data = s && s->type != SHT_NOBITS ? elf_getdata(s->scn, NULL) : NULL;
	if (!x.data || !x.data->d_buf)
		return NULL;
	x.addr = s->addr;
	x.ident = (const unsigned char *)elf_getident(f->elf, NULL);
	/* dwarf_next_cfi() returns 1 at the end, -1 for a bad entry; the next one may still be
	 * good */
	for (; (got = dwarf_next_cfi(x.ident, x.data, true, at, &next, &e)) <= 0; at = next) {
		if (got < 0 && next <= at)
			break;
		if (got < 0 || e.CIE_id == DW_CIE_ID_64 || !rangeof(&x, &e.fde, &r))
			continue;
		apush(run, list, *n, cap);
		list[(*n)++] = r;
	}
	if (*n)
		qsort(list, (size_t)*n, sizeof *list, byaddr);
	return list;
}
