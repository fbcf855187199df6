/* modules.h - the profile file of a process, and memory in it for the counters of each
 * module. */

#ifndef MODULES_H
#define MODULES_H

#include "process.h"

/* What the assembler's wrapper says of this module. */
extern const struct Called __start_tally_calls[] __attribute__((visibility("hidden")));
extern const struct Called __stop_tally_calls[] __attribute__((visibility("hidden")));

__asm__(".section tally_calls,\"a\",@progbits\n"
	".balign 8\n"
	".long 0x400, 0\n" /* NOTHING, so that there is one */
	".text\n");

/* flatend - where pages end that hold nothing but the counters of this module, if its gs
 * register is the program's own: then the file is mapped in their place, and threads share
 * counters; 0. */
static uint64_t
flatend(void)
{
	const struct Called *c;

	for (c = __start_tally_calls; c < __stop_tally_calls; c++)
		if (c->which == FLAT)
			return (uint64_t)&c->real + (uint64_t)(int64_t)c->real;
	return 0;
}

/* isnamed - whether s is NAME=... */
static int
isnamed(const char *s, const char *name)
{
	size_t n = length(name);

	return same(s, name, n) && s[n] == '=';
}

/* environment - a variable; NULL.  Without a C library the kernel tells, as much of it as there
 * is room for. */
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

/* setdir - profiles go there, from now on; false if there is no such place, nor can be. */
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

/* finddir - where profiles go: where the user says; or where the program was built, or, if that
 * is gone, where it runs. */
static void
finddir(void)
{
	const char *s = environment("TALLY_DIR");

	if (s && *s)
		setdir(s);
	else if (!setdir(__tally_dir))
		setdir("tally.out");
}

/* createfile - a new file for this process in the directory; -1 if there is no way. */
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

/* filename - of the program, or of a library. */
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

/* record - room for one of that size in the header's part of the file; NULL. */
static void *
record(uint16_t kind, uint64_t size)
{
	struct Profrec *r = (void *)((char *)p->hdr + p->used);

	size = (size + 7) & ~7ull;
	if (size > HEAD - p->used)
		return NULL;
	r->size = (uint32_t)size;
	r->kind = kind;
	r->version = PROFVERSION;
	return r;
}

/* link - a record that is complete, to the others. */
static void
link(const struct Profrec *r)
{
	struct Profrec *last = (void *)((char *)p->hdr + p->last);

	if (p->last)
		last->next = p->used;
	p->last = p->used;
	p->used += r->size;
}

