/* text.c - split assembly text into statements, as gas does for x86: a newline or `;' ends a
 * statement, `#' starts a comment, labels end with `:'. */

#include "asm.h"

#include <string.h>

typedef struct Scanner Scanner;

struct Scanner {
	Unit *u;
	const char *s, *end;
	Table sects;  /* names to numbers */
	int depth;    /* nesting of .macro, .rept, .irp, .irpc */
	int sect;     /* the current section */
	int previous; /* the one before it, for .previous */
	int stack[16], nstack;
	int line;  /* in the file that the text comes from */
	int file;  /* its number */
	bool user; /* between the comments with which compilers enclose the user's own text */
};

static bool
isname(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
	       || c == '_' || c == '.' || c == '$' || c >= 0x80;
}

/* skipstring - skip a string; returns what follows the closing quote. */
static const char *
skipstring(const char *s, const char *end)
{
	for (s++; s < end && *s != '"' && *s != '\n'; s++)
		if (*s == '\\' && s + 1 < end)
			s++;
	return s < end ? s + 1 : end;
}

/* skipcomment - skip a comment like those of C. */
static const char *
skipcomment(const char *s, const char *end)
{
	for (s += 2; s < end; s++)
		if (s[0] == '*' && s + 1 < end && s[1] == '/')
			return s + 2;
	return end;
}

/* ends - the end of the statement at s: a separator, a comment, or the end of the line; *next
 * gets the start of the next statement. */
static const char *
ends(const char *s, const char *end, const char **next)
{
	const char *stop = NULL;

	while (s < end) {
		if (*s == '\n' || (*s == ';' && !stop)) {
			*next = s + 1;
			return stop ? stop : s;
		}
		if (!stop && *s == '#')
			stop = s;
		if (!stop && *s == '"')
			s = skipstring(s, end);
		else if (!stop && *s == '\'' && end - s >= 2 && s[1] != '\n')
			s += s[1] == '\\' && end - s >= 3 ? 3 : 2;
		else if (!stop && *s == '/' && end - s >= 2 && s[1] == '*')
			s = skipcomment(s, end);
		else
			s++;
	}
	*next = end;
	return stop ? stop : end;
}

bool
begins(const Stmt *st, const char *word)
{
	int n = (int)strlen(word);

	return st->len >= n && memcmp(st->s, word, (size_t)n) == 0
	       && (st->len == n || !isname((unsigned char)st->s[n]));
}

const char *
mnemonic(const char *s, const char *end)
{
	static const char *const prefix[] = {"bnd", "notrack", "ds", "cs", "data16", "repne", "repnz"};
	size_t i, n;

	for (i = 0; i < sizeof prefix / sizeof *prefix; i++) {
		n = strlen(prefix[i]);
		if ((size_t)(end - s) <= n || memcmp(s, prefix[i], n) != 0 || (s[n] != ' ' && s[n] != '\t'))
			continue;
		for (s += n; s < end && (*s == ' ' || *s == '\t'); s++)
			;
		i = (size_t)-1; /* perhaps another one follows */
	}
	return s;
}

int
word(const char **s, const char *end, const char **name)
{
	const char *p = *s;

	while (p < end && !isname((unsigned char)*p) && *p != '"')
		p++;
	*name = p;
	if (p < end && *p == '"') {
		*s = skipstring(p, end);
		*name = p + 1;
		return (int)(*s - p) - 1 - (*s > p + 1 && (*s)[-1] == '"');
	}
	while (p < end && isname((unsigned char)*p))
		p++;
	*s = p;
	return (int)(p - *name);
}

int
labelname(const Stmt *st, const char **name)
{
	const char *s = st->s;

	return word(&s, st->s + st->len, name);
}

static bool
oneofwords(const Stmt *st, const char *const *words)
{
	for (; *words; words++)
		if (begins(st, *words))
			return true;
	return false;
}

/* isdata - directives that put bytes where they stand. */
static bool
isdata(const Stmt *st)
{
	static const char *const words[] = {
		".byte",   ".value", ".word",   ".short",  ".hword",   ".2byte",
		".long",   ".int",   ".4byte",  ".quad",   ".8byte",   ".octa",
		".ascii",  ".asciz", ".string", ".zero",   ".skip",    ".space",
		".fill",   ".float", ".double", ".single", ".uleb128", ".sleb128",
		".incbin", ".nop",   ".nops",   ".insn",   ".inst",    NULL,
	};

	return oneofwords(st, words);
}

