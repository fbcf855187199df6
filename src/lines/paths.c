/* paths.c - one file has one name.
 *
 * Compilers write down the path by which they were led to a file: inc/h.h from the directory above, ../inc/h.h from
 * the one beside it, after the directory where they ran.  Reports add up what units and programs say of a file, so they must
 * know that these are one.  Two paths, as --prefix-map has them, are one file
 *
 *   - if both are there, and have the same device and inode: links and .. are what the kernel takes them for;
 *   - or, of those that are not there, if they are the same without `.', `..' and empty parts, which is right
 *     unless a part before a .. was a link.
 *
 * Its name is then the path that was met first.  The map keeps all paths as the compilers wrote them, and objects do
 * not depend on where they were compiled.  Paths that a compiler was told to write from another place
 * (-ffile-prefix-map=DIR=.) are relative; they are looked for where the program is, too. */

#include "spots.h"

#include <string.h>
#include <sys/stat.h>

struct Paths {
	Table names; /* of each path that was met: the number of its file */
	Table keys;  /* of what tells files apart: likewise */
	struct Called {
		const char *name;
		int also; /* the first, or next, of other[]: all paths that lead there; NONE */
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
	int up = 0; /* parts that a .. can take away */

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

/* cut - how long a path is without its last n parts. */
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

/* along - a path if it has moved with a program that ran elsewhere; NULL.  Of /old/bin/prog that is
 * /new/bin/prog now, the source /old/src/a.c is /new/src/a.c. */
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

/* besides - a relative path, from where a program is or above; another if that has moved, too; NULL. */
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

/* isthere - a file, which puts what it is into key. */
static bool
isthere(const char *path, Buf *key)
{
	struct stat st;

	if (!path || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	bprintf(key, "%llx:%llx", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	return true;
}

/* identify - put into key what is the same for all paths of a file.  Device and inode are no path, for that
 * begins with a slash, or is told by one. */
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

/* numberof - the file that a path leads to. */
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

/* join - n paths become names of files; the number of the first that is the same by number, or NULL if they all
 * differ. */
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

/* joinfns - functions of a unit have the same paths, and as a rule stand together. */
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
