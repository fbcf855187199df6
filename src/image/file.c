/* file.c - a file of machine code as it lies there, by libelf. */

#include "image.h"

#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* readsections - their headers; of some damaged files, only some. */
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

/* openfd - what is open already. */
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
				    .type = GELF_ST_TYPE(sym.st_info)};
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

/* note - the next one of a section, after that at *at; false after the last.  libelf wants the last
 * one padded, which linkers do not do. */
static bool
note(const uint8_t *s, size_t size, size_t *at, Elf64_Nhdr *n, const uint8_t **name,
     const uint8_t **desc)
{
	uint64_t first = *at + sizeof *n, second;

	if (*at >= size || size - *at < sizeof *n)
		return false;
	memcpy(n, s + *at, sizeof *n);
	second = first + ((n->n_namesz + 3ull) & ~3ull);
	if (second > size || n->n_descsz > size - second)
		return false;
	*name = s + first;
	*desc = s + second;
	*at = second + ((n->n_descsz + 3ull) & ~3ull);
	return true;
}

bool
hasnote(const Section *s, const char *want)
{
	size_t at = 0, size, len = strlen(want) + 1;
	const uint8_t *p = sectionbytes(s, &size), *name, *desc;
	Elf64_Nhdr n;

	while (note(p, size, &at, &n, &name, &desc))
		if (n.n_namesz == len && memcmp(name, want, len) == 0)
			return true;
	return false;
}

/* hasid - whether a section of notes has that build id, of which a profile keeps 32 bytes. */
static bool
hasid(const Section *s, const uint8_t *id, int idlen)
{
	size_t at = 0, size, len;
	const uint8_t *p = sectionbytes(s, &size), *name, *desc;
	Elf64_Nhdr n;

	while (note(p, size, &at, &n, &name, &desc)) {
		if (n.n_type != NT_GNU_BUILD_ID || n.n_namesz != 4 || memcmp(name, "GNU", 4) != 0)
			continue;
		len = n.n_descsz < MAXID ? n.n_descsz : MAXID;
		return len == (size_t)idlen && memcmp(desc, id, len) == 0;
	}
	return false;
}

/* hashcode - what executable segments hold; false if that is not there. */
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

bool
isbuild(const File *f, const uint8_t *id, int idlen)
{
	uint64_t h;
	int i;

	for (i = 0; i < f->nsect; i++)
		if (f->sect[i].type == SHT_NOTE && hasid(&f->sect[i], id, idlen))
			return true;
	return idlen == sizeof h && hashcode(f, &h) && memcmp(&h, id, sizeof h) == 0;
}
