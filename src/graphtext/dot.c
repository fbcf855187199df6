/* dot.c - a graph for Graphviz. */

#include "graphtext.h"

#include <inttypes.h>

/* quote - print s with the escapes that a string in Graphviz needs. */
static void
quote(FILE *f, const char *s)
{
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', f);
		fputc(*s, f);
	}
}

static void
amount(FILE *f, const Drawing *d, int p, double weight)
{
	if (!d->flow)
		fprintf(f, "%g", weight);
	else if (d->flow->known[p])
		fprintf(f, "%" PRId64, (int64_t)d->flow->count[p]);
	else
		fputc('?', f);
}

static bool
counter(const Drawing *d, int p)
{
	return d->plan->slot[p] != NOSLOT;
}

static void
dotblock(FILE *f, const Drawing *d, int b)
{
	fprintf(f, "  b%d [label=\"", b);
	quote(f, d->name[b]);
	fputs("\\n", f);
	amount(f, d, b, d->g->block[b].weight);
	fputs(counter(d, b) ? " \xe2\x97\x8f\", penwidth=2" : "\"", f); /* U+25CF, a dot */
	if (b < FIRST)
		fputs(", shape=ellipse", f);
	fputs("];\n", f);
}

static void
dotedge(FILE *f, const Drawing *d, int e)
{
	const Edge *ed = &d->g->edge[e];
	int p = edgeplace(d->g, e);

	if (counter(d, p)) {
		fprintf(f, "  c%d [shape=point, width=0.12];\n", e);
		fprintf(f, "  b%d -> c%d [dir=none];\n", ed->src, e);
		fprintf(f, "  c%d -> b%d [", e, ed->dst);
	} else {
		fprintf(f, "  b%d -> b%d [", ed->src, ed->dst);
	}
	fputs("label=\" ", f);
	amount(f, d, p, ed->weight);
	fputs(" \"", f);
	if (ed->never)
		fputs(", style=dotted", f);
	if (e == CLOSING)
		fputs(", style=dashed, color=gray, fontcolor=gray, constraint=false", f);
	else if (ed->pinned)
		fputs(", color=\"black:black\"", f);
	fputs("];\n", f);
}

static void
dotcut(FILE *f, int src, int dst, const char *what, uint64_t times)
{
	if (times)
		fprintf(f,
			"  b%d -> b%d [label=\" %s %" PRIu64
			" \", style=dashed, color=red, fontcolor=red];\n",
			src, dst, what, times);
}

void
dot(FILE *f, const Drawing *d)
{
	int i;

	fputs("digraph {\n"
	      "  node [shape=box, fontname=\"Helvetica\", fontsize=11];\n"
	      "  edge [fontname=\"Helvetica\", fontsize=10, arrowsize=0.7];\n",
	      f);
	for (i = 0; i < d->g->nblock; i++)
		dotblock(f, d, i);
	for (i = 0; i < d->g->nedge; i++)
		dotedge(f, d, i);
	for (i = 0; i < d->ncut; i++) {
		int b = d->cut[i].where / 2;

		dotcut(f, b, EXIT, "left", d->cut[i].left);
		dotcut(f, ENTRY, b, "entered", d->cut[i].entered);
	}
	fputs("}\n", f);
}
