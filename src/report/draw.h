/* draw.h - pictures of graphs. */

#ifndef DRAW_H
#define DRAW_H

#include "core/core.h"

/* draw.c: where boxes and the wires between them go on paper, top to bottom from the first box.
 *
 * arrange - false if there are too many of them.  A wire leads from point to point: it leaves and
 * arrives vertically, and so it passes every point; from one to another of the same height it
 * turns around, below them or, if that is negative, above. */

typedef struct Rect Rect;
typedef struct Point Point;
typedef struct Wire Wire;
typedef struct Picture Picture;

struct Rect {
	double w, h; /* given; it becomes wider if wires need room */
	double x, y; /* its upper left corner */
};

struct Point {
	double x, y;
	double turn; /* how far below or above a wire turns on its way here; 0 */
};

struct Wire {
	int src, dst; /* boxes */
	double label; /* room for one where it leaves, to its right */
	Point *point;
	int npoint;
	bool back; /* it leads up, or around its box */
};

struct Picture {
	Rect *box;
	int n;
	Wire *wire;
	int nwire;
	double w, h; /* of the paper */
};

bool arrange(Picture *, Arena *tmp);

#endif
