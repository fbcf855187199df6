/* modules.h - the profile file of a process, and the counters of each module in it.
 *
 * Each counted module that is loaded has an array of counters in memory, and says so in a note.
 * The process's file gets a record for each module, with its path and build id (PROFMODULE), and
 * for each thread a record (PROFCOUNTS) that leads to an array of the same size in the file.  That
 * array is mapped where the thread counts:
 *
 *     file     | header, records | counters of main thread | of thread 1 | records | ...
 *                                       mapped at counters   at counters + D
 *
 * So counting costs no more than before, and counts are in the file at once, even if the process is
 * killed.  Counters that share a page with other data (`loose' modules) cannot have the file mapped
 * over them: they are copied to the file at the end.
 *
 * What is to be mapped begins in the file at the same offset in its page as in memory.  Records
 * form a chain, and are linked when they are complete: somebody may be reading. */

#ifndef MODULES_H
#define MODULES_H

#include "process.h"
#include "where.h"

/* What tally's assembler says of this module: struct Called in layout/names.h. */
extern const struct Called firstcall[] __asm__("__start_" CALLSECTION)
	__attribute__((visibility("hidden")));
extern const struct Called lastcall[] __asm__("__stop_" CALLSECTION)
	__attribute__((visibility("hidden")));

__asm__(".section " CALLSECTION ",\"a\",@progbits\n"
	".balign 8\n"
	".long 0x400, 0\n" /* NOTHING, so that there is at least one */
	".text\n");

/* isflat - whether the program uses the gs register itself: then all threads share counters. */
static int
isflat(void)
{
	const struct Called *c;

	for (c = firstcall; c < lastcall; c++)
		if (c->which == FLAT)
			return 1;
	return 0;
}

/* isnamed - whether s begins with NAME=. */
static int
isnamed(const char *s, const char *name)
{
	size_t n = length(name);

	return same(s, name, n) && s[n] == '=';
}

/* environment - the value of a variable; NULL if it is not set.  Without a C library the kernel is
 * asked, and what does not fit into the buffer is not seen. */
static const char *
environment(const char *name)
{
	static char kernels[16384];
	const char *s, *end;
	size_t i;

	if (&environ && environ) {
		for (i = 0; environ[i]; i++)
			if (isnamed(environ[i], name))
				return environ[i] + length(name) + 1;
		return NULL;
	}
	end = kernels + slurp("/proc/self/environ", kernels, sizeof kernels);
	for (s = kernels; s < end; s += length(s) + 1)
		if (isnamed(s, name))
			return s + length(name) + 1;
	return NULL;
}

/* setdir - make s the directory of profiles; returns whether it exists now. */
static int
setdir(const char *s)
{
	Dir *d = &p->dir;
	long failed;

	d->path[0] = 0;
	if (*s != '/' && SYS(__NR_getcwd, d->path, sizeof d->path, 0) > 0)
		append(d->path, sizeof d->path, "/");
	if (length(s) + length(d->path) >= sizeof d->path) {
		d->path[0] = 0;
		return 0;
	}
	append(d->path, sizeof d->path, s);
	failed = SYS(__NR_mkdir, d->path, 0777, 0);
	return !failed || failed == EXISTS;
}

/* noted - the address to which word k of a note or table leads. */
static uint64_t
noted(const uint8_t *note, int k)
{
	int64_t rel;

	copy(&rel, note + 8 * k, sizeof rel);
	return (uint64_t)(note + 8 * k) + (uint64_t)rel;
}

/* isournote - whether a note is the runtime's, of whatever ABI; the first ABI had no tables. */
static int
isournote(const Elf64_Nhdr *n)
{
	return n->n_namesz == 6 && n->n_type > 1 && same(n + 1, "tally", 6)
	       && n->n_descsz >= sizeof(int64_t);
}

/* istable - whether a table of ours is at an address in a module. */
static int
istable(const struct phdrinfo *info, uint64_t at)
{
	int i;

	for (i = 0; i < info->phnum; i++) {
		const Elf64_Phdr *ph = &info->phdr[i];
		uint64_t begin = info->addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_R) && at >= begin + 16
		    && at + NNOTE * sizeof(int64_t) <= begin + ph->p_filesz)
			return same((const char *)at - 16, TABLEMAGIC, 16);
	}
	return 0;
}

/* findtable - search a module for its table, because its note has been moved; NULL if there is
 * none. */
static const uint8_t *
findtable(const struct phdrinfo *info)
{
	int i;

	for (i = 0; i < info->phnum; i++) {
		const Elf64_Phdr *ph = &info->phdr[i];
		uint64_t begin = info->addr + ph->p_vaddr, at = (begin + 15) & ~15ull;

		for (; ph->p_type == PT_LOAD && !(ph->p_flags & PF_W) && at < begin + ph->p_filesz;
		     at += 16)
			if (istable(info, at + 16))
				return (const uint8_t *)at + 16;
	}
	return NULL;
}

