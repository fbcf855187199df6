/* draw.h - pictures of graphs. */

#ifndef DRAW_H
#define DRAW_H

#include "core/core.h"

/* draw.c: lay out boxes and the wires between them, top to bottom from the first box.
 *
 * arrange - false if there are too many.  A wire goes from point to point, and passes each
 * vertically.  Between points of equal height it turns, below them or, if `turn' is negative,
 * above. */

typedef struct Rect Rect;
typedef struct Point Point;
typedef struct Wire Wire;
typedef struct Picture Picture;

struct Rect {
	double w, h; /* given; widened if wires need room */
	double x, y; /* its upper left corner */
};

struct Point {
	double x, y;
	double turn; /* how far below or above a wire turns before this point; 0 if it does not */
};

struct Wire {
	int src, dst; /* boxes */
	double label; /* width of its label, to the right of its start */
	Point *point;
	int npoint;
	bool back; /* it leads up, or back to the same box */
};

struct Picture {
	Rect *box;
	int n;
	Wire *wire;
	int nwire;
	double w, h; /* of the whole picture */
};

bool arrange(Picture *, Arena *tmp);

#endif
