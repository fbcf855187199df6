/* paths.c - one file has one name.
 *
 * A compiler writes down the path by which it was led to a file, from the directory where it ran:
 * inc/h.h from above, ../inc/h.h from beside it.  Reports add up what units and programs say of a
 * file, so they must know which paths lead to the same file.  Two paths, after --prefix-map, do
 *
 *   - if both are there and have the same device and inode; so links and `..' mean what they mean
 *     to the kernel;
 *   - if neither is there and they are equal without `.', `..' and empty parts, which is right
 *     unless a part before a `..' was a link.
 *
 * The file's name is then the path that was met first.  The map keeps all paths as the compilers
 * wrote them, so objects do not depend on where they were compiled.  Relative paths
 * (-ffile-prefix-map=DIR=. makes some) are looked for where the program is, too. */

#include "spots.h"

#include <string.h>
#include <sys/stat.h>

struct Paths {
	Table names; /* path to number of its file */
	Table keys;  /* identity (see identify) to number of its file */
	struct Called {
		const char *name;
		int also; /* its first path in other[], or the next there; NONE */
	} * file, *other;
	int n, nother;
	size_t cap, capother;
};

char *
simplepath(const char *path, Arena *run)
{
	size_t len = strlen(path), n = 0;
	char *s = anew(run, char, len + 2);
	const char *end;
	int up = 0; /* parts that a `..' can take away */

	if (*path == '/')
		s[n++] = '/';
	for (; *path; path = end) {
		size_t k;

		path += strspn(path, "/");
		end = path + strcspn(path, "/");
		k = (size_t)(end - path);
		if (k == 0 || (k == 1 && *path == '.'))
			continue;
		if (k == 2 && path[0] == '.' && path[1] == '.') {
			if (up > 0) {
				while (n > 0 && s[n - 1] != '/')
					n--;
				n -= n > 1;
				up--;
				continue;
			}
			if (s[0] == '/' && n == 1)
				continue;
		} else {
			up++;
		}
		if (n > 0 && s[n - 1] != '/')
			s[n++] = '/';
		memcpy(s + n, path, k);
		n += k;
	}
	if (n == 0)
		s[n++] = '.';
	s[n] = 0;
	return s;
}

const char *
mappedpath(const Choice *of, const char *path, Arena *run)
{
	int i;

	for (i = 0; i < of->nprefix; i++) {
		const char *new = strchr(of->prefix[i], '=') + 1;
		size_t n = (size_t)(new - 1 - of->prefix[i]);
		Buf b = {.arena = run};

		if (strncmp(path, of->prefix[i], n) != 0
		    || (path[n] && path[n] != '/' && n && path[n - 1] != '/'))
			continue;
		bprintf(&b, "%s%s", new, path + n);
		return b.s;
	}
	return path;
}

int
commonparts(const char *a, const char *b)
{
	const char *x = a + strlen(a), *y = b + strlen(b);
	int n = 0;

	for (;;) {
		while (x > a && y > b && x[-1] == y[-1] && x[-1] != '/')
			x--, y--;
		if ((x > a && x[-1] != '/') || (y > b && y[-1] != '/'))
			return n;
		n++;
		while (x > a && x[-1] == '/')
			x--;
		while (y > b && y[-1] == '/')
			y--;
		if (x == a || y == b)
			return n;
	}
}

/* cut - the length of a path without its last n parts. */
static size_t
cut(const char *path, int n)
{
	size_t len = strlen(path);

	for (; n > 0; n--) {
		while (len > 0 && path[len - 1] == '/')
			len--;
		while (len > 0 && path[len - 1] != '/')
			len--;
	}
	while (len > 0 && path[len - 1] == '/')
		len--;
	return len;
}

/* along - where a path is now if it has moved along with a program that ran elsewhere; NULL if it
 * has not.  If /old/bin/prog is now /new/bin/prog, the source /old/src/a.c may be /new/src/a.c. */
static const char *
along(const Choice *of, const char *path, Arena *run)
{
	int i;

	for (i = 0; i < of->nmodule; i++) {
		const Module *m = &of->module[i];
		Buf old = {.arena = run}, new = {.arena = run};
		int n;

		if (!m->ran)
			continue;
		bprintf(&old, "%.*s", (int)cut(m->ran, 1), m->ran);
		bprintf(&new, "%.*s", (int)cut(m->path, 1), m->path);
		n = commonparts(old.s, new.s);
		old.s[old.n = cut(old.s, n)] = 0;
		new.s[new.n = cut(new.s, n)] = 0;
		if (strncmp(path, old.s, old.n) != 0 || path[old.n] != '/')
			continue;
		bprintf(&new, "%s", path + old.n);
		if (canread(new.s))
			return new.s;
	}
	return NULL;
}

/* besides - where a path is now: a relative one in the directory of a program or above; an absolute
 * one if it has moved with a program; NULL if it is nowhere. */
