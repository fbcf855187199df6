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

#include "profile/format.h"

#include <asm/prctl.h>
#include <asm/unistd.h>
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>

extern uint64_t __start_tally_counters[] __attribute__((visibility("hidden"), weak));
extern uint64_t __stop_tally_counters[] __attribute__((visibility("hidden"), weak));
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden"), weak));
extern char **environ __attribute__((weak));
extern const char __libc_single_threaded __attribute__((weak));

/* Where profiles go unless TALLY_DIR says otherwise; written by the assembler's
 * wrapper. */
extern const char __tally_dir[] __attribute__((visibility("hidden")));

static struct Profhdr *hdr; /* the mapped file, or NULL */

static long
sys(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#define SYS(n, a, b, c) sys(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)

static void
copy(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	while (n--)
		*t++ = *f++;
}

static size_t
length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

/* append - s to the text at buf, which has room for cap. */
static void
append(char *buf, size_t cap, const char *s)
{
	size_t n = length(buf), len = length(s);

	if (n + len < cap)
		copy(buf + n, s, len + 1);
}

static void
appendnumber(char *buf, size_t cap, uint64_t x)
{
	char digits[24], *p = digits + sizeof digits - 1;

	*p = 0;
	do
		*--p = (char)('0' + x % 10);
	while (x /= 10);
	append(buf, cap, p);
}

static uint64_t
number(const char *s)
{
	uint64_t x = 0;

	while (*s >= '0' && *s <= '9')
		x = 10 * x + (uint64_t)(*s++ - '0');
	return x;
}

/* slurp - the begin of a small file; its length, 0 if it cannot be read. */
static size_t
slurp(const char *path, char *buf, size_t cap)
{
	long fd = SYS(__NR_open, path, O_RDONLY | O_CLOEXEC, 0), n;

	buf[0] = 0;
	if (fd < 0)
		return 0;
	n = SYS(__NR_read, fd, buf, cap - 1);
	SYS(__NR_close, fd, 0, 0);
	if (n < 0)
		n = 0;
	buf[n] = 0;
	return (size_t)n;
}

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

/* create - a new file for this process in the profile directory; -1 if there is no
 * way. */
static long
create(char *path, size_t cap, const char *program, uint32_t pid)
{
	const char *dir = environment("TALLY_DIR"), *base = program, *s;
	size_t n;
	int try;
	long fd;

	if (!dir || !*dir)
		dir = __tally_dir;
	for (s = program; *s; s++)
		if (*s == '/')
			base = s + 1;
	SYS(__NR_mkdir, dir, 0777, 0);
	path[0] = 0;
	append(path, cap, dir);
	append(path, cap, "/");
	append(path, cap, base);
	append(path, cap, ".");
	appendnumber(path, cap, pid);
	n = length(path);
	for (try = 0; try < 100; try++) {
		path[n] = 0;
		if (try) {
			append(path, cap, "-");
			appendnumber(path, cap, (uint64_t)try);
		}
		append(path, cap, ".tally");
		fd = SYS(__NR_open, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd != -17) /* EEXIST */
			return fd;
	}
	return -1;
}

/* reserve - make sure that the file can hold size bytes: a full disk must not show
 * later, as SIGBUS in the program. */
static int
reserve(long fd, uint64_t size)
{
	static const char zeros[4096];
	uint64_t limit[2], done;
	long n;

	if (SYS(__NR_getrlimit, 1 /* RLIMIT_FSIZE */, limit, 0) == 0 && limit[0] < size)
		return -1;
	n = sys(__NR_fallocate, fd, 0, 0, (long)size, 0, 0);
	if (n != -95) /* EOPNOTSUPP */
		return n == 0 ? 0 : -1;
	for (done = 0; done < size; done += (uint64_t)n) {
		n = SYS(__NR_write, fd, zeros,
			size - done < sizeof zeros ? size - done : sizeof zeros);
		if (n <= 0)
			return -1;
	}
	return 0;
}

/* start - the first constructor of the module. */
__attribute__((used)) static void
start(void)
{
	static char path[4200];
	static struct Profhdr h;
	static struct Profmodule m;
	uint64_t n = (uint64_t)(__stop_tally_counters - __start_tally_counters), i;
	uint64_t *counts;
	long fd, map;

	if (!n)
		return;
	identify(&h);
	m.ncount = n;
	m.address = (uint64_t)__start_tally_counters;
	i = (uint64_t)SYS(__NR_readlink, "/proc/self/exe", m.path, sizeof m.path - 1);
	m.path[(int64_t)i > 0 ? i : 0] = 0;
	m.pathlen = (uint32_t)length(m.path);
	buildid(&m);
	copy(h.magic, PROFMAGIC, 8);
	h.nmodule = 1;
	h.state = PROFRUNS;
	m.counts = h.counts = sizeof h + sizeof m;
	h.size = h.counts + 8 * n;
	h.begun = (uint64_t)SYS(__NR_time, 0, 0, 0);

	fd = create(path, sizeof path, m.path, h.pid);
	if (fd < 0)
		return;
	map = -1;
	if (reserve(fd, h.size) == 0)
		map = sys(__NR_mmap, 0, (long)h.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	SYS(__NR_close, fd, 0, 0);
	if (map < 0 && map > -4096) {
		SYS(__NR_unlink, path, 0, 0);
		return;
	}
	counts = (uint64_t *)(map + (long)h.counts);
	copy((char *)map + sizeof h, &m, sizeof m);
	copy((char *)map, &h, sizeof h);
	for (i = 0; i < n; i++)
		counts[i] = __start_tally_counters[i];
	if (SYS(__NR_arch_prctl, ARCH_SET_GS, (uint64_t)counts - m.address, 0) != 0) {
		SYS(__NR_unlink, path, 0, 0);
		return;
	}
	hdr = (struct Profhdr *)map;
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
	hdr->state = PROFCLOSED;
}

__asm__(".section .init_array.00000,\"aw\",@init_array\n"
	".balign 8\n"
	".quad start\n"
	".section .fini_array.00000,\"aw\",@fini_array\n"
	".balign 8\n"
	".quad finish\n"
	".text\n");
