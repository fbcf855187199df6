/* runtime.c - what runs inside the counted program.
 *
 * A guest: no library, no allocation, no locks, no output; errno is not touched
 * because the C library is not called.  Whatever fails leaves the program running
 * as if nobody counted.
 *
 * Code counts by `incq %gs:counter(%rip)'.  The base of gs is 0 at first, so it hits
 * the static counters of the module.  start() maps a profile file, adds what was
 * counted before it, and sets the base to the distance from the static counters to
 * those in the file. */

#include "fold.h"

#include <asm/prctl.h>
#include <elf.h>

extern uint64_t __start_tally_counters[] __attribute__((visibility("hidden"), weak));
extern uint64_t __stop_tally_counters[] __attribute__((visibility("hidden"), weak));
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden"), weak));
extern char **environ __attribute__((weak));
extern const char __libc_single_threaded __attribute__((weak));

/* Where profiles go unless TALLY_DIR says otherwise; written by the assembler's
 * wrapper. */
extern const char __tally_dir[] __attribute__((visibility("hidden")));

static struct Profhdr *hdr; /* the mapped file, or NULL */
static Dir dir;
static char own[300];       /* name of the file in there */
static const char *program; /* name of the program */

/* identify - who this process is: so that others can tell whether it still runs. */
static void
identify(struct Profhdr *h)
{
	char buf[1024], *s;
	int i, k = 0;

	h->pid = (uint32_t)SYS(__NR_getpid, 0, 0, 0);
	slurp("/proc/self/stat", buf, sizeof buf);
	for (s = buf + length(buf); s > buf && *s != ')'; s--)
		; /* the name may hold anything, a parenthesis ends it */
	for (i = 0; *s && i < 20; s++)
		i += *s == ' ';
	h->start = number(s);
	slurp("/proc/sys/kernel/random/boot_id", buf, sizeof buf);
	for (s = buf; *s && k < 32; s++) {
		int d = *s >= '0' && *s <= '9'   ? *s - '0'
			: *s >= 'a' && *s <= 'f' ? *s - 'a' + 10
						 : -1;

		if (d < 0)
			continue;
		h->boot[k / 2] = (uint8_t)(h->boot[k / 2] << 4 | d);
		k++;
	}
	buf[0] = 0;
	i = (int)SYS(__NR_readlink, "/proc/self/ns/pid", buf, sizeof buf - 1);
	buf[i > 0 ? i : 0] = 0;
	for (s = buf; *s && *s != '['; s++)
		;
	h->pidns = *s ? number(s + 1) : 0;
}

/* buildid - of the module that this code is in. */
static void
buildid(struct Profmodule *m)
{
	const char *base = (const char *)&__ehdr_start;
	const Elf64_Phdr *ph;
	int i;

	if (!base)
		return;
	ph = (const Elf64_Phdr *)(base + __ehdr_start.e_phoff);
	for (i = 0; i < __ehdr_start.e_phnum; i++) {
		const char *p = base + ph[i].p_offset, *end = p + ph[i].p_filesz;

		if (ph[i].p_type != PT_NOTE)
			continue;
		while (p + sizeof(Elf64_Nhdr) <= end) {
			const Elf64_Nhdr *n = (const Elf64_Nhdr *)p;
			const char *name = p + sizeof *n, *desc = name + ((n->n_namesz + 3) & ~3u);

			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && name[0] == 'G') {
				m->idlen = n->n_descsz < sizeof m->id ? n->n_descsz : sizeof m->id;
				copy(m->id, desc, m->idlen);
				return;
			}
			p = desc + ((n->n_descsz + 3) & ~3u);
		}
	}
}

static const char *
environment(const char *name)
{
	size_t n = length(name), i, k;

	if (!&environ || !environ)
		return NULL;
	for (i = 0; environ[i]; i++) {
		for (k = 0; k < n && environ[i][k] == name[k]; k++)
			;
		if (k == n && environ[i][n] == '=')
			return environ[i] + n + 1;
	}
	return NULL;
}

/* finddir - where profiles go. */
static void
finddir(void)
{
	const char *s = environment("TALLY_DIR");

	if (!s || !*s)
		s = __tally_dir;
	if (*s != '/' && SYS(__NR_getcwd, dir.path, sizeof dir.path, 0) > 0)
		append(dir.path, sizeof dir.path, "/");
	if (length(s) + length(dir.path) >= sizeof dir.path)
		dir.path[0] = 0;
	append(dir.path, sizeof dir.path, s);
	SYS(__NR_mkdir, dir.path, 0777, 0);
}

