/* hash.h - FNV-1a, 64 bits.  Also included by the runtime. */

#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASHBEGIN 0xcbf29ce484222325u

static inline uint64_t
hashnumber(uint64_t h, uint64_t x)
{
	return (h ^ x) * 0x100000001b3;
}

static inline uint64_t
hashbytes(uint64_t h, const void *data, size_t n)
{
	const unsigned char *s = data;

	while (n--)
		h = hashnumber(h, *s++);
	return h;
}

#endif
