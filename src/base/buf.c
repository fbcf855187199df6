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
	if (len)
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

/* asciz - a directive for a string that ends with NUL. */
void
asciz(Buf *b, const char *s)
{
	bprintf(b, "\t.asciz\t\"");
	for (; *s; s++)
		if (*s == '"' || *s == '\\' || (unsigned char)*s < ' ')
			bprintf(b, "\\%03o", (unsigned char)*s);
		else
			bput(b, s, 1);
	bprintf(b, "\"\n");
}

/* bunquote - append the meaning of a string of C or assembly that begins at s, after its first
 * quote; returns where its last quote is, or end. */
const char *
bunquote(Buf *b, const char *s, const char *end)
{
	bput(b, "", 0);
	for (; s < end && *s != '"'; s++) {
		char c = *s;

		if (c == '\\' && s + 1 < end) {
			c = *++s;
			if (c >= '0' && c <= '7') {
				int k, v = 0;

				for (k = 0; k < 3 && s < end && *s >= '0' && *s <= '7'; k++)
					v = 8 * v + (*s++ - '0');
				s--;
				c = (char)v;
			} else {
				static const char name[] = "abfnrtv", is[] = "\a\b\f\n\r\t\v";
				const char *k = strchr(name, c);

				c = k && c ? is[k - name] : c;
			}
		}
		bput(b, &c, 1);
	}
	return s;
}