/* create - a new file for this process in the directory; -1 if there is no way. */
static long
create(uint32_t pid)
{
	size_t n;
	int try;
	long fd;

	append(own, sizeof own - 40, program);
	append(own, sizeof own, ".");
	appendnumber(own, sizeof own, pid, 10);
	n = length(own);
	for (try = 0; try < 100; try++) {
		own[n] = 0;
		if (try) {
			append(own, sizeof own, "-");
			appendnumber(own, sizeof own, (uint64_t)try, 10);
		}
		append(own, sizeof own, ".tally");
		fd = SYS(__NR_open, inside(&dir, own, ""), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			 0666);
		if (fd != EXISTS)
			return fd;
	}
	return -1;
}

/* begin - the header and records of a new profile; the size of the file. */
static size_t
begin(struct Profhdr *h, struct Profmodule *m, char *path, size_t cap, struct Profcounts *c)
{
	const char *label = environment("TALLY_LABEL"), *s;
	long n = SYS(__NR_readlink, "/proc/self/exe", path, cap - 1);

	path[n > 0 ? n : 0] = 0;
	for (program = s = path; *s; s++)
		if (*s == '/')
			program = s + 1;
	identify(h);
	copy(h->magic, PROFMAGIC, 8);
	h->state = PROFCOUNTING;
	h->first = sizeof *h;
	h->begun = (uint64_t)SYS(__NR_time, 0, 0, 0);
	h->runs = 1;
	h->endings[ENDGONE] = 1;
	h->serial = hash(h->start ^ (uint64_t)__builtin_ia32_rdtsc(), &h->pid, 4);
	if (label && length(label) < LABELSIZE)
		append(h->label[0], LABELSIZE, label);

	m->pathlen = (uint32_t)length(path);
	m->rec.size = (uint32_t)(sizeof *m + m->pathlen + 8) & ~7u;
	m->rec.kind = PROFMODULE;
	m->rec.version = PROFVERSION;
	m->rec.next = h->first + m->rec.size;
	m->ncount = (uint64_t)(__stop_tally_counters - __start_tally_counters);
	m->address = (uint64_t)__start_tally_counters;
	buildid(m);

	c->rec.size = sizeof *c;
	c->rec.kind = PROFCOUNTS;
	c->rec.version = PROFVERSION;
	c->counts = m->rec.next + sizeof *c;
	return h->size = c->counts + 8 * m->ncount;
}

/* start - the first constructor of the module. */
__attribute__((used)) static void
start(void)
{
	static char path[4096];
	static struct Profhdr h;
	static struct Profmodule m;
	static struct Profcounts c;
	uint64_t *counts, i;
	char *map = NULL;
	size_t size;
	long fd;

	if (&__start_tally_counters[0] == &__stop_tally_counters[0])
		return;
	finddir();
	size = begin(&h, &m, path, sizeof path, &c);
	fd = create(h.pid);
	if (fd < 0)
		return;
	if (reserve(fd, 0, size) == 0)
		map = mapfile(fd, &size, PROT_READ | PROT_WRITE);
	SYS(__NR_close, fd, 0, 0);
	if (!map) {
		SYS(__NR_unlink, inside(&dir, own, ""), 0, 0);
		return;
	}
	copy(map + h.first, &m, sizeof m);
	copy(map + h.first + sizeof m, path, m.pathlen);
	copy(map + m.rec.next, &c, sizeof c);
	copy(map, &h, sizeof h);
	counts = (uint64_t *)(map + c.counts);
	for (i = 0; i < m.ncount; i++)
		counts[i] = __start_tally_counters[i];
	if (SYS(__NR_arch_prctl, ARCH_SET_GS, (uint64_t)counts - m.address, 0) != 0) {
		SYS(__NR_unlink, inside(&dir, own, ""), 0, 0);
		return;
	}
	hdr = (struct Profhdr *)map;
	if (lock(&dir, 1) == 0) {
		sweep(&dir, program, hdr);
		unlock(&dir);
	}
}

/* viewown - the process's own profile, all of it; NULL if there is no way. */
static struct Profhdr *
viewown(View *v)
{
	long fd = SYS(__NR_open, inside(&dir, own, ""), O_RDONLY | O_CLOEXEC, 0);
	struct Profhdr *h;
	size_t size;

	if (fd < 0)
		return NULL;
	h = mapfile(fd, &size, PROT_READ);
	SYS(__NR_close, fd, 0, 0);
	if (h && (view(v, h, size) != 0 || h->serial != hdr->serial)) {
		SYS(__NR_munmap, h, size, 0);
		return NULL;
	}
	return h;
}