/* tableby - the table of the module that has this note; NULL if there is none. */
static const uint8_t *
tableby(const struct phdrinfo *info, const Elf64_Nhdr *n)
{
	uint64_t at = noted((const uint8_t *)n + sizeof *n + 8, 0);

	return at % 16 == 0 && istable(info, at) ? (const uint8_t *)at : findtable(info);
}

/* eachnote - call found() for each of our notes in a module, with its table. */
static void
eachnote(const struct phdrinfo *info,
	 void (*found)(const struct phdrinfo *, uint32_t abi, const uint8_t *of, void *), void *with)
{
	const uint8_t *of;
	int i;

	for (i = 0; i < info->phnum; i++) {
		const char *s = (const char *)info->addr + info->phdr[i].p_vaddr;
		const char *end = s + info->phdr[i].p_memsz;

		while (info->phdr[i].p_type == PT_NOTE && info->phdr[i].p_vaddr
		       && s + sizeof(Elf64_Nhdr) <= end) {
			const Elf64_Nhdr *n = (const Elf64_Nhdr *)s;

			if (isournote(n) && (of = tableby(info, n)))
				found(info, n->n_type, of, with);
			s += sizeof *n + ((n->n_namesz + 3) & ~3u) + ((n->n_descsz + 3) & ~3u);
		}
	}
}

/* makedir - create the directory of profiles, and those above it. */
static void
makedir(void)
{
	char *s;

	for (s = p->dir.path; *s; s++)
		if (*s == '/' && s > p->dir.path) {
			*s = 0;
			SYS(__NR_mkdir, p->dir.path, 0777, 0);
			*s = '/';
		}
	SYS(__NR_mkdir, p->dir.path, 0777, 0);
}

typedef struct Dirs Dirs;

/* The strings that say where a module was built. */
struct Dirs {
	const char *begin, *end;
	const char *name; /* of the module; "" is the program */
	int nth;          /* how many modules were looked at */
};

/* builtat - take the strings of a module, if it is the program or has this copy of the runtime. */
static void
builtat(const struct phdrinfo *info, uint32_t abi, const uint8_t *of, void *with)
{
	Dirs *d = with;

	if (abi != ABI || (d->nth > 1 && of != (const uint8_t *)note))
		return;
	d->begin = (const char *)noted(of, NOTEDIRS);
	d->end = (const char *)noted(of, NOTELASTDIR);
	d->name = d->nth > 1 ? info->name : "";
}

/* finddirs - find the strings: those of the program or, if it is not counted, of the library that
 * has this copy. */
static int
finddirs(struct phdrinfo *info, size_t size, void *with)
{
	Dirs *d = with;

	(void)size;
	d->nth++;
	eachnote(info, builtat, d);
	return d->begin != NULL;
}

static void filename(const char *, char *, size_t);

/* builddir - the profile directory where the program was built; NULL if that is not known. */
static const char *
builddir(void)
{
	static char path[4096], buf[4096];
	Dirs d = {.name = ""};

	if (dl_iterate_phdr)
		dl_iterate_phdr(finddirs, &d);
	if (!d.begin) {
		d.begin = (const char *)noted((const uint8_t *)note, NOTEDIRS);
		d.end = (const char *)noted((const uint8_t *)note, NOTELASTDIR);
	}
	filename(d.name, path, sizeof path);
	return choosedir(d.begin, d.end, path, buf, sizeof buf);
}

/* finddir - choose the directory of profiles: what the user says; else where the program was built;
 * if that is gone, where it runs. */
static void
finddir(void)
{
	const char *s = environment("TALLY_DIR");

	if (s && *s) {
		if (!setdir(s))
			makedir();
	} else if (!(s = builddir()) || !setdir(s)) {
		setdir("tally.out");
	}
}

/* createfile - create the process's file in the directory; -1 if that fails. */
static long
createfile(void)
{
	char *own = p->own;
	size_t n;
	int try;
	long fd;

	if (!p->dir.path[0])
		return -1;
	own[0] = 0;
	append(own, sizeof p->own - 40, p->program);
	append(own, sizeof p->own, ".");
	appendnumber(own, sizeof p->own, p->pid, 10);
	n = length(own);
	for (try = 0; try < 100; try++) {
		own[n] = 0;
		if (try) {
			append(own, sizeof p->own, "-");
			appendnumber(own, sizeof p->own, (uint64_t)try, 10);
		}
		append(own, sizeof p->own, ".tally");
		fd = SYS(__NR_open, inside(&p->dir, own, ""), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			 0666);
		if (fd != EXISTS)
			return fd;
	}
	return -1;
}

