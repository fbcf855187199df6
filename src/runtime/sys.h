/* sys.h - system calls and strings, without a library. */

#ifndef SYS_H
#define SYS_H

#include <asm/unistd.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>

#ifndef MREMAP_FIXED
#define MREMAP_MAYMOVE 1
#define MREMAP_FIXED 2
#endif

enum { REFUSED = -1, ABSENT = -2, NOPROCESS = -3, EXISTS = -17, ODD = -22, UNSUPPORTED = -95 };
/* EPERM, ENOENT, ESRCH, EEXIST, EINVAL, EOPNOTSUPP */

/* Whether no system call may be made any more: once the program has installed a filter, which may
 * kill it for one of ours.  NULL where there is no Process (in the tools). */
static const int *sealed;

/* maycall - whether system calls may be made. */
static int
maycall(void)
{
	return !sealed || !*sealed;
}

static long
sys(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	if (!maycall())
		return REFUSED;
	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#define SYS(n, a, b, c) sys(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)

/* QUICK - for hot functions: optimize for speed.  All else is optimized for size. */
#ifdef __clang__
#define QUICK
#else
#define QUICK __attribute__((optimize("O2")))
#endif

static void
copy(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	while (n--)
		*t++ = *f++;
}

static void
clear(void *at, size_t n)
{
	char *t = at;

	while (n--)
		*t++ = 0;
}

static int
same(const void *a, const void *b, size_t n)
{
	const char *x = a, *y = b;

	while (n && *x == *y)
		x++, y++, n--;
	return n == 0;
}

static size_t
length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

/* append - append s to the text in buf, which has room for cap bytes.  What does not fit is left
 * out; then no file of that name will be found. */
static void
append(char *buf, size_t cap, const char *s)
{
	size_t n = length(buf), len = length(s);

	if (n + len < cap)
		copy(buf + n, s, len + 1);
}

static void
appendnumber(char *buf, size_t cap, uint64_t x, unsigned base)
{
	char digits[72], *p = digits + sizeof digits - 1;

	*p = 0;
	do
		*--p = "0123456789abcdef"[x % base];
	while (x /= base);
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

/* slurp - read the beginning of a small file; returns its length, 0 if it cannot be read. */
static size_t
slurp(const char *path, char *buf, size_t cap)
{
	long fd = SYS(__NR_open, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0), n;

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

/* isfile - whether a descriptor refers to a regular file. */
static int
isfile(long fd)
{
	struct stat st;

	st.st_mode = 0;
	return SYS(__NR_fstat, fd, &st, 0) == 0 && S_ISREG(st.st_mode);
}

/* openregular - open an existing regular file, by its name in directory `at'; returns its
 * descriptor, ABSENT, ODD if it is something else, or another error of the kernel's.  Opening a
 * FIFO may wait for ever, or wake up a process that waits at the other end; a device may do
 * anything; a link leads elsewhere. */
static long
openregular(long at, const char *name, int flags)
{
	struct stat st;
	long fd;

	st.st_mode = 0;
	fd = sys(__NR_newfstatat, at, (long)name, (long)&st, AT_SYMLINK_NOFOLLOW, 0, 0);
	if (fd < 0)
		return fd;
	if (!S_ISREG(st.st_mode))
		return ODD;
	fd = sys(__NR_openat, at, (long)name, flags | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0, 0, 0);
	if (fd >= 0 && !isfile(fd)) {
		SYS(__NR_close, fd, 0, 0);
		return ODD;
	}
	return fd;
}

/* makefile - create a file that does not exist. */
static long
makefile(long at, const char *name)
{
	return sys(__NR_openat, at, (long)name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		   0666, 0, 0);
}

/* reserve - make sure that a file of which `done' bytes are allocated can hold size bytes; 0 or -1.
 * A full disk must not show later as SIGBUS in the program, nor a limit as SIGXFSZ. */
static int
reserve(long fd, uint64_t done, uint64_t size)
{
	static const char zeros[4096];
	uint64_t limit[2];
	long n;

	if (SYS(__NR_getrlimit, 1 /* RLIMIT_FSIZE */, limit, 0) == 0 && limit[0] < size)
		return -1;
	n = sys(__NR_fallocate, fd, 0, 0, (long)size, 0, 0);
	if (n != UNSUPPORTED)
		return n == 0 ? 0 : -1;
	for (; done < size; done += (uint64_t)n) {
		n = sys(__NR_pwrite64, fd, (long)zeros,
			(long)(size - done < sizeof zeros ? size - done : sizeof zeros), (long)done,
			0, 0);
		if (n <= 0)
			return -1;
	}
	return 0;
}

/* mapfile - map an open file; NULL if that fails. */
static void *
mapfile(long fd, size_t *size, int prot)
{
	struct stat st;
	long map;

	st.st_size = 0;
	if (SYS(__NR_fstat, fd, &st, 0) != 0 || st.st_size == 0)
		return NULL;
	*size = (size_t)st.st_size;
	map = sys(__NR_mmap, 0, st.st_size, prot, MAP_SHARED, fd, 0);
	return map < 0 && map > -4096 ? NULL : (void *)map; /* NOLINT(performance-no-int-to-ptr) */
}

#endif
