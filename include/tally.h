/* tally.h - a counted program speaks to its counters.
 *
 * Each returns 0, or -1 if nothing came of it: above all, if the program is not
 * counted.  Then they cost a test of an address and need nothing at the link.
 *
 * tally_snapshot - write what was counted so far to a regular file, which `tally print FILE'
 * shows.  Counting goes on.
 *
 * tally_reset - forget what was counted so far.
 *
 * tally_label - keep what is counted from now on apart, under that name.  The label at the begin is
 * that in the environment, TALLY_LABEL, or none.
 *
 * All three divide the run in the middle of some calls, exactly; but of functions that are
 * active in other threads then, counts may be one off on either side, and reports say so. */

#ifndef TALLY_H
#define TALLY_H

#ifdef __cplusplus
extern "C" {
#endif

extern int __tally_snapshot_1(const char *path) __attribute__((weak));
extern int __tally_reset_1(void) __attribute__((weak));
extern int __tally_label_1(const char *label) __attribute__((weak));

static inline int
tally_snapshot(const char *path)
{
	return __tally_snapshot_1 ? __tally_snapshot_1(path) : -1;
}

static inline int
tally_reset(void)
{
	return __tally_reset_1 ? __tally_reset_1() : -1;
}

static inline int
tally_label(const char *label)
{
	return __tally_label_1 ? __tally_label_1(label) : -1;
}

#ifdef __cplusplus
}
#endif

#endif
