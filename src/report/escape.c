/* escape.c - names and paths in exports.  Paths are arbitrary bytes; JSON and XML require UTF-8,
 * and XML cannot represent most control characters. */

#include "report.h"

#include <stdint.h>
#include <string.h>

/* letter - the number of bytes of the UTF-8 character at s, which is stored in *c; 0 if there is
 * none. */
static int
letter(const unsigned char *s, uint32_t *c)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	int n = *s < 0x80   ? 1
		: *s < 0xc2 ? 0
		: *s < 0xe0 ? 2
		: *s < 0xf0 ? 3
		: *s < 0xf5 ? 4
			    : 0,
	    i;

	*c = n == 1 ? *s : n ? *s & (0x7fu >> n) : 0;
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3f);
	}
	if (n > 1 && (*c < least[n] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000)))
		return 0;
	return n;
}

void
putjson(FILE *f, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	uint32_t c;

	while (*s) {
		int n = letter(s, &c);

		if (n == 0)
			fputs("\\ufffd", f);
		else if (c < 0x20)
			fprintf(f, "\\u%04x", c);
		else
			fprintf(f, "%s%.*s", c == '"' || c == '\\' ? "\\" : "", n, (const char *)s);
		s += n ? n : 1;
	}
}

void
putmember(FILE *f, const char *key, const char *value)
{
	fprintf(f, "\"%s\":\"", key);
	putjson(f, value);
	fputc('"', f);
}

void
putxmltext(FILE *f, const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + len, *plain = s;
	uint32_t c;

	while (s < end) {
		int n = letter(s, &c);
		bool odd = n == 0 || (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
			   || c == 0xfffe || c == 0xffff;

		if (odd || c < 0x20 || c == '"' || c == '&' || c == '<' || c == '>') {
			fwrite(plain, 1, (size_t)(s - plain), f);
			fprintf(f, "&#%u;", odd ? 0xfffd : c);
			plain = s + (n ? n : 1);
		}
		s += n ? n : 1;
	}
	fwrite(plain, 1, (size_t)(s - plain), f);
}

void
putxml(FILE *f, const char *text)
{
	putxmltext(f, text, strlen(text));
}

size_t
letters(const char *text, size_t len, int n)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t at = 0;
	uint32_t c;

	while (at < len && n-- > 0) {
		int bytes = letter(s + at, &c);

		at += bytes ? (size_t)bytes : 1;
	}
	return at < len ? at : len;
}

void
putplain(FILE *f, const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text < 0x20 ? '?' : *text, f);
}
