/* mark.c - markers or counters in a C text, by the options of tally build.
 *
 * The text is already preprocessed. */

#include "standin.h"

#include "guest/guest.h"
#include "road/c/c.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
istrial(const char *path)
{
	static char *const glob[] = {"conftest.*", "*/CMakeTmp/*", "*/CMakeScratch/*",
				     "*/CompilerId*/*", "*/meson-private/*"};

	return matchespath(glob, sizeof glob / sizeof *glob, path);
}

/* absolute - a path of a file, made absolute. */
static char *
absolute(char *path, Arena *run)
{
	char cwd[4096];
	Buf b = {.arena = run};

	if (path[0] == '/' || path[0] == '<' || !getcwd(cwd, sizeof cwd))
		return path;
	bprintf(&b, "%s/%s", cwd, path);
	return b.s;
}

/* readsource - parse a text; why that cannot be done, or NULL. */
static const char *
readsource(Source *s, const char *path, const char *text, size_t len, const char *std)
{
	Dialect d = {2017, true};
	int i;

	if (std && !dialect(&d, std))
		return "an unknown language";
	if (!parse(s, path, text, len, &d))
		return s->error;
	for (i = 0; i < s->nfile; i++)
		if (strchr(s->file[i], '\n'))
			return "the name of a file has several lines"; /* would end a comment */
	return NULL;
}

const char *
marksource(const Settings *how, const char *path, const char *text, size_t len, const char *std,
	   Buf *out)
{
	bool counters = how->road == INTEXT;
	Source s = {.run = out->arena};
	const char *why = readsource(&s, path, text, len, std);
	int i;

	if (why)
		return why;
	for (i = 0; counters && i < s.nfile; i++)
		s.file[i] = absolute(s.file[i], out->arena);
	placeblocks(&s, how->branches ? BRANCHES : LINES);
	writec(&s, counters ? COUNTERS : MARKS, how->flat, out);
	if (counters && s.nblock) {
		Buf text = {.arena = out->arena}, note = {.arena = out->arena};

		if (!how->bare) {
			counterpages(&text);
			putruntime(&text, how->dir, true);
		}
		bprintf(out, "__asm__(\"");
		cstring(out, text.s, text.n);
		bprintf(out, "\");\n");
		bprintf(&note, "counted\t%s\t%d\t0\n", path, s.nfn);
		writelog(how, &note);
	}
	if (!counters) {
		placeblocks(&s, SHAPE);
		writeshape(&s, false, out);
	}
	return NULL;
}

void
shapesource(const char *path, const char *text, size_t len, const char *std, Buf *out)
{
	Source s = {.run = out->arena};

	if (readsource(&s, path, text, len, std))
		return;
	placeblocks(&s, SHAPE);
	writeshape(&s, true, out);
}

bool
lasting(const char *word)
{
	struct stat st;

	if (stat(word, &st) != 0)
		return true;
	return S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || strcmp(word, "/dev/null") == 0;
}

bool
rereadable(const char *path)
{
	return access(path, R_OK) == 0 && lasting(path);
}

bool
includesfiles(const Buf *text)
{
	const char *s = text->s, *end = s + text->n, *eol;
	Table seen = {.arena = text->arena};

	for (; s < end; s = eol + 1) {
		Buf name = {.arena = text->arena};

		eol = memchr(s, '\n', (size_t)(end - s));
		eol = eol ? eol : end;
		if (s[0] != '#' || eol - s < 5 || s[1] != ' ')
			continue;
		s = memchr(s, '"', (size_t)(eol - s));
		if (!s || !bunquote(&name, s + 1, eol) || lookup(&seen, name.s, name.n))
			continue;
		intern(&seen, name.s, name.n, 0);
		if (access(name.s, F_OK) == 0 && !rereadable(name.s))
			return false;
	}
	return true;
}
