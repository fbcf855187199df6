/* grid.c - text in columns. */

#include "report.h"

#include <ctype.h>
#include <string.h>

/* cell - add the next cell, row by row. */
void
cell(Grid *grid, const char *fmt, ...)
{
	char none[1];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(none, 0, fmt, ap);
	va_end(ap);
	apush(grid->arena, grid->cell, grid->n, grid->cap);
	grid->cell[grid->n] = anew(grid->arena, char, len + 1);
	va_start(ap, fmt);
	vsnprintf(grid->cell[grid->n++], (size_t)len + 1, fmt, ap);
	va_end(ap);
}

/* titles - add cells with texts; the list ends with NULL. */
void
titles(Grid *grid, const char *const *title)
{
	for (; *title; title++)
		cell(grid, "%s", *title);
}

int
width(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

/* put - print s after n blanks, except for the blanks at its end: returns the number of blanks that
 * are due. */
static int
put(FILE *f, const char *s, int n)
{
	for (; *s; s++) {
		if (*s == ' ') {
			n++;
			continue;
		}
		for (; n > 0; n--)
			fputc(' ', f);
		fputc(*s, f);
	}
	return n;
}

static bool
isleft(const Grid *grid, int col)
{
	return col >= grid->left && col <= grid->left + grid->more;
}

void
printgrid(FILE *f, const Grid *grid)
{
	Arena tmp = {0};
	int *wide = anew(&tmp, int, grid->ncol);
	int i, blank;

	for (i = 0; i < grid->n; i++) {
		int w = width(grid->cell[i]);

		if (w > wide[i % grid->ncol])
			wide[i % grid->ncol] = w;
	}
	for (i = 0, blank = 0; i < grid->n; i++) {
		int col = i % grid->ncol, w = width(grid->cell[i]);
		bool left = isleft(grid, col);

		/* Blanks are printed only once something follows them on the line. */
		if (col > 0)
			blank += 2;
		if (!left)
			blank += wide[col] - w;
		blank = put(f, grid->cell[i], blank);
		if (left)
			blank += wide[col] - w;
		if (col == grid->ncol - 1) {
			fputc('\n', f);
			blank = 0;
		}
	}
	areset(&tmp);
}

void
beginrows(const Report *r)
{
	static const char page[] =
		"<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>tally diff</title>\n<style>\n"
		"body { font: 14px sans-serif } table { border-collapse: collapse; margin: 1em 0 "
		"}\n"
		"th, td { padding: 1px 8px; text-align: right } .t { text-align: left; "
		"white-space: pre; "
		"font-family: monospace }\ntr:nth-child(even) { background: #8882 }\n</style>\n";

	if (r->rows)
		fputs(r->rows->html ? page : "[", r->f);
}

void
endrows(const Report *r)
{
	if (r->rows && !r->rows->html)
		fputs("\n]\n", r->f);
}

/* putkey - a title as a key. */
static void
putkey(FILE *f, const char *title)
{
	size_t n = strlen(title);

	while (n > 0 && title[n - 1] == ' ')
		n--;
	fputc('"', f);
	for (; n > 0; n--, title++)
		fputc(*title == ' ' ? '_' : *title, f);
	fputs("\":", f);
}

/* isnumber - whether len characters are a number: digits, perhaps a decimal point and more
 * digits. */
static bool
isnumber(const char *s, size_t len)
{
	size_t n = 0, k;

	n += len > 0 && s[0] == '-';
	k = n + strspn(s + n, "0123456789");
	if (k == n || k > len)
		return false;
	if (k < len && s[k] == '.')
		k += 1 + strspn(s + k + 1, "0123456789");
	return k == len && isdigit((unsigned char)s[k - 1]);
}

/* putnumeric - a cell of a numeric column; returns whether it is approximate. */
static bool
putnumeric(FILE *f, const char *s)
{
	bool about;
	size_t len;

	s += strspn(s, " ");
	about = *s == '~';
	s += about;
	len = strlen(s);
	while (len > 0 && (s[len - 1] == ' ' || s[len - 1] == '%'))
		len--;
	if (isnumber(s, len)) {
		fprintf(f, "%.*s", (int)len, s);
	} else if (len == 0 || strcmp(s, "-") == 0 || strcmp(s, "?") == 0) {
		fputs("null", f);
	} else {
		fputc('"', f);
		putjson(f, s);
		fputc('"', f);
	}
	return about;
}

/* putrow - the row whose first cell has index i. */
static void
putrow(const Report *r, const Grid *grid, int i, const char *key, const char *value)
{
	bool sure = true;
	int col;

	fprintf(r->f, "%s\n{", r->rows->n++ ? "," : "");
	if (r->rows->label) {
		putmember(r->f, "label", r->rows->label);
		fputc(',', r->f);
	}
	if (key) {
		putmember(r->f, key, value);
		fputc(',', r->f);
	}
	for (col = 0; col < grid->ncol; col++) {
		if (col)
			fputc(',', r->f);
		putkey(r->f, grid->cell[col]);
		if (!isleft(grid, col)) {
			sure &= !putnumeric(r->f, grid->cell[i + col]);
			continue;
		}
		fputc('"', r->f);
		putjson(r->f, grid->cell[i + col]);
		fputc('"', r->f);
	}
	fprintf(r->f, "%s}", sure ? "" : ",\"sure\":false");
}

/* puthtml - a table of an HTML page. */
static void
puthtml(const Report *r, const Grid *grid, const char *value)
{
	int i;

	fprintf(r->f, "<h2>%s</h2>\n<table>\n", value ? value : "");
	for (i = 0; i < grid->n; i++) {
		const char *tag = i < grid->ncol ? "th" : "td";

		if (i % grid->ncol == 0)
			fputs("<tr>", r->f);
		fprintf(r->f, "<%s%s>", tag, isleft(grid, i % grid->ncol) ? " class=\"t\"" : "");
		putxml(r->f, grid->cell[i]);
		fprintf(r->f, "</%s>%s", tag, i % grid->ncol == grid->ncol - 1 ? "</tr>\n" : "");
	}
	fputs("</table>\n", r->f);
}

void
table(const Report *r, const Grid *grid, const char *key, const char *value)
{
	int i;

	if (!r->rows) {
		printgrid(r->f, grid);
		return;
	}
	if (r->rows->html) {
		puthtml(r, grid, value);
		return;
	}
	for (i = grid->ncol; i < grid->n; i += grid->ncol)
		putrow(r, grid, i, key, value);
}