/* operand - the first operand of a directive. */
static const char *
operand(const Stmt *st)
{
	const char *s = st->s, *end = s + st->len;

	while (s < end && isname((unsigned char)*s))
		s++;
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s;
}

/* isdebug - directives that only make line tables.  `.file "name"', without a number, makes a
 * symbol. */
static bool
isdebug(const Stmt *st)
{
	return begins(st, ".loc") || (begins(st, ".file") && *operand(st) != '"');
}

/* isanywhere - directives whose section does not matter: gcc writes some after its debug
 * sections. */
static bool
isanywhere(const Stmt *st)
{
	static const char *const words[] = {
		".globl", ".global", ".weak",  ".local",   ".hidden", ".internal", ".protected",
		".comm",  ".lcomm",  ".ident", ".weakref", ".symver", NULL,
	};

	return oneofwords(st, words);
}

static bool
opens(const Stmt *st)
{
	static const char *const words[] = {".macro", ".rept", ".irp", ".irpc", NULL};

	return oneofwords(st, words);
}

static bool
closes(const Stmt *st)
{
	static const char *const words[] = {".endm", ".endr", NULL};

	return oneofwords(st, words);
}

/* signature - read the group of a section, in what follows its flags: `,@type,SIGNATURE,comdat'. */
static void
signature(Scanner *sc, Sect *sect, const char *s, const char *end)
{
	const char *comma = s < end ? memchr(s + 1, ',', (size_t)(end - s - 1)) : NULL, *stop;

	if (!comma)
		return;
	stop = memchr(comma + 1, ',', (size_t)(end - comma - 1));
	if (stop && end - stop >= 7 && memcmp(stop, ",comdat", 7) == 0)
		stop += 7; /* otherwise each object has a group of its own */
	sect->group = true;
	sect->signature =
		astrndup(sc->u->run, comma + 1, (size_t)((stop ? stop : end) - comma - 1));
}

/* hasprefix - whether a name begins with one of several prefixes. */
static bool
hasprefix(const char *name, const char *const *prefix)
{
	for (; *prefix; prefix++)
		if (strncmp(name, *prefix, strlen(*prefix)) == 0)
			return true;
	return false;
}

/* judge - what a section is for, by its flags.  Without flags, the assembler knows some names,
 * and other sections are not loaded.  A section that is linked to code (SHF_LINK_ORDER, `o')
 * describes it; so do some that are older than that flag. */
static void
judge(Sect *sect, const char *flags, const char *end)
{
	static const char *const data[] = {
		".data",    ".rodata",         ".bss",           ".tdata",      ".ldata",
		".lrodata", ".gnu.linkonce.d", ".sdata",         ".init_array", ".fini_array",
		".ctors",   ".dtors",          ".preinit_array", NULL};
	static const char *const about[] = {
		".eh_frame", ".debug_frame", "__patchable_function_entries",
		"xray_",     "__sancov_",    NULL};
	static const char *const loaded[] = {".text", ".init",         ".fini", ".gcc_except_table",
					     ".plt",  ".gnu.linkonce", NULL};
	size_t n = flags ? (size_t)(end - flags) : 0;

	sect->data = hasprefix(sect->name, data);
	if (flags)
		sect->loaded =
			memchr(flags, 'a', n) || (n > 1 && flags[1] >= '0' && flags[1] <= '9');
	else
		sect->loaded = sect->data || hasprefix(sect->name, loaded);
	sect->about =
		!sect->loaded || hasprefix(sect->name, about) || (flags && memchr(flags, 'o', n));
}

/* section - the number of the section that a directive names: `name[,"flags"...]'. */
static int
section(Scanner *sc, const char *s, const char *end)
{
	Unit *u = sc->u;
	const char *name = s, *stop, *flags;
	Entry *e;
	Sect *sect;
	bool new;

	if (s < end && *s == '"') {
		stop = skipstring(s, end);
		name++;
		s = stop--;
	} else {
		while (s < end && *s != ',' && *s != ' ' && *s != '\t')
			s++;
		stop = s;
	}
	e = intern(&sc->sects, name, (size_t)(stop - name), u->nsect);
	new = e->value == u->nsect;
	if (new) {
		apush(u->run, u->sect, u->nsect, u->capsect);
		u->sect[u->nsect++] = (Sect){.name = e->key};
	}
	sect = &u->sect[e->value];
	if (strncmp(e->key, ".text", 5) == 0 || strncmp(e->key, ".init", 5) == 0
	    || strncmp(e->key, ".fini", 5) == 0)
		sect->code = strstr(e->key, "_array") == NULL;
	sect->debug = strncmp(e->key, ".debug_", 7) == 0;
	flags = memchr(s, '"', (size_t)(end - s));
	stop = flags ? skipstring(flags, end) : NULL;
	if (new)
		judge(sect, flags, stop);
	if (flags) {
		if (memchr(flags, 'x', (size_t)(stop - flags)))
			sect->code = true;
		if (memchr(flags, 'G', (size_t)(stop - flags)) && !sect->group)
			signature(sc, sect, stop, end);
	}
	return e->value;
}

