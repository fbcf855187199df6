/* where.h - in which directory a program leaves its profiles, unless the user says.
 *
 * Each object says where tally build ran that made it, DIRECTORY/tally.out; the linker puts that
 * of all of them, each once, into a section of strings, where a byte of 1 before each keeps it from being the end
 * of another.  If tally build ran in several directories, nobody has
 * told where the program was linked.  But makefiles link where they run or below, and objects are
 * below, too:
 *
 *      (cd x; tally build gcc -c u.c)           /w/x/tally.out
 *      (cd y; tally build gcc -c u.c)           /w/y/tally.out
 *      tally build gcc m.c x/u.o y/u.o -o m     /w/tally.out, and the program is /w/m
 *
 * So it is the nearest directory above the program; if there is none, as without m.c, that of
 * the program if it is above them all; and else that of the first object. */

#ifndef WHERE_H
#define WHERE_H

#include "sys.h"

/* isabove - whether the directory of that name, of n bytes, is path or has it in it, at any depth. */
static int
isabove(const char *dir, size_t n, const char *path, size_t len)
{
	return n <= len && same(dir, path, n) && (n == len || path[n] == '/');
}

/* parent - how much of a path is the directory that it is in; 0 is the root. */
static size_t
parent(const char *path)
{
	size_t n = length(path);

	while (n > 0 && path[--n] != '/')
		;
	return n;
}

/* nextdir - the string behind s, or the first if that is NULL, of those that end before end; NULL. */
static const char *
nextdir(const char *begin, const char *end, const char *s)
{
	s = s ? s + length(s) : begin;
	while (s < end && *(const unsigned char *)s <= 1)
		s++;
	return s < end ? s : NULL;
}

/* choosedir - where a program of that path, or "" if that is not known, leaves its profiles: one of
 * those strings, or buf; NULL if there is none. */
static const char *
choosedir(const char *begin, const char *end, const char *path, char *buf, size_t cap)
{
	const char *s, *first = nextdir(begin, end, NULL), *best = NULL;
	size_t own = parent(path);
	int all = *path == '/' && own, n = 0;

	for (s = first; s; s = nextdir(begin, end, s)) {
		size_t len = parent(s);

		n++;
		all = all && *s == '/' && isabove(path, own, s, len);
		if (*s == '/' && *path == '/' && isabove(s, len, path, own)
		    && (!best || len > parent(best)))
			best = s;
	}
	if (n < 2 || best || !all || own + sizeof "/tally.out" > cap)
		return n > 1 && best ? best : first;
	copy(buf, path, own);
	buf[own] = 0;
	append(buf, cap, "/tally.out");
	return buf;
}

#endif