/* filename - the absolute path of the program (name is NULL or ""), or of a library. */
static void
filename(const char *name, char *path, size_t cap)
{
	long n;

	path[0] = 0;
	if (!name || !*name) {
		n = SYS(__NR_readlink, "/proc/self/exe", path, cap - 1);
		path[n > 0 ? n : 0] = 0;
		if (n > 0 || !getauxval)
			return;
		name = (const char *)getauxval(AT_EXECFN); /* there is no /proc */
	}
	while (name[0] == '.' && name[1] == '/')
		name += 2;
	if (*name != '/' && SYS(__NR_getcwd, path, cap, 0) > 0)
		append(path, cap, "/");
	append(path, cap, name);
}

/* nameof - the path of a loaded module.  A module without a name is the program, which the dynamic
 * linker may run as a command, or a library that does not use the C library. */
static void
nameof(const struct phdrinfo *info, char *path, size_t cap)
{
	Search s = {.addr = (uint64_t)info->phdr, .path = path, .cap = cap};

	path[0] = 0;
	if ((!info->name || !*info->name)
	    && (!getauxval || !getauxval(AT_BASE) || getauxval(AT_PHDR) != (unsigned long)info->phdr))
		searchmaps(&s);
	if (!path[0])
		filename(info->name, path, cap);
}

enum { HELD = 1 << 30 }; /* no descriptor: the part of the file that stays mapped */

/* openown - open the file of this process, which is open only while something is done with it; HELD
 * if only the part that stays mapped can be used; negative if there is no way. */
static long
openown(void)
{
	long fd = p->inroom ? -1 : openregular(AT_FDCWD, inside(&p->dir, p->own, ""), O_RDWR);

	return fd < 0 && p->held.at ? HELD : fd;
}

static void
shut(long fd)
{
	if (fd >= 0 && fd != HELD)
		SYS(__NR_close, fd, 0, 0);
}

/* isaddress - whether a system call returned an address, not an error. */
static int
isaddress(long map)
{
	return !(map < 0 && map > -4096);
}

/* grow - enlarge the file by n bytes, so that they begin at the same offset in a page as off does;
 * returns where they begin, 0 if there is no space. */
static uint64_t
grow(long fd, uint64_t off, uint64_t n)
{
	uint64_t used = fd == HELD && !p->inroom ? p->held.used : p->hdr->size;
	uint64_t begin = ((used + PAGE - 1) & ~(PAGE - 1)) + (off & (PAGE - 1));

	if (fd == HELD) {
		if (begin + n > p->held.end)
			return 0;
		*(p->inroom ? &p->hdr->size : &p->held.used) = begin + n;
		return begin;
	}
	if (fd < 0 || reserve(fd, used, begin + n) != 0)
		return 0;
	p->hdr->size = begin + n;
	return begin;
}