/* follow - keep track of the current section. */
static void
follow(Scanner *sc, const Stmt *st)
{
	static const char *const plain[] = {".text", ".data", ".bss", NULL};
	const char *s = operand(st), *end = st->s + st->len;
	int to = sc->sect;

	if (oneofwords(st, plain)) {
		to = section(sc, st->s, st->s + strcspn(st->s, " \t\r\n;#"));
		if (s < end) /* a subsection: not in the order of the text */
			sc->u->reason = "a subsection";
	} else if (begins(st, ".section")) {
		to = section(sc, s, end);
	} else if (begins(st, ".pushsection")) {
		if (sc->nstack == 16)
			sc->u->reason = "deep .pushsection";
		else
			sc->stack[sc->nstack++] = sc->sect;
		to = section(sc, s, end);
	} else if (begins(st, ".popsection")) {
		if (sc->nstack > 0)
			to = sc->stack[--sc->nstack];
	} else if (begins(st, ".previous")) {
		to = sc->previous;
	} else {
		return;
	}
	sc->previous = sc->sect;
	sc->sect = to;
}

/* classify - find out what a statement is that is not a label. */
static void
classify(Scanner *sc, Stmt *st)
{
	static const char *const foreign[] = {
		".subsection", ".org",    ".include",  ".intel_syntax",
		".code32",     ".code16", ".altmacro", ".bundle_align_mode",
		NULL,
	};
	const Sect *sect;
	const char *eq;

	if (oneofwords(st, foreign))
		sc->u->reason = astrndup(sc->u->run, st->s, (size_t)st->len);
	if (sc->depth == 0)
		follow(sc, st);
	sect = &sc->u->sect[sc->sect];
	st->sect = sc->sect;
	st->debug = (sect->debug && !isanywhere(st)) || isdebug(st);
	st->kind = DIRECTIVE;
	if (opens(st))
		sc->depth++;
	if (sc->depth > 0) {
		/* Bodies of macros are the assembler's business: what they expand to is seen
		 * where they are used, or after them. */
		if (closes(st))
			sc->depth--;
		st->debug = false;
		return;
	}
	if (sect->debug)
		return;
	eq = memchr(st->s, '=', (size_t)st->len);
	st->data = isdata(st);
	if (st->data ? sect->code : st->s[0] != '.' && !(eq && (eq[-1] == ' ' || eq[-1] == '\t')))
		st->kind = CODE;
}

