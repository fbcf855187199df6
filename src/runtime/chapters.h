/* chapters.h - what tally.h calls: look at the counts of a running process, or begin to count anew.
 *
 * Counting from one such call to the next is a chapter.  A chapter's counts are those in the file
 * less those at its start, which are saved in the file (`base'); there are two sets, used in turn,
 * so that a new chapter begins only when all of it is ready.  The functions that are active in that
 * moment are entered in one chapter and left in another: all frames are cut in both. */

#ifndef CHAPTERS_H
#define CHAPTERS_H

#include "cuts.h"
#include "rooms.h"
#include "signals.h"

/* viewown - map the process's own file; NULL if that fails. */
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

/* foldown - add this chapter to the sum of its label; 0 or -1. */
static int
foldown(void)
{
	struct Profhdr *h;
	int failed = -1;
	View v;

	if (p->inroom || isinhabited())
		return -1; /* whoever finds the file when all have ended does it */
	if (SYS(__NR_access, inside(&p->dir, p->own, ""), 0, 0) != 0)
		return -1; /* chroot made it inaccessible */
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

/* begin - enter, if counts are still this process's own: the child of a vfork works in its parent's
 * memory, and another thread may have closed the file.  Returns whether. */
static int
begin(const Frame *f)
{
	enter(f);
	if (p->hdr && isown())
		return 1;
	leave();
	return 0;
}

/* cutall - cut all active frames when a chapter ends or begins.  Those of other threads are not
 * known. */
static void
cutall(const Frame *from, uint32_t kind)
{
	Frame f = *from;

	leaveframes(&f, UINT64_MAX, 0, 0, kind, NULL);
	if (others())
		p->hdr->flags |= PROFMIDWAY;
}

/* rewrite - open a regular file, empty; *isnew tells whether it is new.  The program chose the
 * path, so links are followed. */
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

/* __tally_snapshot_1 - write the counts so far to a file, as a profile. */
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
	if (!begin(&f))
		return -1;
	cutall(&f, CUTLEFT);
	carryall();
	h = viewown(&v);
	fd = h ? rewrite(path, &isnew) : -1;
	p->hdr->endings[ENDGONE] = 0; /* everything in there is exact */
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

/* makebases - space in the file for the counts at the start of a chapter; 0 or -1. */
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

/* makelabel - write the label of the next chapter to the file; 0 or -1. */
static int
makelabel(const char *label, uint32_t to)
{
	long fd = openown();
	int failed = fd < 0 || putlabel(fd, label, to) != 0;

	shut(fd);
	return -failed;
}

/* anew - begin another chapter with that label.  What was counted in this one is added to the sum
 * of its label, or forgotten.  0 or -1. */
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
	p->hdr->endings[ENDGONE] = 0; /* everything that is folded is exact */
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
	if (!begin(&f))
		return -1;
	failed = anew(&f, p->label, 1);
	leave();
	return failed;
}

/* __tally_label_1 - from now on, counts belong to that label. */
__attribute__((used, weak)) int
__tally_label_1(const char *label)
{
	Frame f = {0};
	int failed;

	if (!iscounting())
		return -1;
	capture(&f);
	if (!begin(&f))
		return -1;
	failed = anew(&f, label, 0);
	leave();
	return failed;
}

#endif
