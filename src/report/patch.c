/* patch.c - read a patch of sources as diff -u and git diff write it: the lines it adds. */

#include "diff.h"

#include <stdlib.h>
#include <string.h>

typedef struct Scan Scan;

/* The text of a patch, line by line. */
struct Scan {
	const char *path;
	char *s, *end;
	int number; /* of the current line */
	Arena *run;
	Patch *patch;
	size_t capfile;
};

/* nextline - the next line, without its end; NULL after the last. */
static char *
nextline(Scan *p)
{
	char *s = p->s, *eol;

	if (s >= p->end)
		return NULL;
	eol = memchr(s, '\n', (size_t)(p->end - s));
	if (!eol)
		eol = p->end;
	p->s = eol + 1;
	p->number++;
	*eol = 0;
	if (eol > s && eol[-1] == '\r')
		eol[-1] = 0;
	return s;
}

/* begins - what follows a word at the beginning of s; NULL if s begins otherwise. */
static char *
begins(char *s, const char *word)
{
	size_t n = strlen(word);

	return strncmp(s, word, n) == 0 ? s + n : NULL;
}

/* filename - a name, quoted if it has unusual characters; a tab and a date may follow. */
static const char *
filename(const Scan *p, const char *s)
{
	Buf b = {.arena = p->run};

	if (*s == '"')
		bunquote(&b, s + 1, s + strlen(s));
	else
		bput(&b, s, strcspn(s, "\t"));
	return b.s;
}

/* range - read the first line and the length of one side of a hunk; returns what follows, or NULL
 * if there is no such. */
static char *
range(char *s, long *first, long *n)
{
	char *end;

	*n = 1;
	*first = strtol(s, &end, 10);
	if (end == s)
		return NULL;
	if (*end == ',') {
		s = end + 1;
		*n = strtol(s, &end, 10);
		if (end == s)
			return NULL;
	}
	return *first >= 0 && *first <= INT32_MAX && *n >= 0 && *n <= INT32_MAX ? end : NULL;
}

/* hunk - add the new lines of a hunk to the last file. */
static void
hunk(Scan *p, char *s)
{
	Patched *f = p->patch->n ? &p->patch->file[p->patch->n - 1] : NULL;
	long from, nold, to, nnew;
	int begin = p->number;
	char *line;

	if (!(s = range(s, &from, &nold)) || strncmp(s, " +", 2) != 0
	    || !(s = range(s + 2, &to, &nnew)) || strncmp(s, " @@", 3) != 0)
		errat(p->path, begin, "a hunk header without line numbers");
	if (!f)
		errat(p->path, begin, "a hunk without a file header before it");
	while (nold > 0 || nnew > 0) {
		if (!(line = nextline(p)))
			errat(p->path, begin, "the diff ends within this hunk");
		switch (*line) {
		case '+':
			if (nnew-- <= 0)
				errat(p->path, p->number,
				      "more lines than the hunk header announces");
			apush(p->run, f->line, f->n, f->cap);
			f->line[f->n++] = (Added){(uint32_t)to++, line + 1};
			break;
		case '-': nold--; break;
		case '\\': break; /* "\ No newline at end of file" */
		case ' ':
		case 0: /* something has removed the blank */
			nold--;
			nnew--;
			to++;
			break;
		default: errat(p->path, p->number, "not a line of a hunk");
		}
		if (nold < 0 || nnew < 0)
			errat(p->path, p->number, "more lines than the hunk header announces");
	}
}

/* newname - add a file that the patch creates or changes, without git's prefix. */
static void
newname(Scan *p, char *s, const char *old, bool git)
{
	const char *name = filename(p, s);
	bool prefix = (strncmp(old, "a/", 2) == 0 || strcmp(old, "/dev/null") == 0)
		      && strncmp(name, "b/", 2) == 0;

	apush(p->run, p->patch->file, p->patch->n, p->capfile);
	p->patch->file[p->patch->n++] =
		(Patched){.name = git && prefix ? name + 2 : name, .git = git};
}

/* isplain - whether a line begins a hunk of a diff without -u, such as 3,4c5. */
static bool
isplain(const char *s)
{
	static const char digits[] = "0123456789";
	size_t n = strspn(s, digits);

	if (!n)
		return false;
	s += n;
	s += *s == ',' ? 1 + strspn(s + 1, digits) : 0;
	if (!*s || !strchr("acd", *s) || !(n = strspn(s + 1, digits)))
		return false;
	s += 1 + n;
	s += *s == ',' ? 1 + strspn(s + 1, digits) : 0;
	return !*s;
}

typedef struct Words Words;

/* What was seen in a text that has no changed files. */
struct Words {
	int text, plain, context; /* first lines of some text, of such hunks; or 0 */
	bool header;              /* of a change without lines: of a mode or a binary file */
};

static void
look(Words *w, const char *line, int number)
{
	w->header |= begins((char *)line, "diff --git ") || begins((char *)line, "Binary files ")
		     || begins((char *)line, "Only in ");
	if (!w->text && line[strspn(line, " \t")])
		w->text = number;
	if (!w->plain && isplain(line))
		w->plain = number;
	if (!w->context && strcmp(line, "***************") == 0)
		w->context = number;
}

/* nopatch - say what the text is instead of a patch. */
static _Noreturn void
nopatch(const char *path, const Words *w)
{
	if (w->plain)
		errat(path, w->plain, "a diff that names no files: use diff -u");
	if (w->context)
		errat(path, w->context, "not a unified diff: use diff -u");
	if (w->text)
		errat(path, w->text, "not a unified diff: no file header");
	err(path, "is empty: expected a unified diff");
}

Patch
readpatch(const char *path, char *text, size_t len, bool mayempty, Arena *run)
{
	Patch patch = {0};
	Scan p = {.path = path, .s = text, .end = text + len, .run = run, .patch = &patch};
	const char *old = "";
	Words words = {0};
	bool git = false;
	char *line, *rest;

	while ((line = nextline(&p))) {
		look(&words, line, p.number);
		if (begins(line, "diff --git "))
			git = true;
		else if ((rest = begins(line, "--- ")))
			old = filename(&p, rest);
		else if ((rest = begins(line, "+++ ")))
			newname(&p, rest, old, git);
		else if ((rest = begins(line, "@@ -")))
			hunk(&p, rest);
		else if (begins(line, "@@@ "))
			errat(path, p.number, "a combined diff of a merge: use a plain diff");
		if (begins(line, "Index: ") || begins(line, "diff -"))
			git = git && begins(line, "diff --git ");
	}
	if (!patch.n && !mayempty && (words.plain || words.context || !words.header))
		nopatch(path, &words);
	return patch;
}