const char *
besides(const Choice *of, const char *path, Arena *run)
{
	int i;

	if (path[0] == '/')
		return along(of, path, run);
	for (i = 0; i < of->nmodule; i++) {
		const char *program = of->module[i].path, *end = lastpart(program);

		while (end > program) {
			Buf b = {.arena = run};

			bprintf(&b, "%.*s%s", (int)(end - program), program, path);
			if (canread(b.s))
				return b.s;
			for (end--; end > program && end[-1] != '/'; end--)
				;
		}
	}
	return NULL;
}

/* isthere - returns whether a path leads to a file; if so, puts its device and inode into key. */
static bool
isthere(const char *path, Buf *key)
{
	struct stat st;

	if (!path || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	bprintf(key, "%llx:%llx", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	return true;
}

/* identify - puts into key what is the same for all paths of a file.  Device and inode are not
 * confused with a path, which gets a slash in front. */
static void
identify(const Choice *of, const char *path, Buf *key)
{
	const char *now = mappedpath(of, path, key->arena), *simple;

	if (*path == '<' || !*path) { /* the compiler's own */
		bprintf(key, "/%s", path);
		return;
	}
	simple = simplepath(now, key->arena);
	if (isthere(now, key) || isthere(simple, key)
	    || isthere(besides(of, simple, key->arena), key))
		return;
	bprintf(key, "/%s", simple);
}

/* numberof - the number of the file that a path leads to. */
static int
numberof(const Choice *of, const char *path)
{
	Paths *p = of->paths;
	Entry *e = intern(&p->names, path, strlen(path), NONE);
	Arena tmp = {0};
	Buf key = {.arena = &tmp};

	if (e->value != NONE)
		return e->value;
	identify(of, path, &key);
	e->value = intern(&p->keys, key.s, key.n, p->n)->value;
	if (e->value == p->n) {
		apush(p->names.arena, p->file, p->n, p->cap);
		p->file[p->n++] = (struct Called){e->key, NONE};
	}
	apush(p->names.arena, p->other, p->nother, p->capother);
	p->other[p->nother] = (struct Called){e->key, p->file[e->value].also};
	p->file[e->value].also = p->nother++;
	areset(&tmp);
	return e->value;
}

/* join - replaces n paths by the names of their files.  Returns, by path, the number of the first
 * that leads to the same file, or NULL if all files differ. */
static uint32_t *
join(const Choice *of, char **path, uint32_t n, Arena *run)
{
	uint32_t *first = anew(run, uint32_t, n + 1), i;
	Table seen = {.arena = run};
	bool differ = true;

	for (i = 0; i < n; i++) {
		int file = numberof(of, path[i]);

		path[i] = (char *)of->paths->file[file].name;
		first[i] = (uint32_t)intern(&seen, (char *)&file, sizeof file, (int)i)->value;
		differ &= first[i] == i;
	}
	return differ ? NULL : first;
}

/* joinfns - joins the files of functions.  Those of a unit have the same paths, and usually stand
 * together. */
static void
joinfns(const Choice *of, Module *m, Arena *run)
{
	const Fn *last = NULL;
	uint32_t *first = NULL;
	int i, k;

	for (i = 0; i < m->nfn; i++) {
		Fn *fn = &m->fn[i];

		if (last && last->unit == fn->unit && last->nfile == fn->nfile)
			fn->file = last->file;
		else
			first = join(of, fn->file, (uint32_t)fn->nfile, run);
		last = fn;
		for (k = 0; first && k < fn->code.nrow; k++)
			if (fn->code.row[k].file < (uint32_t)fn->nfile)
				fn->code.row[k].file = first[fn->code.row[k].file];
		if (first && fn->head.line)
			fn->head.file = first[fn->head.file];
	}
}

void
joinfiles(Choice *of, Arena *run)
{
	Arena tmp = {0};
	int i, k;

	if (!of->paths)
		of->paths = anew(run, Paths, 1);
	if (!of->paths->names.arena)
		of->paths->names.arena = of->paths->keys.arena = run;
	for (i = 0; i < of->nmodule; i++) {
		Module *m = &of->module[i];

		for (k = 0; k < m->ntext; k++)
			join(of, m->text[k].file, m->text[k].nfile, &tmp);
		for (k = 0; k < m->nshape; k++)
			join(of, m->shape[k].file, m->shape[k].nfile, &tmp);
		joinfns(of, m, &tmp);
		areset(&tmp);
	}
}

bool
matchesfile(const Choice *of, char *const *glob, int n, const char *file)
{
	const Paths *p = of->paths;
	const Entry *e = p && n ? lookup(&of->paths->names, file, strlen(file)) : NULL;
	Arena tmp = {0};
	bool is = matchespath(glob, n, file);
	int i;

	for (i = e ? p->file[e->value].also : NONE; i != NONE && !is; i = p->other[i].also)
		is = matchespath(glob, n, p->other[i].name)
		     || matchespath(glob, n, simplepath(p->other[i].name, &tmp));
	areset(&tmp);
	return is;
}
