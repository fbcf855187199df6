/* memory.c - counts from a program's memory: a core file, or plain bytes.
 *
 * Such files are large, and the kernel's (/dev/mem, /proc/PID/mem) have no size, so only what is
 * needed is read, from where it is. */

#include "image/image.h"
#include "profile.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Span Span;
typedef struct Dump Dump;

/* A range of memory, and where it is in the file. */
struct Span {
	uint64_t addr, size;
	uint64_t off;
};

struct Dump {
	const char *path;
	int fd;
	Span *span;
	int nspan;
	size_t cap;
	uint8_t *notes; /* of a core */
	size_t nnote;
	uint64_t base; /* the program's address of what is at 0 here */
};

enum { MAXNOTES = 1 << 26, MAXSPAN = 1 << 20, SAMPLES = 1024 };

/* take - reads n bytes of the file; returns how many there are. */
static size_t
take(const Dump *d, uint64_t off, void *to, size_t n)
{
	size_t have = 0;

	while (have < n) {
		ssize_t k = pread(d->fd, (char *)to + have, n - have, (off_t)(off + have));

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		have += (size_t)k;
	}
	return have;
}

/* fetch - reads n bytes of memory at an address of the program; returns how many there are. */
static size_t
fetch(const Dump *d, uint64_t addr, void *to, size_t n)
{
	size_t have = 0;

	addr -= d->base;
	while (have < n) {
		uint64_t at = addr + have;
		size_t want, got;
		int i;

		for (i = 0; i < d->nspan; i++)
			if (at >= d->span[i].addr && at - d->span[i].addr < d->span[i].size)
				break;
		if (i == d->nspan)
			break;
		at -= d->span[i].addr;
		want = d->span[i].size - at < n - have ? d->span[i].size - at : n - have;
		got = take(d, d->span[i].off + at, (char *)to + have, want);
		have += got;
		if (got < want)
			break;
	}
	return have;
}

static void
addspan(Dump *d, uint64_t addr, uint64_t size, uint64_t off, Arena *run)
{
	apush(run, d->span, d->nspan, d->cap);
	d->span[d->nspan++] = (Span){addr, size, off};
}

/* readcore - takes the ranges and notes of a core file; returns whether it is one. */
static bool
readcore(Dump *d, Arena *run)
{
	Elf64_Ehdr h;
	Elf64_Shdr sh;
	Elf64_Phdr ph;
	uint64_t n, i;
	bool virtual = false;
	int pass;

	if (take(d, 0, &h, sizeof h) < sizeof h || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0
	    || h.e_type != ET_CORE)
		return false;
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_machine != EM_X86_64)
		err(d->path, "is a core of another architecture, not x86-64");
	n = h.e_phnum;
	if (n == PN_XNUM && take(d, h.e_shoff, &sh, sizeof sh) == sizeof sh)
		n = sh.sh_info;
	if (h.e_phentsize != sizeof ph || n > MAXSPAN)
		err(d->path, "damaged core: its headers have an unknown size");
	/* An emulator that dumps physical memory gives every range the address 0. */
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < n; i++) {
			if (take(d, h.e_phoff + i * sizeof ph, &ph, sizeof ph) < sizeof ph)
				err(d->path, "is truncated: its headers are missing");
			if (pass == 0)
				virtual |= ph.p_type == PT_LOAD && ph.p_vaddr;
			else if (ph.p_type == PT_LOAD)
				addspan(d, virtual ? ph.p_vaddr : ph.p_paddr, ph.p_filesz,
					ph.p_offset, run);
			else if (ph.p_type == PT_NOTE && !d->notes && ph.p_filesz <= MAXNOTES) {
				d->notes = aalloc(run, ph.p_filesz, 1);
				d->nnote = take(d, ph.p_offset, d->notes, ph.p_filesz);
			}
		}
	return true;
}

/* note - the note of a kind in a core; NULL if there is none. */
static const char *
note(const Dump *d, uint32_t kind, size_t *len)
{
	size_t at = 0;
	Elfnote n;

	while (nextnote(d->notes, d->nnote, &at, &n))
		if (n.type == kind) {
			*len = n.desclen;
			return (const char *)n.desc;
		}
	return NULL;
}

static uint64_t
word(const char *s, size_t i)
{
	uint64_t x;

	memcpy(&x, s + 8 * i, 8);
	return x;
}

/* filebase - finds, from the core's list of mapped files, the distance from the program's addresses
 * to where it was loaded; returns whether the core says. */
static bool
filebase(const Dump *d, const File *f, uint64_t *bias)
{
	size_t len, i;
	const char *files = note(d, NT_FILE, &len), *name, *end;
	char *real = realpath(f->path, NULL);
	bool found = false;
	uint64_t n, page;
	int k;

	if (files && len >= 16 && real) {
		n = word(files, 0);
		page = word(files, 1);
		end = files + len;
		name = n <= (len - 16) / 24 ? files + 16 + 24 * n : end;
		for (i = 0; i < n && !found && name < end; i++) {
			const char *nul = memchr(name, 0, (size_t)(end - name));
			uint64_t start = word(files, 2 + 3 * i);
			uint64_t off = word(files, 4 + 3 * i) * page;

			if (!nul)
				break;
			for (k = 0; strcmp(name, real) == 0 && k < f->nseg && page; k++)
				if (f->seg[k].type == PT_LOAD
				    && f->seg[k].offset / page * page == off) {
					*bias = start - f->seg[k].addr / page * page;
					found = true;
					break;
				}
			name = nul + 1;
		}
	}
	free(real);
	return found;
}

