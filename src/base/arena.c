/* arena.c - memory with a lifetime. */

#include "base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	ALIGN = 16,
	LINE = 64, /* a cache line: where big objects begin */
	CHUNK = 64 * 1024,
	BIG = 2 * 1024 * 1024, /* use mmap and huge pages from here on */
};

struct Chunk {
	Chunk *next;
	size_t mapped; /* bytes, if it was mapped; 0 if malloc's */
	_Alignas(LINE) char data[];
};

/* In a sanitized build every object gets memory of its own, so that overruns are found. */
#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* map - memory in huge pages if the kernel has them.  Random access to a big array would otherwise
 * spend much of its time on TLB misses. */
static Chunk *
map(size_t bytes)
{
	Chunk *c = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (c == MAP_FAILED)
		return NULL;
	madvise(c, bytes, MADV_HUGEPAGE); /* only a hint */
	c->mapped = bytes;
	return c;
}

static Chunk *
allot(size_t bytes)
{
	void *c;

	return posix_memalign(&c, LINE, bytes) == 0 ? memset(c, 0, bytes) : NULL;
}

/* newchunk - a chunk for size zeroed bytes, before list. */
static Chunk *
newchunk(Chunk *list, size_t size)
{
	Chunk *c = NULL;

	if (size < SIZE_MAX - sizeof(Chunk))
		c = (size < BIG || SANITIZED ? allot : map)(sizeof(Chunk) + size);
	if (!c)
		err("out of memory", "wanted %zu bytes", size);
	c->next = list;
	return c;
}

/* aalloc - n zeroed objects of size bytes; never NULL. */
void *
aalloc(Arena *a, size_t n, size_t size)
{
	size_t bytes;
	char *p;

	if (__builtin_mul_overflow(n, size, &bytes))
		err("out of memory", "wanted %zu objects of %zu bytes", n, size);
	if (SANITIZED || bytes > CHUNK / 4) {
		a->big = newchunk(a->big, bytes);
		return a->big->data;
	}
	bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (a->left < bytes) {
		a->small = newchunk(a->small, CHUNK);
		a->left = CHUNK;
	}
	p = a->small->data + (CHUNK - a->left);
	a->left -= bytes;
	return p;
}

/* agrow - the array `old` of *cap objects, or a copy with room for n; doubles, so that n pushes
 * take O(n).  New objects are zeroed. */
void *
agrow(Arena *a, void *old, size_t n, size_t *cap, size_t size)
{
	size_t want = *cap ? *cap : 8;
	void *p;

	if (n <= *cap)
		return old;
	while (want < n)
		want *= 2;
	p = aalloc(a, want, size);
	if (old)
		memcpy(p, old, *cap * size);
	*cap = want;
	return p;
}

char *
astrndup(Arena *a, const char *s, size_t len)
{
	char *p = anew(a, char, len + 1);

	memcpy(p, s, len);
	return p;
}

char *
acopy(Arena *a, const char *s)
{
	return s ? astrndup(a, s, strlen(s)) : NULL;
}

static void
drop(Chunk *c)
{
	Chunk *next;

	for (; c; c = next) {
		next = c->next;
		if (c->mapped)
			munmap(c, c->mapped);
		else
			free(c);
	}
}

/* areset - free everything in a. */
void
areset(Arena *a)
{
	drop(a->small);
	drop(a->big);
	*a = (Arena){0};
}