/* newfile - with a header and nothing else; 0 if there is one. */
static int
newfile(void)
{
	const char *label = environment("TALLY_LABEL"), *s;
	static char path[4096];
	struct Profcuts *cuts;
	struct Profhdr *h;
	long fd, map = -1;

	p->pid = (uint32_t)SYS(__NR_getpid, 0, 0, 0);
	p->hdr = NULL;
	filename(NULL, path, sizeof path);
	for (s = path; *s; s++)
		if (*s == '/') {
			p->program[0] = 0;
			append(p->program, sizeof p->program, s + 1);
		}
	fd = createfile();
	if (fd < 0)
		return -1;
	if (reserve(fd, 0, HEAD) == 0)
		map = sys(__NR_mmap, 0, HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	SYS(__NR_close, fd, 0, 0);
	if (map < 0 && map > -4096) {
		SYS(__NR_unlink, inside(&p->dir, p->own, ""), 0, 0);
		return -1;
	}
	h = (struct Profhdr *)map;
	identify(h);
	copy(h->magic, PROFMAGIC, 8);
	h->state = PROFCOUNTING;
	h->size = HEAD;
	h->begun = (uint64_t)SYS(__NR_time, 0, 0, 0);
	h->runs = 1;
	h->endings[ENDGONE] = 1;
	h->serial = hash(h->start ^ (uint64_t)__builtin_ia32_rdtsc(), &h->pid, 4);
	if (label && length(label) < LABELSIZE)
		append(h->label[0], LABELSIZE, label);
	p->hdr = h;
	p->last = 0;
	p->used = sizeof *h;
	cuts = record(PROFCUTS, sizeof *cuts + MAXCUT * sizeof *p->cut);
	cuts->cuts = p->used + sizeof *cuts;
	cuts->ncut = MAXCUT;
	p->cut = (struct Profcut *)(cuts + 1);
	link(&cuts->rec);
	h->first = sizeof *h; /* others may be reading */
	return 0;
}

/* grow - the file by n bytes, so that they begin where the page says that off does;
 * where they begin, 0 if that cannot be. */
static uint64_t
grow(uint64_t off, uint64_t n)
{
	uint64_t begin = ((p->hdr->size + PAGE - 1) & ~(PAGE - 1)) + (off & (PAGE - 1));
	long fd = SYS(__NR_open, inside(&p->dir, p->own, ""), O_RDWR | O_CLOEXEC, 0);
	int failed;

	if (fd < 0)
		return 0;
	failed = reserve(fd, p->hdr->size, begin + n);
	SYS(__NR_close, fd, 0, 0);
	if (failed)
		return 0;
	p->hdr->size = begin + n;
	return begin;
}

/* place - memory for the counters of a module at the distance D, from there in the file
 * or, if that is 0, from nowhere.  With `over', whatever is there goes away. */
static int
place(const Mod *m, uint64_t file, int64_t D, int over)
{
	uint64_t begin = (m->counters + (uint64_t)D) & ~(PAGE - 1);
	uint64_t end = (m->counters + (uint64_t)D + 8 * m->n + PAGE - 1) & ~(PAGE - 1);
	int flags = (over ? MAP_FIXED : MAP_FIXED_NOREPLACE)
		    | (file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
	long fd = -1, map;

	if (file) {
		fd = SYS(__NR_open, inside(&p->dir, p->own, ""), O_RDWR | O_CLOEXEC, 0);
		if (fd < 0)
			return -1;
	}
	map = sys(__NR_mmap, (long)begin, (long)(end - begin), PROT_READ | PROT_WRITE, flags, fd,
		  (long)(file & ~(PAGE - 1)));
	if (file)
		SYS(__NR_close, fd, 0, 0);
	if (map == (long)begin)
		return 0;
	if (!(map < 0 && map > -4096)) /* an old kernel takes the address for a wish */
		SYS(__NR_munmap, map, end - begin, 0);
	return -1;
}

/* remove - what place() placed. */
static void
remove(const Mod *m, int64_t D)
{
	uint64_t begin = (m->counters + (uint64_t)D) & ~(PAGE - 1);
	uint64_t end = (m->counters + (uint64_t)D + 8 * m->n + PAGE - 1) & ~(PAGE - 1);

	SYS(__NR_munmap, begin, end - begin, 0);
}

/* carry - what was counted with a base of 0 to where it belongs. */
static void
carry(const Mod *m)
{
	uint64_t *from = (uint64_t *)m->counters, *to = from + p->slot[0].D / 8, i;

	for (i = 0; i < m->n; i++)
		if (from[i]) {
			to[i] += from[i];
			from[i] = 0;
		}
}

/* numberof - of a module, in the file. */
static uint32_t
numberof(const Mod *m)
{
	uint32_t number = 0;
	int k;

	for (k = 0; &p->mod[k] < m; k++)
		number += p->mod[k].file != 0;
	return number;
}

/* segment - room in the file for the counters of a module, as slot k counts in them;
 * where, or 0. */
static uint64_t
segment(const Mod *m, int k)
{
	struct Profcounts *c;
	uint64_t file;

	if (p->used + sizeof *c > HEAD || !(file = grow(m->counters, 8 * m->n)))
		return 0;
	c = record(PROFCOUNTS, sizeof *c);
	c->module = numberof(m);
	c->thread = (uint32_t)k;
	c->counts = file;
	link(&c->rec);
	return file;
}

/* maprank - the ranks of a module's units, in the file; NULL. */
static uint64_t *
maprank(const Mod *m)
{
	long fd = SYS(__NR_open, inside(&p->dir, p->own, ""), O_RDWR | O_CLOEXEC, 0), map;

	if (fd < 0)
		return NULL;
	map = sys(__NR_mmap, 0, 8l * m->nunit, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		  (long)m->rankfile);
	SYS(__NR_close, fd, 0, 0);
	return map < 0 && map > -4096 ? NULL : (uint64_t *)map;
}

/* makeranks - room in the file for them.  Without it the order is not known, and nothing else
 * is lost. */
static void
makeranks(Mod *m)
{
	struct Proforder *r;

	if (!m->nunit || p->used + sizeof *r > HEAD || !(m->rankfile = grow(0, 8ull * m->nunit)))
		return;
	r = record(PROFORDER, sizeof *r);
	r->module = numberof(m);
	r->nunit = m->nunit;
	r->ranks = m->rankfile;
	link(&r->rec);
	m->rank = maprank(m);
}

/* inheritranks - a child begins with those of its parent. */
static void
inheritranks(Mod *m)
{
	uint64_t *old = m->rank;

	if (!old)
		return;
	m->rank = p->hdr ? maprank(m) : NULL;
	if (m->rank)
		copy(m->rank, old, 8ull * m->nunit);
	SYS(__NR_munmap, old, 8ull * m->nunit, 0);
}

/* describe - a module in the file: a record for it and one for its counters. */
static int
describe(Mod *m, const char *name, const uint8_t *id, uint32_t idlen)
{
	static char path[4096];
	struct Profmodule *r;

	filename(name, path, sizeof path);
	if (!grow(0, 0))
		return -1; /* no way to the file */
	r = record(PROFMODULE, sizeof *r + length(path) + 1);
	if (!r || p->used + r->rec.size + sizeof(struct Profcounts) > HEAD)
		return -1;
	r->address = m->counters;
	r->ncount = m->n;
	r->pathlen = (uint32_t)length(path);
	r->idlen = idlen < sizeof r->id ? idlen : sizeof r->id;
	copy(r->id, id, r->idlen);
	copy(r + 1, path, r->pathlen);
	link(&r->rec);
	m->file = segment(m, 0);
	if (m->file)
		makeranks(m);
	return m->file ? 0 : -1;
}

/* known - whether the module with these counters is registered. */
static int
known(uint64_t counters)
{
	int k;

	for (k = 0; k < p->nmod; k++)
		if (p->mod[k].counters == counters && !p->mod[k].done)
			return 1;
	return 0;
}

/* covers - whether a module that is gone had its counters where these are. */
static int
covers(const Mod *m)
{
	int k;

	for (k = 0; &p->mod[k] < m; k++)
		if (p->mod[k].done && p->mod[k].counters < m->counters + 8 * m->n + PAGE
		    && m->counters < p->mod[k].counters + 8 * p->mod[k].n + PAGE)
			return 1;
	return 0;
}

/* noted - the address that word k of a note tells. */
static uint64_t
noted(const uint8_t *note, int k)
{
	int64_t rel;

	copy(&rel, note + 8 * k, sizeof rel);
	return (uint64_t)(note + 8 * k) + (uint64_t)rel;
}

/* add - a module, whose code may already be running with a base of 0, or will run. */
static void
add(const char *name, const uint8_t *note, const uint8_t *id, uint32_t idlen)
{
	uint64_t counters = noted(note, 0), n = (noted(note, 1) - counters) / 8;
	uint64_t nunit = (noted(note, 3) - noted(note, 2)) / sizeof *p->mod->unit;
	Mod *m = &p->mod[p->nmod];
	int k;

	if (known(counters) || p->nmod == MAXMODULE)
		return;
	*m = (Mod){.counters = counters,
		   .n = n,
		   .note = note,
		   .unit = (uint32_t *)noted(note, 2),
		   .nunit = nunit > 1 ? (uint32_t)nunit : 0};
	p->nmod++;
	if (!p->hdr)
		return;
	if (describe(m, name, id, idlen) != 0)
		p->hdr->flags |= PROFLOST;
	if (!p->slot[0].D)
		return; /* start() will place all of them */
	for (k = 0; k < p->nslot; k++) {
		uint64_t file = k && m->file ? segment(m, k) : m->file;

		if (!file)
			p->hdr->flags |= PROFLOST;
		if (place(m, file, p->slot[k].D, covers(m)) != 0) {
			p->hdr->flags |= PROFLOST; /* the program must not fall into a hole */
			place(m, 0, p->slot[k].D, 1);
		}
	}
	carry(m);
}

/* hashcode - what serves as the id of a module without one; 8 bytes. */
static void
hashcode(const struct phdrinfo *info, uint64_t *id)
{
	int i;

	*id = HASHBEGIN;
	for (i = 0; i < info->phnum; i++)
		if (info->phdr[i].p_type == PT_LOAD && (info->phdr[i].p_flags & PF_X))
			*id = hash(*id, (const char *)info->addr + info->phdr[i].p_vaddr,
				   info->phdr[i].p_filesz);
}

/* findid - its build id, if it has one. */
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

/* visit - a module that is loaded: add it if it has our note. */
static int
visit(struct phdrinfo *info, size_t size, void *with)
{
	const uint8_t *id = NULL, *note = NULL;
	uint64_t begin = UINT64_MAX, last = 0, hashed;
	uint32_t idlen = 0;
	int i;

	(void)size;
	(void)with;
	for (i = 0; i < info->phnum; i++) {
		const char *s = (const char *)info->addr + info->phdr[i].p_vaddr;
		const char *end = s + info->phdr[i].p_memsz;

		if (info->phdr[i].p_type == PT_LOAD) {
			begin = (uint64_t)s < begin ? (uint64_t)s : begin;
			last = (uint64_t)end > last ? (uint64_t)end : last;
		}
		if (info->phdr[i].p_type != PT_NOTE)
			continue;
		while (s + sizeof(Elf64_Nhdr) <= end) {
			const Elf64_Nhdr *n = (const Elf64_Nhdr *)s;
			const char *owner = s + sizeof *n;
			const char *desc = owner + ((n->n_namesz + 3) & ~3u);

			if (n->n_namesz == 6 && same(owner, "tally", 6) && n->n_type == 1
			    && n->n_descsz == 32)
				note = (const uint8_t *)desc;
			s = desc + ((n->n_descsz + 3) & ~3u);
		}
	}
	if (note)
		findid(info, &id, &idlen);
	if (note && !id) {
		hashcode(info, &hashed);
		id = (const uint8_t *)&hashed;
		idlen = sizeof hashed;
	}
	if (note) {
		add(info->name, note, id, idlen);
		if (p->nmod && p->mod[p->nmod - 1].note == note) {
			p->mod[p->nmod - 1].begin = begin;
			p->mod[p->nmod - 1].end = last;
		}
	}
	return 0;
}

/* visitall - every module that is loaded; without a dynamic linker there is this one. */
static void
visitall(void)
{
	struct phdrinfo self = {.phnum = __ehdr_start.e_phnum};

	if (dl_iterate_phdr) {
		dl_iterate_phdr(visit, NULL);
		return;
	}
	self.phdr = (const Elf64_Phdr *)((const char *)&__ehdr_start + __ehdr_start.e_phoff);
	if (__ehdr_start.e_type == ET_DYN)
		self.addr = (Elf64_Addr)&__ehdr_start;
	visit(&self, sizeof self, NULL);
}

/* placeall - all modules at the distance D, or none. */
static int
placeall(int64_t D)
{
	int k;

	for (k = 0; k < p->nmod; k++)
		if (place(&p->mod[k], p->mod[k].file, D, 0) != 0)
			break;
	if (k == p->nmod)
		return 0;
	while (k-- > 0)
		remove(&p->mod[k], D);
	return -1;
}

/* isfree - whether n bytes at addr are, as far as the kernel would map them. */
static int
isfree(uint64_t addr, uint64_t n)
{
	long map = sys(__NR_mmap, (long)addr, (long)n, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (!(map < 0 && map > -4096))
		SYS(__NR_munmap, map, n, 0);
	return map == (long)addr;
}

/* self - what pthread_self() calls this thread; 0 without a C library. */
static uint64_t
self(void)
{
	uint64_t x = 0;

	SYS(__NR_arch_prctl, ARCH_GET_FS, &x, 0);
	return x;
}

/* choose - a distance at which all modules have room, and those that come later, which
 * are loaded downwards from where we were mapped.  The kernel takes no negative base;
 * the largest that fits leads into the space between libraries and stack. */
static void
choose(void)
{
	uint64_t later = (uint64_t)p->hdr, room;
	int64_t D;

	p->slot[0] = (Slot){.taken = 1, .tid = (int)SYS(__NR_gettid, 0, 0, 0), .self = self()};
	p->nslot = 1;
	for (room = 1ull << 32; room >= 1ull << 24 && !p->flat; room >>= 4)
		for (D = 1ll << 40; D >= 1ll << 21; D /= 2)
			if (isfree(later - room + (uint64_t)D, room) && placeall(D) == 0) {
				p->slot[0].D = D;
				return;
			}
}

#endif