/* foldown - this chapter of it. */
static int
foldown(void)
{
	struct Profhdr *h;
	int failed = -1;
	View v;

	if (lock(&dir, LOCKTRIES) != 0)
		return -1;
	h = viewown(&v);
	if (h)
		failed = fold(&dir, &v, own);
	if (!failed && hdr->state == PROFCLOSED)
		SYS(__NR_unlink, inside(&dir, own, ""), 0, 0);
	else if (!failed)
		hdr->chapter++;
	if (h)
		SYS(__NR_munmap, h, v.size, 0);
	unlock(&dir);
	return failed;
}

/* finish - the last destructor of the module. */
__attribute__((used)) static void
finish(void)
{
	if (!hdr)
		return;
	if (hdr->pid != (uint32_t)SYS(__NR_getpid, 0, 0, 0)) {
		hdr->flags |= PROFFORKED; /* a child, whose counts are in here, too */
		return;
	}
	if (&__libc_single_threaded && !__libc_single_threaded)
		hdr->flags |= PROFTHREADS;
	hdr->ended = (uint64_t)SYS(__NR_time, 0, 0, 0);
	hdr->endings[ENDGONE] = 0;
	hdr->endings[ENDEXIT] = 1;
	hdr->state = PROFCLOSED;
	foldown();
}

/* What tally.h calls.  One thread at a time. */

static int busy;

static void
enter(void)
{
	while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		SYS(__NR_sched_yield, 0, 0, 0);
}

static void
leave(void)
{
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

/* __tally_snapshot_1 - the counts so far, as a profile of their own. */
__attribute__((used)) int
__tally_snapshot_1(const char *path)
{
	struct Profhdr *h;
	int failed = -1;
	long fd;
	View v;

	if (!hdr)
		return -1;
	enter();
	h = viewown(&v);
	fd = h ? SYS(__NR_open, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
	if (fd >= 0) {
		failed = putsum(fd, &v, NULL, PROFMIDWAY, "");
		SYS(__NR_close, fd, 0, 0);
		if (failed)
			SYS(__NR_unlink, path, 0, 0);
	}
	if (h)
		SYS(__NR_munmap, h, v.size, 0);
	leave();
	return failed;
}

/* anew - begin another chapter; what was counted in this one is added to the sum of its
 * label, or forgotten. */
static int
anew(const char *label, int forget)
{
	static uint64_t *base; /* two arrays behind the counters */
	const struct Profmodule *m = (void *)((char *)hdr + hdr->first);
	struct Profcounts *c = (void *)((char *)hdr + m->rec.next);
	const uint64_t *counts = (void *)((char *)hdr + c->counts);
	uint64_t n = m->ncount, i;
	uint32_t to = ~hdr->chapter & 1;

	if (!base) {
		uint64_t off = (hdr->size + 4095) & ~4095ull;
		long fd = SYS(__NR_open, inside(&dir, own, ""), O_RDWR | O_CLOEXEC, 0), map = -1;

		if (fd < 0)
			return -1;
		if (reserve(fd, hdr->size, off + 16 * n) == 0)
			map = sys(__NR_mmap, 0, (long)(16 * n), PROT_READ | PROT_WRITE, MAP_SHARED,
				  fd, (long)off);
		SYS(__NR_close, fd, 0, 0);
		if (map < 0 && map > -4096)
			return -1;
		base = (uint64_t *)map;
		c->base[0] = off;
		c->base[1] = off + 8 * n;
		hdr->size = off + 16 * n;
	}
	for (i = 0; i < n; i++)
		base[to * n + i] = counts[i];
	clear(hdr->label[to], LABELSIZE);
	append(hdr->label[to], LABELSIZE, label);
	hdr->flags |= PROFMIDWAY;
	if (!forget)
		return foldown();
	hdr->chapter++;
	return 0;
}

/* __tally_reset_1 - forget what was counted so far. */
__attribute__((used)) int
__tally_reset_1(void)
{
	int failed;

	if (!hdr)
		return -1;
	enter();
	failed = anew(hdr->label[hdr->chapter & 1], 1);
	leave();
	return failed;
}

/* __tally_label_1 - what is counted from now on is of that label. */
__attribute__((used)) int
__tally_label_1(const char *label)
{
	int failed;

	if (!hdr || length(label) >= LABELSIZE)
		return -1;
	enter();
	failed = anew(label, 0);
	leave();
	return failed;
}

__asm__(".section .init_array.00000,\"aw\",@init_array\n"
	".balign 8\n"
	".quad start\n"
	".section .fini_array.00000,\"aw\",@fini_array\n"
	".balign 8\n"
	".quad finish\n"
	".text\n");
