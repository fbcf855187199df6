/* where.h - in which directory a program leaves its profiles, unless the user says.
 *
 * The answer is the directory where the program was built.  Each object records where `tally build'
 * ran when it was compiled, as DIRECTORY/tally.out.  The linker collects these strings in one
 * section, each once; a byte of 1 before each keeps it from being merged into the end of another.
 * If they name several directories, nothing says where the program was linked.  But makefiles link
 * where they run or below that, and objects are below that, too:
 *
 *      (cd x; tally build gcc -c u.c)           /w/x/tally.out
 *      (cd y; tally build gcc -c u.c)           /w/y/tally.out
 *      tally build gcc m.c x/u.o y/u.o -o m     /w/tally.out, and the program is /w/m
 *
 * So the answer is the nearest recorded directory above the program.  If there is none (without m.c
 * above), it is the program's own directory if that is above all of them, and else that of the
 * first object. */

#ifndef WHERE_H
#define WHERE_H

#include "sys.h"

/* isabove - whether a directory, whose name has n bytes, is path or contains it, at any depth. */
static int
isabove(const char *dir, size_t n, const char *path, size_t len)
{
	return n <= len && same(dir, path, n) && (n == len || path[n] == '/');
}

/* parent - the length of the name of a path's directory; 0 is the root. */
static size_t
parent(const char *path)
{
	size_t n = length(path);

	while (n > 0 && path[--n] != '/')
		;
	return n;
}

/* nextdir - the string after s, or the first if s is NULL; NULL if there is none before end. */
static const char *
nextdir(const char *begin, const char *end, const char *s)
{
	s = s ? s + length(s) : begin;
	while (s < end && *(const unsigned char *)s <= 1)
		s++;
	return s < end ? s : NULL;
}

/* choosedir - where a program leaves its profiles: one of the strings, or the text in buf; NULL if
 * there are no strings.  path is that of the program, "" if it is not known. */
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