/* headersat - the address of the program headers; 0 if they are not loaded. */
static uint64_t
headersat(const File *f)
{
	int i;

	for (i = f->nseg - 1; i >= 0; i--)
		if (f->seg[i].type == PT_LOAD && f->headers >= f->seg[i].offset
		    && f->headers - f->seg[i].offset < f->seg[i].filesize)
			return f->seg[i].addr + f->headers - f->seg[i].offset;
	return 0;
}

/* auxbase - the same, from the auxiliary vector. */
static bool
auxbase(const Dump *d, const File *f, uint64_t *bias)
{
	size_t len, i;
	const char *aux = note(d, NT_AUXV, &len);
	uint64_t entry = 0, headers = 0, want = headersat(f);

	for (i = 0; aux && i + 1 < len / 8; i += 2) {
		if (word(aux, i) == AT_ENTRY)
			entry = word(aux, i + 1);
		if (word(aux, i) == AT_PHDR)
			headers = word(aux, i + 1);
	}
	*bias = entry - f->entry;
	return entry && want && headers - want == *bias && *bias % 4096 == 0;
}

/* checkcode - checks that the memory holds this program's code, as far as it has any, and returns
 * whether it has.  Some of it may have been patched, as kernels do. */
static bool
checkcode(const Dump *d, const Module *m)
{
	uint64_t n = 0, same = 0, at, step;
	uint8_t buf[64];
	size_t got, i;
	int k;

	for (k = 0; k < m->ncode; k++) {
		const Bytes *s = &m->code[k];

		step = s->size / SAMPLES > sizeof buf ? s->size / SAMPLES : sizeof buf;
		for (at = 0; at < s->size; at += step) {
			got = s->size - at < sizeof buf ? s->size - at : sizeof buf;
			got = fetch(d, s->addr + at, buf, got);
			for (i = 0; i < got; i++)
				same += buf[i] == s->data[at + i];
			n += got;
		}
	}
	if (same < n - n / 4)
		err(d->path,
		    "does not have the code of %s at its addresses: a different build, or a wrong "
		    "--base",
		    m->path);
	return n > 0;
}

/* lacking - marks a function whose counters are not in the memory as not counted. */
static void
lacking(Fn *fn, const Dump *d, Arena *run)
{
	Buf why = {.arena = run};

	bprintf(&why, "its counters are not in %s", d->path);
	fn->reason = why.s;
	fn->g = NULL;
}

/* takecounts - takes the counts of every function.  If all are zeros, they may be anything, unless
 * the code is there. */
static void
takecounts(const Dump *d, Module *m, bool code, Arena *run)
{
	int i, counted = 0, there = 0;
	uint64_t k, some = 0;

	m->count = anew(run, uint64_t, m->ncount);
	for (i = 0; i < m->nfn; i++) {
		Fn *fn = &m->fn[i];
		size_t n = 8 * (size_t)fn->nslot;

		if (!fn->g)
			continue;
		counted++;
		if (fetch(d, m->counters + 8 * fn->first, m->count + fn->first, n) == n)
			there++;
		else
			lacking(fn, d, run);
	}
	for (k = 0; k < m->ncount; k++) {
		some |= m->count[k];
		if (m->count[k] > INT64_MAX)
			err(d->path,
			    "has no counter at 0x%" PRIx64 ", but the value 0x%" PRIx64
			    ": a different build of %s, or a wrong --base",
			    m->counters + 8 * k, m->count[k], m->path);
	}
	if (m->runtime && !some)
		err(d->path,
		    "has no counts: %s counts into a profile in tally.out; to have counts in "
		    "its memory, build it with --runtime=none",
		    m->path);
	if (counted && !there)
		err(d->path, "does not have the counters of %s, 0x%" PRIx64 " to 0x%" PRIx64,
		    m->path, m->counters, m->counters + 8 * m->ncount);
	if (m->runtime) /* it could not open a file, or counted before that */
		m->flags |= PROFLOST;
	if (!some && !code)
		err(d->path,
		    "has zeros where the counters of %s should be, and none of its code: wrong "
		    "--base?",
		    m->path);
}

void
readmemory(Module *m, const char *path, const uint64_t *base, Arena *run)
{
	Dump d = {.path = path, .fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
	uint64_t bias = 0;
	File *f;

	if (d.fd < 0)
		syserr("open %s", path);
	f = needelf(m->path, run);
	if (!f->nseg)
		err(m->path, "is not a program");
	ownmap(m, run);
	readcode(m, run);
	if (!readcore(&d, run)) {
		addspan(&d, 0, UINT64_MAX, 0, run);
		d.base = lowest(f);
	} else if (!base && f->type == ET_DYN) {
		if (!filebase(&d, f, &bias) && !auxbase(&d, f, &bias))
			err(path, "does not say where %s was loaded: give --base", m->path);
		d.base = -bias;
	}
	if (base)
		d.base = *base;
	takecounts(&d, m, checkcode(&d, m), run);
	closeelf(f);
	close(d.fd);
	m->nrun = 1;
	m->endings[ENDGONE] = 1;
	m->inflight = true;
	m->dump = true;
}
