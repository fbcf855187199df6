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

#include "report/report.h"

#include <string.h>
#include <sys/stat.h>

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
identify(const Report *r, const char *path, Buf *key)
{
	const char *now = mappedpath(r, path), *simple;

	if (*path == '<' || !*path) { /* the compiler's own */
		bprintf(key, "/%s", path);
		return;
	}
	simple = simplepath(now, key->arena);
	if (isthere(now, key) || isthere(simple, key) || isthere(besides(r, simple), key))
		return;
	bprintf(key, "/%s", simple);
}

/* numberof - the file that a path leads to. */
static int
numberof(const Report *r, const char *path)
{
	Paths *p = r->paths;
	Entry *e = intern(&p->names, path, strlen(path), NONE);
	Arena tmp = {0};
	Buf key = {.arena = &tmp};
	Report own = *r;

	if (e->value != NONE)
		return e->value;
	own.run = &tmp;
	identify(&own, path, &key);
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
join(const Report *r, char **path, uint32_t n, Arena *run)
{
	uint32_t *first = anew(run, uint32_t, n + 1), i;
	Table seen = {.arena = run};
	bool differ = true;

	for (i = 0; i < n; i++) {
		int file = numberof(r, path[i]);

		path[i] = (char *)r->paths->file[file].name;
		first[i] = (uint32_t)intern(&seen, (char *)&file, sizeof file, (int)i)->value;
		differ &= first[i] == i;
	}
	return differ ? NULL : first;
}

/* joinfns - functions of a unit have the same paths, and as a rule stand together. */
static void
joinfns(const Report *r, Module *m, Arena *run)
{
	const Fn *last = NULL;
	uint32_t *first = NULL;
	int i, k;

	for (i = 0; i < m->nfn; i++) {
		Fn *fn = &m->fn[i];

		if (last && last->unit == fn->unit && last->nfile == fn->nfile)
			fn->file = last->file;
		else
			first = join(r, fn->file, (uint32_t)fn->nfile, run);
		last = fn;
		for (k = 0; first && k < fn->code.nrow; k++)
			if (fn->code.row[k].file < (uint32_t)fn->nfile)
				fn->code.row[k].file = first[fn->code.row[k].file];
		if (first && fn->head.line)
			fn->head.file = first[fn->head.file];
	}
}

void
joinfiles(Report *r)
{
	Arena tmp = {0};
	int i, k;

	if (!r->paths)
		r->paths = anew(r->run, Paths, 1);
	if (!r->paths->names.arena)
		r->paths->names.arena = r->paths->keys.arena = r->run;
	for (i = 0; i < r->nmodule; i++) {
		Module *m = &r->module[i];

		for (k = 0; k < m->ntext; k++)
			join(r, m->text[k].file, m->text[k].nfile, &tmp);
		for (k = 0; k < m->nshape; k++)
			join(r, m->shape[k].file, m->shape[k].nfile, &tmp);
		joinfns(r, m, &tmp);
		areset(&tmp);
	}
	findtwins(r);
}

bool
matchesfile(const Report *r, char *const *glob, int n, const char *file)
{
	const Paths *p = r->paths;
	const Entry *e = p && n ? lookup(&r->paths->names, file, strlen(file)) : NULL;
	Arena tmp = {0};
	bool is = matchespath(glob, n, file);
	int i;

	for (i = e ? p->file[e->value].also : NONE; i != NONE && !is; i = p->other[i].also)
		is = matchespath(glob, n, p->other[i].name)
		     || matchespath(glob, n, simplepath(p->other[i].name, &tmp));
	areset(&tmp);
	return is;
}