static Stmt *
newstmt(Unit *u, const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\f'))
		s++;
	while (end > s && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	apush(u->run, u->stmt, u->nstmt, u->capstmt);
	u->stmt[u->nstmt] = (Stmt){.s = s, .len = (int)(end - s), .item = NONE, .marker = NONE};
	return &u->stmt[u->nstmt++];
}

/* labelend - if a label begins at s, what follows its colon; else NULL. */
static const char *
labelend(const char *s, const char *end)
{
	const char *p = s;

	if (p < end && *p == '"')
		p = skipstring(p, end);
	else
		while (p < end && isname((unsigned char)*p))
			p++;
	while (p > s && p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p > s && p < end && *p == ':' ? p + 1 : NULL;
}

/* linemark - read a line `# N "file"', which cpp leaves: the next line is line N of that file. */
static void
linemark(Scanner *sc)
{
	const char *s = sc->s + 1, *eol = memchr(s, '\n', (size_t)(sc->end - s)), *name;
	Unit *u = sc->u;
	long line = 0;
	int i;

	if (!eol)
		eol = sc->end;
	while (s < eol && *s == ' ')
		s++;
	if (s == eol || *s < '0' || *s > '9')
		return;
	while (s < eol && *s >= '0' && *s <= '9' && line < INT32_MAX / 10)
		line = 10 * line + (*s++ - '0');
	while (s < eol && *s == ' ')
		s++;
	if (s == eol || *s != '"')
		return;
	name = ++s;
	while (s < eol && *s != '"')
		s++;
	sc->line = (int)line - 1; /* this line comes before it */
	for (i = 0; i < u->nsource; i++)
		if (strlen(u->source[i]) == (size_t)(s - name)
		    && memcmp(u->source[i], name, (size_t)(s - name)) == 0)
			break;
	if (i == u->nsource) {
		apush(u->run, u->source, u->nsource, u->capsource);
		u->source[u->nsource++] = astrndup(u->run, name, (size_t)(s - name));
	}
	sc->file = i;
}

/* usermark - read a comment that encloses what the user wrote: `#APP' and `#NO_APP', or clang's
 * comments around what is outside of functions. */
static void
usermark(Scanner *sc, const char *next)
{
	const char *s = sc->s;

	while (s < next && (*s == ' ' || *s == '\t'))
		s++;
	if (next - s > 4 && memcmp(s, "#APP", 4) == 0)
		sc->user = true;
	if (next - s > 7 && memcmp(s, "#NO_APP", 7) == 0)
		sc->user = false;
	if (next - s > 17 && memcmp(s, "# Start of file s", 17) == 0)
		sc->user = true;
	if (next - s > 15 && memcmp(s, "# End of file s", 15) == 0)
		sc->user = false;
}

/* blanks - skip blanks and comments, which may span lines. */
static void
blanks(Scanner *sc, const char *stop)
{
	for (;;) {
		while (sc->s < stop && (*sc->s == ' ' || *sc->s == '\t' || *sc->s == '\n'))
			sc->line += *sc->s++ == '\n';
		if (stop - sc->s < 2 || sc->s[0] != '/' || sc->s[1] != '*')
			return;
		for (sc->s += 2; sc->s < stop && !(sc->s[-1] == '/' && sc->s[-2] == '*'); sc->s++)
			sc->line += *sc->s == '\n';
	}
}

/* statements - split what precedes stop, a line or part of one. */
static void
statements(Scanner *sc, const char *stop)
{
	Unit *u = sc->u;

	for (;;) {
		const char *colon;
		Stmt *st;

		blanks(sc, stop);
		colon = labelend(sc->s, stop);
		if (!colon || sc->depth > 0)
			break;
		st = newstmt(u, sc->s, colon - 1);
		st->kind = LABEL;
		st->sect = sc->sect;
		st->debug = u->sect[sc->sect].debug;
		sc->s = colon;
	}
	if (sc->s < stop) {
		Stmt *st = newstmt(u, sc->s, stop);

		st->line = sc->line;
		st->file = sc->file;
		st->user = sc->user;
		classify(sc, st);
	}
}

/* comment - read a comment of the C road, if this is one; a marker becomes a statement. */
static void
comment(Scanner *sc, const char *stop, const char *next)
{
	Unit *u = sc->u;
	bool item;
	Stmt *st;

	if (!isremark(u, stop, next > stop && next[-1] == '\n' ? next - 1 : next, &item) || !item
	    || !u->sect[sc->sect].code || sc->depth > 0)
		return;
	st = newstmt(u, stop, stop);
	st->kind = CODE;
	st->sect = sc->sect;
	st->marker = u->nmarker - 1;
}

/* split - split the text into statements. */
void
split(Unit *u, const char *path, const char *text, size_t len)
{
	static const char start[] = ".text";
	const char *s;
	size_t n = 16;
	Scanner sc = {.u = u, .s = text, .end = text + len, .sects = {.arena = u->run}, .line = 1};

	apush(u->run, u->source, u->nsource, u->capsource);
	u->source[u->nsource++] = (char *)path;
	for (s = text; s < sc.end && (s = memchr(s, '\n', (size_t)(sc.end - s))); s++)
		n++;
	u->stmt = agrow(u->run, NULL, n + n / 8, &u->capstmt, sizeof *u->stmt);
	section(&sc, start, start + strlen(start));
	while (sc.s < sc.end) {
		const char *next, *stop = ends(sc.s, sc.end, &next), *p;

		if (*sc.s == '#' && (sc.s == text || sc.s[-1] == '\n'))
			linemark(&sc);
		usermark(&sc, next);
		statements(&sc, stop);
		if (stop < next && *stop == '#')
			comment(&sc, stop, next);
		p = sc.s;
		for (; p < next && (p = memchr(p, '\n', (size_t)(next - p))); p++)
			sc.line++;
		sc.s = next;
	}
}
