/* buf.c - text that grows. */

#include "base.h"

#include <stdio.h>
#include <string.h>

static void
need(Buf *b, size_t more)
{
	b->s = agrow(b->arena, b->s, b->n + more + 1, &b->cap, 1);
}

void
bput(Buf *b, const char *s, size_t len)
{
	need(b, len);
	memcpy(b->s + b->n, s, len);
	b->n += len;
	b->s[b->n] = 0;
}

void
bprintf(Buf *b, const char *fmt, ...)
{
	va_list ap;
	int len;

	need(b, 128);
	va_start(ap, fmt);
	len = vsnprintf(b->s + b->n, b->cap - b->n, fmt, ap);
	va_end(ap);
	if ((size_t)len >= b->cap - b->n) {
		need(b, (size_t)len);
		va_start(ap, fmt);
		vsnprintf(b->s + b->n, (size_t)len + 1, fmt, ap);
		va_end(ap);
	}
	b->n += (size_t)len;
}
