/* file.c - an ELF file, read by libelf. */

#include "file.h"

#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* readsections - read the section headers; those of a damaged file as far as possible. */
static void
readsections(File *f, Arena *run)
{
	Elf_Scn *scn = NULL;
	size_t names = 0, n = 0, cap = 0;
	GElf_Shdr sh;

	if (elf_getshdrnum(f->elf, &n) != 0 || elf_getshdrstrndx(f->elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(f->elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &sh))
			continue;
		name = elf_strptr(f->elf, names, sh.sh_name);
		apush(run, f->sect, f->nsect, cap);
		f->sect[f->nsect++] = (Section){.name = name ? name : "",
						.number = (uint32_t)elf_ndxscn(scn),
						.type = sh.sh_type,
						.link = sh.sh_link,
						.info = sh.sh_info,
						.flags = sh.sh_flags,
						.addr = sh.sh_addr,
						.size = sh.sh_size,
						.scn = scn};
	}
}

static void
readsegments(File *f, Arena *run)
{
	size_t n = 0, cap = 0, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(f->elf, &n) != 0)
		return;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(f->elf, (int)i, &ph))
			continue;
		apush(run, f->seg, f->nseg, cap);
		f->seg[f->nseg++] = (Segment){.type = ph.p_type,
					      .flags = ph.p_flags,
					      .addr = ph.p_vaddr,
					      .offset = ph.p_offset,
					      .filesize = ph.p_filesz,
					      .memsize = ph.p_memsz};
	}
}

/* openfd - the file that is open as fd. */
static File *
openfd(const char *path, int fd, Arena *run)
{
	File *f = anew(run, File, 1);
	GElf_Ehdr eh;

	elf_version(EV_CURRENT);
	*f = (File){.path = path, .fd = fd, .elf = elf_begin(fd, ELF_C_READ, NULL)};
	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &eh)) {
		closeelf(f);
		return NULL;
	}
	f->type = eh.e_type;
	f->machine = eh.e_machine;
	f->entry = eh.e_entry;
	f->headers = eh.e_phoff;
	readsections(f, run);
	readsegments(f, run);
	return f;
}

File *
openelf(const char *path, Arena *run)
{
	int fd = openfile(path, NULL);

	return fd < 0 ? NULL : openfd(path, fd, run);
}

File *
needelf(const char *path, Arena *run)
{
	int fd = openfile(path, NULL);
	File *f;

	if (fd < 0)
		noerr(path);
	f = openfd(path, fd, run);
	if (!f)
		err(path, "is not a program");
	return f;
}

void
closeelf(File *f)
{
	if (!f)
		return;
	elf_end(f->elf);
	close(f->fd);
}

const Section *
section(const File *f, const char *name)
{
	int i;

	for (i = 0; i < f->nsect; i++)
		if (strcmp(f->sect[i].name, name) == 0)
			return &f->sect[i];
	return NULL;
}

const Section *
sectionnumber(const File *f, uint32_t number)
{
	int i;

	for (i = 0; i < f->nsect; i++)
		if (f->sect[i].number == number)
			return &f->sect[i];
	return NULL;
}

const uint8_t *
sectionbytes(const Section *s, size_t *len)
{
	Elf_Data *d = elf_getdata(s->scn, NULL);

	*len = d && d->d_buf ? d->d_size : 0;
	return d ? d->d_buf : NULL;
}

Symbol *
readsymbols(const File *f, const Section *s, int *n, Arena *run)
{
	Elf_Data *d = elf_getdata(s->scn, NULL);
	int most = d ? (int)(d->d_size / gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT)) : 0;
	Symbol *list = anew(run, Symbol, most + 1);
	GElf_Sym sym;

	for (*n = 0; *n < most && gelf_getsym(d, *n, &sym); ++*n) {
		const char *name = elf_strptr(f->elf, s->link, sym.st_name);

		list[*n] = (Symbol){.name = name ? name : "",
				    .addr = sym.st_value,
				    .size = sym.st_size,
				    .sect = sym.st_shndx,
				    .type = GELF_ST_TYPE(sym.st_info),
				    .bind = GELF_ST_BIND(sym.st_info)};
	}
	return list;
}

