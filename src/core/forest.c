/* forest.c - disjoint sets: union by size, path halving (Tarjan 1983). */

#include "core.h"

Forest
newforest(int n, Arena *a)
{
	Forest f = {anew(a, int, n)};

	while (n-- > 0)
		f.parent[n] = -1;
	return f;
}

int
find(Forest *f, int x)
{
	int *parent = f->parent;

	while (parent[x] >= 0) {
		if (parent[parent[x]] >= 0)
			parent[x] = parent[parent[x]];
		x = parent[x];
	}
	return x;
}

bool
unite(Forest *f, int x, int y)
{
	x = find(f, x);
	y = find(f, y);
	if (x == y)
		return false;
	if (f->parent[x] > f->parent[y]) {
		int t = x;

		x = y;
		y = t;
	}
	f->parent[x] += f->parent[y];
	f->parent[y] = x;
	return true;
}
