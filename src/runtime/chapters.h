/* chapters.h - counting that begins anew, or is looked at, in a process that goes on: what tally.h calls. */

#ifndef CHAPTERS_H
#define CHAPTERS_H

#include "cuts.h"
#include "rooms.h"
#include "signals.h"

/* viewown - the process's own profile, all of it; NULL if there is no way. */
static struct Profhdr *
viewown(View *v)
{
	size_t size;
	struct Profhdr *h = mapprofile(&p->dir, p->own, &size);

	if (h && (view(v, h, size) != 0 || h->serial != p->hdr->serial)) {
		unview(v);
		return NULL;
	}
	return h;
}

/* foldown - this chapter of it. */
static int
foldown(void)
{
	struct Profhdr *h;
	int failed = -1;
	View v;

	if (p->inroom || isinhabited())
		return -1; /* who finds it when all have ended does it */
	if (SYS(__NR_access, inside(&p->dir, p->own, ""), 0, 0) != 0)
		return -1; /* chroot took it out of sight */
	if (lock(&p->dir, LOCKTRIES) != 0)
		return -1;
	h = viewown(&v);
	if (h)
		failed = fold(&p->dir, &v, p->own);
	if (!failed && h->state == PROFCLOSED)
		SYS(__NR_unlink, inside(&p->dir, p->own, ""), 0, 0);
	else if (!failed)
		h->chapter++;
	if (h)
		unview(&v);
	unlock(&p->dir);
	return failed;
}

static int
iscounting(void)
{
	if (p)
		adopt();
	return p && p->hdr;
}

/* cutall - all frames that are active, at a moment when counting ends or begins anew.  Those of
 * other threads are not known. */
static void
cutall(const Frame *from, uint32_t kind)
{
	Frame f = *from;

	leaveframes(&f, UINT64_MAX, 0, 0, kind, NULL);
	if (others())
		p->hdr->flags |= PROFMIDWAY;
}

/* rewrite - a regular file, of which nothing is kept; *isnew if it was not there.  The program says
 * where, so links are followed. */
static long
rewrite(const char *path, int *isnew)
{
	struct stat st;
	long fd = SYS(__NR_stat, path, &st, 0);

	*isnew = fd == ABSENT;
	if (fd == 0 && !S_ISREG(st.st_mode))
		return ODD;
	fd = SYS(__NR_open, path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
	if (fd >= 0 && (!isfile(fd) || SYS(__NR_ftruncate, fd, 0, 0) != 0)) {
		SYS(__NR_close, fd, 0, 0);
		return ODD;
	}
	return fd;
}

/* __tally_snapshot_1 - the counts so far, as a profile of their own. */
__attribute__((used, weak)) int
__tally_snapshot_1(const char *path)
{
	struct Profhdr *h;
	int failed = -1, isnew;
	Frame f = {0};
	long fd;
	View v;

	if (!iscounting())
		return -1;
	capture(&f);
	enter(&f);
	cutall(&f, CUTLEFT);
	carryall();
	h = viewown(&v);
	fd = h ? rewrite(path, &isnew) : -1;
	p->hdr->endings[ENDGONE] = 0; /* all is known of what is in there */
	if (fd >= 0) {
		failed = putsum(fd, &v, NULL, 0, "");
		if (failed)
			SYS(__NR_ftruncate, fd, 0, 0);
		SYS(__NR_close, fd, 0, 0);
		if (failed && isnew)
			SYS(__NR_unlink, path, 0, 0);
	}
	if (h)
		unview(&v);
	p->hdr->endings[ENDGONE] = 1;
	p->undo = 1;
	cutall(&f, CUTLEFT);
	p->undo = 0;
	leave();
	return failed;
}

/* makebases - room in the file for what counters were when a chapter began. */
static int
makebases(void)
{
	long fd = openown();
	int failed = fd < 0;
	const Mod *m;
	Seg *g;

	for (m = p->mod; m; m = m->next)
		for (g = m->seg; g; g = g->next) {
			if (failed || !g->rec || g->rec->base[0])
				continue;
			g->rec->base[0] = grow(fd, 0, 16 * m->n);
			g->rec->base[1] = g->rec->base[0] + 8 * m->n;
			failed = !g->rec->base[0];
		}
	shut(fd);
	return -failed;
}

/* makelabel - the label of another chapter, in the file. */
static int
makelabel(const char *label, uint32_t to)
{
	long fd = openown();
	int failed = fd < 0 || putlabel(fd, label, to) != 0;

	shut(fd);
	return -failed;
}

/* anew - begin another chapter; what was counted in this one is added to the sum of its
 * label, or forgotten. */
static int
anew(const Frame *f, const char *label, int forget)
{
	uint32_t to = ~p->hdr->chapter & 1;
	const struct Profrec *r;
	struct Profhdr *h;
	int failed;
	View v;

	carryall();
	if (makebases() != 0 || makelabel(label, to) != 0 || !(h = viewown(&v)))
		return -1;
	for (r = at(h, v.size, h->first); r; r = next(h, v.size, r)) {
		const struct Profcounts *c = (const void *)r;

		if (r->kind == PROFCOUNTS)
			copy((char *)h + c->base[to], (char *)h + c->counts,
			     8 * v.module[c->module]->ncount);
	}
	basecalls(&v, to);
	if (!forget)
		cutall(f, CUTLEFT);
	if (forget)
		h->chapter++;
	unview(&v);
	p->hdr->endings[ENDGONE] = 0; /* all is known of what is folded */
	failed = !forget && foldown() != 0;
	p->hdr->endings[ENDGONE] = 1;
	if (failed) {
		p->undo = 1;
		cutall(f, CUTLEFT);
		p->undo = 0;
		return -1;
	}
	keeplabel(label);
	forgetcuts();
	cutall(f, CUTENTERED);
	return 0;
}

/* __tally_reset_1 - forget what was counted so far. */
__attribute__((used, weak)) int
__tally_reset_1(void)
{
	Frame f = {0};
	int failed;

	if (!iscounting())
		return -1;
	capture(&f);
	enter(&f);
	failed = anew(&f, p->label, 1);
	leave();
	return failed;
}

/* __tally_label_1 - what is counted from now on is of that label. */
__attribute__((used, weak)) int
__tally_label_1(const char *label)
{
	Frame f = {0};
	int failed;

	if (!iscounting())
		return -1;
	capture(&f);
	enter(&f);
	failed = anew(&f, label, 0);
	leave();
	return failed;
}

#endif