Reloc *
readrelocs(const File *f, const Section *s, int *n, Arena *run)
{
	Elf_Data *d = elf_getdata(s->scn, NULL);
	int most = d ? (int)(d->d_size / gelf_fsize(f->elf, ELF_T_RELA, 1, EV_CURRENT)) : 0;
	Reloc *list = anew(run, Reloc, most + 1);
	GElf_Rela rel;

	for (*n = 0; *n < most && gelf_getrela(d, *n, &rel); ++*n)
		list[*n] = (Reloc){.addr = rel.r_offset,
				   .type = (uint32_t)GELF_R_TYPE(rel.r_info),
				   .symbol = (uint32_t)GELF_R_SYM(rel.r_info),
				   .addend = rel.r_addend};
	return list;
}

uint64_t
lowest(const File *f)
{
	uint64_t low = UINT64_MAX;
	int i;

	for (i = 0; i < f->nseg; i++)
		if (f->seg[i].type == PT_LOAD && f->seg[i].addr < low)
			low = f->seg[i].addr;
	return low;
}

/* gelf_getnote() rejects a last note that is not padded; linkers do not pad it. */
bool
nextnote(const uint8_t *s, size_t size, size_t *at, Elfnote *note)
{
	uint64_t first = *at + sizeof(Elf64_Nhdr), second;
	Elf64_Nhdr n;

	if (*at >= size || size - *at < sizeof n)
		return false;
	memcpy(&n, s + *at, sizeof n);
	second = first + ((n.n_namesz + 3ull) & ~3ull);
	if (second > size || n.n_descsz > size - second)
		return false;
	*note = (Elfnote){.type = n.n_type,
			  .name = (const char *)s + first,
			  .desc = s + second,
			  .namelen = n.n_namesz,
			  .desclen = n.n_descsz};
	*at = second + ((n.n_descsz + 3ull) & ~3ull);
	return true;
}

static bool
isnamed(const Elfnote *n, const char *name)
{
	return n->namelen == strlen(name) + 1 && memcmp(n->name, name, n->namelen) == 0;
}

bool
hasnote(const Section *s, const char *want)
{
	size_t at = 0, size;
	const uint8_t *p = sectionbytes(s, &size);
	Elfnote n;

	while (nextnote(p, size, &at, &n))
		if (isnamed(&n, want))
			return true;
	return false;
}

/* noteid - find the build id in notes; returns its length, 0 if there is none. */
static int
noteid(const uint8_t *notes, size_t size, uint8_t id[MAXID])
{
	size_t at = 0;
	Elfnote n;

	while (nextnote(notes, size, &at, &n))
		if (n.type == NT_GNU_BUILD_ID && isnamed(&n, "GNU")) {
			n.desclen = n.desclen < MAXID ? n.desclen : MAXID;
			memcpy(id, n.desc, n.desclen);
			return (int)n.desclen;
		}
	return 0;
}

/* hashcode - hash the executable segments; returns whether they are in the file. */
static bool
hashcode(const File *f, uint64_t *h)
{
	unsigned char buf[1 << 14];
	uint64_t at;
	ssize_t got;
	int i;

	*h = HASHBEGIN;
	for (i = 0; i < f->nseg; i++) {
		const Segment *s = &f->seg[i];

		if (s->type != PT_LOAD || !(s->flags & PF_X))
			continue;
		for (at = 0; at < s->filesize; at += (uint64_t)got) {
			uint64_t left = s->filesize - at;

			got = pread(f->fd, buf, left < sizeof buf ? left : sizeof buf,
				    (off_t)(s->offset + at));
			if (got <= 0)
				return false;
			*h = hashbytes(*h, buf, (size_t)got);
		}
	}
	return true;
}

int
buildid(const File *f, uint8_t id[MAXID])
{
	uint64_t h;
	int i, n;

	for (i = 0; i < f->nsect; i++) {
		const uint8_t *notes;
		size_t size;

		if (f->sect[i].type != SHT_NOTE || !(notes = sectionbytes(&f->sect[i], &size)))
			continue;
		n = noteid(notes, size, id);
		if (n)
			return n;
	}
	if (!hashcode(f, &h))
		return 0;
	memcpy(id, &h, sizeof h);
	return sizeof h;
}

bool
isbuild(const File *f, const uint8_t *id, int idlen)
{
	uint8_t own[MAXID];

	return idlen && buildid(f, own) == idlen && memcmp(own, id, (size_t)idlen) == 0;
}
