/* grid.c - text in columns. */

#include "report.h"

/* cell - the next one, row by row. */
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

/* width - columns that s takes on a terminal: UTF-8, one per character. */
static int
width(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

/* put - print s after n blanks, all but the blanks that s ends with: returns how
 * many blanks are due now. */
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
		bool left = col >= grid->left && col <= grid->left + grid->more;

		/* Blanks wait until something follows them on the line. */
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