/* mapown - map size bytes of the file, from the start of a page; `flags' may ask for an address. */
static long
mapown(long fd, uint64_t file, uint64_t size, uint64_t at, int flags)
{
	long map;

	if (fd != HELD)
		return sys(__NR_mmap, (long)at, (long)size, PROT_READ | PROT_WRITE,
			   MAP_SHARED | flags, fd, (long)file);
	if (flags & MAP_FIXED_NOREPLACE) {
		map = sys(__NR_mmap, (long)at, (long)size, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
		if (map != (long)at)
			return map;
	}
	/* mremap of no bytes of a shared mapping makes another mapping of the same pages. */
	return sys(__NR_mremap, (long)(p->held.at + (file - p->held.begin)), 0, (long)size,
		   MREMAP_MAYMOVE | (flags ? MREMAP_FIXED : 0), (long)at, 0);
}

/* addarea - enlarge the file for more records, and map that part; 0 or -1. */
static int
addarea(long fd)
{
	Area *a = allot(sizeof *a);
	long map;

	if (!a || !(a->file = grow(fd, 0, CHUNK)))
		return -1;
	map = mapown(fd, a->file, CHUNK, 0, 0);
	if (!isaddress(map))
		return -1;
	a->at = (char *)map; /* NOLINT(performance-no-int-to-ptr) */
	a->size = CHUNK;
	p->area->next = a;
	p->area = a;
	return 0;
}

/* record - space for a record of that size in the file, not linked yet; NULL if there is none. */
static void *
record(long fd, uint16_t kind, uint64_t size)
{
	struct Profrec *r;

	size = (size + 7) & ~7ull;
	if (size > p->area->size - p->area->used && (size > CHUNK || addarea(fd) != 0))
		return NULL;
	r = (void *)(p->area->at + p->area->used);
	r->size = (uint32_t)size;
	r->kind = kind;
	r->version = PROFVERSION;
	return r;
}

/* link - append a record that is complete to the chain: somebody may be reading. */
static void
link(struct Profrec *r)
{
	uint64_t at = p->area->file + p->area->used;

	p->area->used += r->size;
	__atomic_store_n(p->last ? &p->last->next : &p->hdr->first, at, __ATOMIC_RELEASE);
	p->last = r;
}

/* keeplabel - set the label of what is counted from now on; "" and NULL mean none. */
static int
keeplabel(const char *label)
{
	size_t n = length(label ? label : "") + 1;

	if (n > p->labelcap) {
		char *at = allot(2 * n);

		if (!at)
			return -1;
		p->label = at;
		p->labelcap = 2 * n;
	}
	copy(p->label, label ? label : "", n);
	return 0;
}

/* putlabel - write the label of chapter `to' (0 or 1) into the header or, if it is too long, into
 * the file after it. */
static int
putlabel(long fd, const char *label, uint32_t to)
{
	struct Profhdr *h = p->hdr;
	size_t n = length(label) + 1;

	clear(h->label[to], LABELSIZE);
	h->far[to] = 0;
	if (n <= LABELSIZE) {
		copy(h->label[to], label, n);
		return 0;
	}
	if (n > p->farroom[to]) {
		p->farat[to] = grow(fd, 0, n);
		p->farroom[to] = p->farat[to] ? n : 0;
	}
	if (!p->farat[to])
		return -1;
	if (fd == HELD)
		copy(p->held.at + (p->farat[to] - p->held.begin), label, n);
	else if (sys(__NR_pwrite64, fd, (long)label, (long)n, (long)p->farat[to], 0, 0) != (long)n)
		return -1;
	h->far[to] = p->farat[to];
	return 0;
}

/* beginprofile - make an empty profile of HEAD bytes of 0 that are mapped at h. */
static int
beginprofile(long fd, struct Profhdr *h)
{
	struct Profcuts *cuts;

	identify(h);
	copy(h->magic, PROFMAGIC, 8);
	h->state = PROFCOUNTING;
	h->size = HEAD;
	h->begun = (uint64_t)SYS(__NR_time, 0, 0, 0);
	h->runs = 1;
	h->endings[ENDGONE] = 1;
	h->serial = hashbytes(h->start ^ (uint64_t)__builtin_ia32_rdtsc(), &h->pid, 4);
	p->hdr = h;
	p->last = NULL;
	clear(p->before, sizeof p->before);
	clear(p->farroom, sizeof p->farroom);
	if (putlabel(fd, p->label, 0) != 0) {
		p->hdr = NULL;
		return -1;
	}
	p->head = (Area){.size = HEAD, .used = sizeof *h, .at = (char *)h};
	p->area = &p->head;
	cuts = record(fd, PROFCUTS, sizeof *cuts + MAXCUT * sizeof *p->cut);
	cuts->cuts = p->area->used + sizeof *cuts;
	cuts->ncut = MAXCUT;
	p->cut = (struct Profcut *)(cuts + 1);
	link(&cuts->rec);
	return 0;
}

/* newfile - create and map the file of this process, with an empty profile; 0 or -1. */
static int
newfile(void)
{
	static char path[4096];
	struct Profhdr *h;
	const char *s;
	long fd, map = -1;

	p->pid = (uint32_t)SYS(__NR_getpid, 0, 0, 0);
	p->hdr = NULL;
	p->nmod = 0;
	p->held = (Held){0};
	p->reserved = NULL;
	p->nroom = 0;
	p->inroom = 0;
	filename(NULL, path, sizeof path);
	for (s = path; *s; s++)
		if (*s == '/') {
			p->program[0] = 0;
			append(p->program, sizeof p->program, s + 1);
		}
	shorten(p->program);
	fd = createfile();
	if (fd < 0)
		return -1;
	if (reserve(fd, 0, HEAD) == 0)
		map = sys(__NR_mmap, 0, HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	h = isaddress(map) ? (struct Profhdr *)map : NULL; /* NOLINT(performance-no-int-to-ptr) */
	if (h && beginprofile(fd, h) == 0) {
		shut(fd);
		return 0;
	}
	shut(fd);
	SYS(__NR_unlink, inside(&p->dir, p->own, ""), 0, 0);
	if (h)
		SYS(__NR_munmap, h, HEAD, 0);
	return -1;
}

/* pages - the pages that hold a module's counters at distance D. */
static uint64_t
pages(const Mod *m, int64_t D, uint64_t *size)
{
	uint64_t at = m->counters + (uint64_t)D, begin = at & ~(PAGE - 1);

	*size = ((at + 8 * m->n + PAGE - 1) & ~(PAGE - 1)) - begin;
	return begin;
}

/* place - map memory for a module's counters at distance D: from offset `file' of the file, or
 * anonymous memory if that is 0.  With `over' it replaces what is mapped there. */
static int
place(const Mod *m, long fd, uint64_t file, int64_t D, int over)
{
	uint64_t size, begin = pages(m, D, &size);
	int flags = over ? MAP_FIXED : MAP_FIXED_NOREPLACE;
	long map = file ? mapown(fd, file & ~(PAGE - 1), size, begin, flags)
			: sys(__NR_mmap, (long)begin, (long)size, PROT_READ | PROT_WRITE,
			      flags | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == (long)begin) {
		p->nmap += !over;
		return 0;
	}
	if (isaddress(map)) /* an old kernel takes the address as a hint */
		SYS(__NR_munmap, map, size, 0);
	return -1;
}

/* takeover - move the main thread's counters, which are where the linker put them, into the file,
 * with what they have counted so far. */
static int
takeover(const Mod *m, long fd, uint64_t file)
{
	uint64_t size, begin = pages(m, 0, &size), i;
	const uint64_t *from = (const uint64_t *)m->counters;
	long map = mapown(fd, file & ~(PAGE - 1), size, 0, 0);
	uint64_t *to;

	if (!isaddress(map))
		return -1;
	to = (uint64_t *)(map
			  + (long)(m->counters - begin)); /* NOLINT(performance-no-int-to-ptr) */
	for (i = 0; i < m->n; i++)
		if (from[i])
			to[i] += from[i];
	if (sys(__NR_mremap, map, (long)size, (long)size, MREMAP_MAYMOVE | MREMAP_FIXED,
		(long)begin, 0)
	    == (long)begin)
		return 0;
	SYS(__NR_munmap, map, size, 0);
	return -1;
}

/* carry - add the counters of a module that shares pages with other data to the file, and clear
 * them. */
static void
carry(const Mod *m, long fd, uint64_t file)
{
	uint64_t size, begin = pages(m, 0, &size), i, *from = (uint64_t *)m->counters, *to;
	long map = mapown(fd, file & ~(PAGE - 1), size, 0, 0);

	if (!isaddress(map)) {
		p->hdr->flags |= PROFLOST;
		return;
	}
	to = (uint64_t *)(map
			  + (long)(m->counters - begin)); /* NOLINT(performance-no-int-to-ptr) */
	for (i = 0; i < m->n; i++)
		if (from[i]) {
			to[i] += from[i];
			from[i] = 0;
		}
	SYS(__NR_munmap, map, size, 0);
}

/* segof - the counters of a module for a thread; NULL if there are none. */
static Seg *
segof(const Mod *m, const Thread *s)
{
	Seg *g;

	for (g = m->seg; g && g->thread != s; g = g->next)
		;
	return g;
}

/* carryall - carry() for all modules that need it. */
static void
carryall(void)
{
	long fd = -1;
	const Mod *m;
	const Seg *g;

	for (m = p->mod; m; m = m->next) {
		g = m->loose && !m->done ? segof(m, &p->main) : NULL;
		if (!g || !g->rec)
			continue;
		fd = fd < 0 ? openown() : fd;
		if (fd >= 0)
			carry(m, fd, g->rec->counts);
		else
			p->hdr->flags |= PROFLOST;
	}
	shut(fd);
}

/* nextthere - the record of that kind after r, or the first, in a room whose last process closed
 * its profile; NULL if there is none. */
static void *
nextthere(const void *r, uint16_t kind)
{
	uint64_t off = r ? ((const struct Profrec *)r)->next : p->hdr->first;
	struct Profrec *to;

	for (; off && p->inroom; off = to->next) {
		to = (struct Profrec *)((char *)p->hdr + off);
		if (to->kind == kind)
			return to;
	}
	return NULL;
}

/* countsthere - the record there of a module's counters for a thread of that number; NULL if there
 * is none. */
static struct Profcounts *
countsthere(const Mod *m, const Thread *s)
{
	struct Profcounts *c = NULL;

	while ((c = nextthere(c, PROFCOUNTS)))
		if (c->module == m->number && c->thread == s->number)
			return c;
	return NULL;
}

/* segment - the counters of a module for a thread, with space in the file if there is any; NULL if
 * there is not even memory. */
static Seg *
segment(Mod *m, const Thread *s, long fd)
{
	struct Profcounts *c = NULL;
	Seg *g = segof(m, s);
	uint64_t file = 0;

	if (g && g->rec)
		return g;
	if (!g && !(g = allot(sizeof *g)))
		return NULL;
	if (!g->thread) {
		g->thread = s;
		g->next = m->seg;
		m->seg = g;
	}
	if (m->rec && (c = countsthere(m, s))) {
		g->rec = c;
		return g;
	}
	if (m->rec && (file = grow(fd, m->counters, 8 * m->n))
	    && (c = record(fd, PROFCOUNTS, sizeof *c))) {
		c->module = m->number;
		c->thread = s->number;
		c->counts = file;
		link(&c->rec);
		g->rec = c;
	}
	return g;
}

/* maprank - map the ranks of a module's units from the file; NULL if that fails. */
static uint64_t *
maprank(const Mod *m, long fd)
{
	long map = mapown(fd, m->rankfile, 8ull * m->nunit, 0, 0);

	return isaddress(map) ? (uint64_t *)map : NULL; /* NOLINT(performance-no-int-to-ptr) */
}

/* makeranks - create and map the ranks of a module's units.  If that fails, the order is not known,
 * and nothing else is lost. */
static void
makeranks(Mod *m, long fd)
{
	struct Proforder *r = NULL;

	while ((r = nextthere(r, PROFORDER)))
		if (r->module == m->number) {
			m->rankfile = r->ranks;
			m->rank = maprank(m, fd);
			return;
		}
	if (!m->nunit || !(m->rankfile = grow(fd, 0, 8ull * m->nunit))
	    || !(r = record(fd, PROFORDER, sizeof *r)))
		return;
	r->module = m->number;
	r->nunit = m->nunit;
	r->ranks = m->rankfile;
	link(&r->rec);
	m->rank = maprank(m, fd);
}

/* inheritranks - a child begins with the ranks of its parent. */
static void
inheritranks(Mod *m, long fd)
{
	uint64_t *old = m->rank;

	m->rank = NULL;
	if (p->hdr && m->rec)
		makeranks(m, fd);
	if (m->rank && old)
		copy(m->rank, old, 8ull * m->nunit);
	if (old)
		SYS(__NR_munmap, old, 8ull * m->nunit, 0);
}

/* keyof - the hash that identifies a build of a module at a path. */
static uint64_t
keyof(const Mod *m, const char *path, const uint8_t *id, uint32_t idlen)
{
	return hashbytes(hashbytes(hashbytes(HASHBEGIN, path, length(path)), id, idlen), &m->n, sizeof m->n);
}

/* describe - write a module's record into the file. */
static int
describe(Mod *m, long fd, const char *path, const uint8_t *id, uint32_t idlen)
{
	struct Profmodule *r = record(fd, PROFMODULE, sizeof *r + length(path) + 1);

	if (!r)
		return -1;
	r->address = m->counters;
	r->ncount = m->n;
	r->pathlen = (uint32_t)length(path);
	r->idlen = idlen < sizeof r->id ? idlen : sizeof r->id;
	copy(r->id, id, r->idlen);
	copy(r + 1, path, r->pathlen);
	link(&r->rec);
	m->rec = r;
	m->number = p->nmod++;
	return 0;
}

/* describeagain - write a module's record as another file of this process had it. */
static int
describeagain(Mod *m, long fd)
{
	struct Profmodule *r = NULL;
	uint32_t n = 0;

	for (; (r = nextthere(r, PROFMODULE)); n++)
		if (r->rec.size == m->rec->rec.size
		    && same(&r->rec + 1, &m->rec->rec + 1, r->rec.size - sizeof r->rec)) {
			m->rec = r;
			m->number = n;
			return 0;
		}
	r = record(fd, PROFMODULE, m->rec->rec.size);
	if (!r)
		return -1;
	copy(&r->rec + 1, &m->rec->rec + 1, m->rec->rec.size - sizeof r->rec);
	link(&r->rec);
	m->rec = r;
	m->number = p->nmod++;
	return 0;
}

/* modat - the module that contains an address, if it is counted and still loaded; NULL if not. */
QUICK static Mod *
modat(uint64_t pc)
{
	static Mod *recent; /* of this copy */
	Mod *m = __atomic_load_n(&recent, __ATOMIC_RELAXED);

	if (m && pc >= m->begin && pc < m->end && !m->done)
		return m;
	for (m = p->mod; m; m = m->next)
		if (pc >= m->begin && pc < m->end && !m->done) {
			__atomic_store_n(&recent, m, __ATOMIC_RELAXED);
			return m;
		}
	return NULL;
}

/* known - whether the module with these counters is registered, and loaded. */
static int
known(uint64_t counters)
{
	const Mod *m;

	for (m = p->mod; m; m = m->next)
		if (m->counters == counters && !m->done)
			return 1;
	return 0;
}

/* gone - an unloaded module of that build; NULL if there is none. */
static Mod *
gone(uint64_t key)
{
	Mod *m;

	for (m = p->mod; m && !(m->done && m->key == key); m = m->next)
		;
	return m;
}

/* unplace - unmap the counters of a thread other than the main thread. */
static void
unplace(const Mod *m, Seg *g)
{
	uint64_t size;

	pages(m, 0, &size);
	if (g->at && g->thread != &p->main) {
		SYS(__NR_munmap, g->at, size, 0);
		p->nmap--;
	}
	g->at = 0;
}

/* makeway - unmap counters of unloaded modules that still lie in a range of addresses. */
static void
makeway(uint64_t begin, uint64_t size)
{
	const Mod *m;
	uint64_t n;
	Seg *g;

	for (m = p->mod; m; m = m->next) {
		if (!m->done)
			continue;
		pages(m, 0, &n);
		for (g = m->seg; g; g = g->next)
			if (g->at && g->at < begin + size && begin < g->at + n)
				unplace(m, g);
	}
}

/* extent - the range of addresses of a loaded module. */
static void
extent(const struct phdrinfo *info, uint64_t *begin, uint64_t *end)
{
	int i;

	*begin = UINT64_MAX;
	*end = 0;
	for (i = 0; i < info->phnum; i++) {
		uint64_t from = info->addr + info->phdr[i].p_vaddr;
		uint64_t to = from + info->phdr[i].p_memsz;

		if (info->phdr[i].p_type != PT_LOAD)
			continue;
		*begin = from < *begin ? from : *begin;
		*end = to > *end ? to : *end;
	}
}

static int provide(Mod *, Thread *, long);

/* add - register a module, whose code will run, or may already be running. */
static void
add(const struct phdrinfo *info, const uint8_t *of, const uint8_t *id, uint32_t idlen)
{
	static char path[4096];
	Mod new = {.counters = noted(of, NOTECOUNTERS), .note = of}, *m;
	uint64_t nunit;
	const Seg *g;
	Thread *s;
	long fd;

	if (known(new.counters))
		return;
	new.n = (noted(of, NOTEEND) - new.counters) / 8;
	new.unit = (uint32_t *)noted(of, NOTEUNITS);
	nunit = (noted(of, NOTELASTUNIT) - noted(of, NOTEUNITS)) / sizeof *new.unit;
	new.nunit = nunit > 1 ? (uint32_t)nunit : 0;
	new.loose = new.counters % PAGE
		    || noted(of, NOTEPAGE) != ((new.counters + 8 * new.n + PAGE - 1) & ~(PAGE - 1));
	extent(info, &new.begin, &new.end);
	nameof(info, path, sizeof path);
	new.key = keyof(&new, path, id, idlen);
	m = gone(new.key);
	if (!m && !(m = allot(sizeof *m))) {
		if (p->hdr)
			p->hdr->flags |= PROFLOST;
		return;
	}
	if (m->note) { /* it is loaded again */
		for (g = m->seg; g; g = g->next)
			unplace(m, (Seg *)g);
		new.next = m->next;
		new.rec = m->rec;
		new.number = m->number;
		new.seg = m->seg;
		new.rank = m->rank;
		new.rankfile = m->rankfile;
		*m = new;
	} else {
		*m = new;
		*p->lastmod = m;
		p->lastmod = &m->next;
	}
	if (!p->hdr)
		return;
	fd = openown();
	if (fd >= 0 && !m->rec && describe(m, fd, path, id, idlen) == 0)
		makeranks(m, fd);
	for (s = &p->main; s; s = s->next)
		if (s->taken && provide(m, s, fd) != 0)
			p->hdr->flags |= PROFLOST;
	shut(fd);
}

/* hashcode - what serves as the id of a module that has no build id: a hash of its code, 8
 * bytes. */
static void
hashcode(const struct phdrinfo *info, uint64_t *id)
{
	int i;

	*id = HASHBEGIN;
	for (i = 0; i < info->phnum; i++)
		if (info->phdr[i].p_type == PT_LOAD && (info->phdr[i].p_flags & PF_X))
			*id = hashbytes(*id, (const char *)info->addr + info->phdr[i].p_vaddr,
				   info->phdr[i].p_filesz);
}

/* findid - a module's build id, if it has one. */
static void
findid(const struct phdrinfo *info, const uint8_t **id, uint32_t *idlen)
{
	int i;

	for (i = 0; i < info->phnum; i++) {
		const char *s = (const char *)info->addr + info->phdr[i].p_vaddr;
		const char *end = s + info->phdr[i].p_memsz;

		while (info->phdr[i].p_type == PT_NOTE && s + sizeof(Elf64_Nhdr) <= end) {
			const Elf64_Nhdr *n = (const Elf64_Nhdr *)s;
			const char *owner = s + sizeof *n;
			const char *desc = owner + ((n->n_namesz + 3) & ~3u);

			if (n->n_namesz == 4 && same(owner, "GNU", 4)
			    && n->n_type == NT_GNU_BUILD_ID) {
				*id = (const uint8_t *)desc;
				*idlen = n->n_descsz;
			}
			s = desc + ((n->n_descsz + 3) & ~3u);
		}
	}
}

/* addnote - add the module that has this table. */
static void
addnote(const struct phdrinfo *info, const uint8_t *of)
{
	const uint8_t *id = NULL;
	uint32_t idlen = 0;
	uint64_t hashed;

	findid(info, &id, &idlen);
	if (!id) {
		hashcode(info, &hashed);
		id = (const uint8_t *)&hashed;
		idlen = sizeof hashed;
	}
	add(info, of, id, idlen);
}

static void
addfound(const struct phdrinfo *info, uint32_t abi, const uint8_t *of, void *with)
{
	(void)with;
	if (abi == ABI)
		addnote(info, of);
}

/* visit - add a loaded module if it has our note.  The module of this copy counts even if its
 * program headers do not lead to its note any more, which objcopy can do. */
static int
visit(struct phdrinfo *info, size_t size, void *with)
{
	uint64_t begin, end;

	(void)size;
	(void)with;
	eachnote(info, addfound, NULL);
	extent(info, &begin, &end);
	if ((uint64_t)note >= begin && (uint64_t)note < end)
		addnote(info, (const uint8_t *)note);
	return 0;
}

typedef struct Wanted Wanted;

/* The program or library that contains an address. */
struct Wanted {
	uint64_t pc;
	struct phdrinfo info;
	const void *map; /* the dynamic linker's struct link_map; NULL if unknown */
	int found;
};

static int
iswanted(struct phdrinfo *info, size_t size, void *with)
{
	Wanted *w = with;
	int i;

	(void)size;
	for (i = 0; i < info->phnum; i++) {
		uint64_t at = info->addr + info->phdr[i].p_vaddr;

		if (info->phdr[i].p_type == PT_LOAD && w->pc >= at
		    && w->pc < at + info->phdr[i].p_memsz) {
			w->info = *info;
			return w->found = 1;
		}
	}
	return 0;
}

/* headersat - find the program headers of what is loaded at an address; false if they are not where
 * linkers put them: patchelf moves them to where only the dynamic linker finds them. */
static int
headersat(const void *begin, struct phdrinfo *info)
{
	const Elf64_Ehdr *h = begin;

	if (!same(h->e_ident, ELFMAG, SELFMAG) || h->e_phentsize != sizeof(Elf64_Phdr)
	    || h->e_phoff != sizeof *h)
		return 0;
	info->phdr = (const Elf64_Phdr *)((const char *)begin + h->e_phoff);
	info->phnum = h->e_phnum;
	return 1;
}

/* selfinfo - what dl_iterate_phdr() would say of the module that this copy is part of. */
static struct phdrinfo
selfinfo(void)
{
	Wanted self = {.pc = (uint64_t)note};
	int i;

	if (headersat(&__ehdr_start, &self.info)) {
		if (__ehdr_start.e_type == ET_DYN)
			self.info.addr = (Elf64_Addr)&__ehdr_start;
	} else if (dl_iterate_phdr) {
		dl_iterate_phdr(iswanted, &self);
	} else if (getauxval) {
		self.info.phdr = (const Elf64_Phdr *)getauxval(AT_PHDR);
		self.info.phnum = (Elf64_Half)getauxval(AT_PHNUM);
		for (i = 0; i < self.info.phnum; i++)
			if (self.info.phdr[i].p_type == PT_PHDR)
				self.info.addr = (Elf64_Addr)self.info.phdr - self.info.phdr[i].p_vaddr;
	}
	return self.info;
}

/* visitall - visit all loaded modules; without a dynamic linker there is only this one. */
static void
visitall(void)
{
	struct phdrinfo self = selfinfo();

	if (dl_iterate_phdr)
		dl_iterate_phdr(visit, NULL);
	else
		visit(&self, sizeof self, NULL);
}

/* self - the fs base, which is pthread_self() of this thread; 0 without a C library. */
static uint64_t
self(void)
{
	uint64_t x = 0;

	SYS(__NR_arch_prctl, ARCH_GET_FS, &x, 0);
	return x;
}

#endif
