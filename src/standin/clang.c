/* clang.c - what the assembler's stand-in asks of the clang that called it.
 *
 * Of the programs that a clang driver calls, only the assembler can be replaced, and it calls one
 * only because tally build adds -fno-integrated-as.  By then the source is compiled.  So C is
 * compiled once more, marked; and what is not counted must become the object that clang would have
 * made without us.
 *
 * The options of the driver are no basis for either: there are response files, abbreviations,
 * defaults that depend on the program's name, and options that name files to be written in ways
 * that depend on others.  So we ask clang itself:
 *
 *	clang -### ...    prints what it would call: for each source
 *	                  `clang -cc1 ... -o OUTPUT -x c INPUT', where each option is one word
 *	                  or two and those that write files are few
 *
 * In the environment of the build, that is how the assembly at hand was made.  Without what tally
 * build has put there (`plain'), it is how clang would have made the object by itself.
 *
 * Nothing is read a second time that might not be there any more, such as a pipe. */

#include "standin.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Job Job;

/* A program that clang calls: clang -cc1 or -cc1as, or an assembler. */
struct Job {
	Argv argv;
	char *input;                        /* the last word */
	char *triple, *kind, *std, *output; /* NULL if not given */
};

/* commandline - that of a process; empty if it cannot be read. */
static Argv
commandline(long pid, Arena *run)
{
	Buf path = {.arena = run};
	Argv v = {.arena = run};
	size_t len = 0, i;
	char *s;

	bprintf(&path, "/proc/%ld/cmdline", pid);
	if (access(path.s, R_OK) != 0)
		return v;
	s = readfile(run, path.s, &len);
	for (i = 0; i < len; i += strlen(s + i) + 1)
		argput(&v, s + i);
	return v;
}

/* hasclang - whether the last part of a path contains "clang". */
static bool
hasclang(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strstr(slash ? slash : path, "clang") != NULL;
}

bool
openclang(Clang *c, const Settings *settings, Arena *run)
{
	char exe[PATH_MAX];
	Buf path = {.arena = run};
	ssize_t n;

	*c = (Clang){.settings = settings, .run = run};
	if (calledbygcc())
		return false;
	c->argv = commandline(getppid(), run);
	bprintf(&path, "/proc/%ld/exe", (long)getppid());
	n = readlink(path.s, exe, sizeof exe - 1);
	exe[n < 0 ? 0 : n] = 0;
	return c->argv.n > 1 && (hasclang(exe) || hasclang(c->argv.v[0]));
}

/* readword - the word in quotes that begins at *s. */
static char *
readword(const char **s, Arena *run)
{
	Buf b = {.arena = run};

	bput(&b, "", 0);
	for (++*s; **s && **s != '"'; ++*s) {
		if (**s == '\\' && (*s)[1])
			++*s;
		bput(&b, *s, 1);
	}
	*s += **s == '"';
	return b.s;
}

/* readjob - one line of what clang -### prints; no words if it is not about a job. */
static void
readjob(Job *j, const char **s, Arena *run)
{
	int i;

	*j = (Job){.argv.arena = run};
	while (**s == ' ' && (*s)[1] == '"') {
		++*s;
		argput(&j->argv, readword(s, run));
	}
	*s += strcspn(*s, "\n");
	*s += **s == '\n';
	if (!j->argv.n)
		return;
	j->input = j->argv.v[j->argv.n - 1];
	for (i = 1; i < j->argv.n - 1; i++) {
		char *a = j->argv.v[i], *next = j->argv.v[i + 1];

		if (strcmp(a, "-triple") == 0)
			j->triple = next;
		else if (strcmp(a, "-x") == 0)
			j->kind = next;
		else if (strcmp(a, "-o") == 0)
			j->output = next;
		else if (strncmp(a, "-std=", 5) == 0)
			j->std = a + 5;
	}
}

/* runplainly - runfor() in the environment that there would be without us. */
static int
runplainly(const Clang *c, char **argv, Buf *out, Buf *words)
{
	const Settings *s = c->settings;
	const struct {
		const char *name, *was;
	} changed[] = {{"CCC_OVERRIDE_OPTIONS", s->old[OVERRIDE]},
		       {"COMPILER_PATH", s->old[COMPILERPATH]},
		       {"PATH", oldpath(s)}};
	enum { NCHANGED = sizeof changed / sizeof *changed };
	char *ours[NCHANGED], *was[NCHANGED];
	int i, status;

	for (i = 0; i < NCHANGED; i++) {
		ours[i] = acopy(c->run, getenv(changed[i].name));
		was[i] = acopy(c->run, changed[i].was);
	}
	for (i = 0; i < NCHANGED; i++)
		putvar(changed[i].name, was[i]);
	status = runfor(argv, NULL, 0, out, words);
	for (i = 0; i < NCHANGED; i++)
		putvar(changed[i].name, ours[i]);
	return status;
}

/* askjobs - the programs that clang calls; with `plain', those that it would call without us. */
static Job *
askjobs(const Clang *c, bool plain, int *n)
{
	Argv a = {.arena = c->run};
	const char *s;
	bool options = true;
	Buf said = {.arena = c->run}, out = {.arena = c->run};
	Job *v = NULL, j;
	size_t cap = 0;
	int i;

	for (i = 0; i <= c->argv.n; i++) {
		const char *o = i < c->argv.n ? c->argv.v[i] : "--";

		if (options && strcmp(o, "--") == 0) {
			options = false;
			argput(&a, "-###");
			/* With -### the file of the last such option is written or removed all the
			 * same. */
			argput(&a, "--serialize-diagnostics");
			argput(&a, "/proc/self/none");
		}
		o += strspn(o, "-");
		if (i < c->argv.n
		    && strncmp(o, "save-temps", 10) != 0) /* splits the job into several */
			argput(&a, c->argv.v[i]);
	}
	i = plain ? runplainly(c, a.v, &out, &said) : runfor(a.v, NULL, 0, &out, &said);
	*n = 0;
	if (i != 0)
		return NULL;
	for (s = said.s; *s;) {
		readjob(&j, &s, c->run);
		if (j.argv.n < 2)
			continue;
		apush(c->run, v, *n, cap);
		v[(*n)++] = j;
	}
	return v;
}

static bool
calls(const Job *j, const char *what)
{
	return strcmp(j->argv.v[1], what) == 0;
}

static bool
hasword(const Job *j, const char *word)
{
	int i;

	for (i = 1; i < j->argv.n; i++)
		if (strcmp(j->argv.v[i], word) == 0)
			return true;
	return false;
}

/* ismade - whether an assembly may have been made from that source, judging by their names. */
static bool
ismade(const char *input, const char *assembly)
{
	const char *from = basename(input), *made = basename(assembly), *dot = strrchr(from, '.');
	size_t n = dot ? (size_t)(dot - from) : strlen(from);

	return strcmp(input, assembly) == 0
	       || (strncmp(made, from, n) == 0 && (made[n] == '-' || made[n] == '.'));
}

/* isnamed - whether a path ends with a name. */
static bool
isnamed(const char *path, const char *name)
{
	size_t l = strlen(name), m = strlen(path);

	return m >= l && strcmp(path + m - l, name) == 0 && (m == l || path[m - l - 1] == '/');
}

/* single - the only job, or the only one with that source; NULL if there is no such. */
static Job *
single(Job **v, int n, const char *source)
{
	Job *found = NULL;
	int i, named = 0;

	if (n == 1)
		return v[0];
	for (i = 0; i < n; i++)
		if (source && isnamed(source, v[i]->input)) {
			found = v[i];
			named++;
		}
	return named == 1 ? found : NULL;
}

/* jobof - the job that makes the assembly at hand or, with `plain', its object; NULL if that is in
 * doubt. */
static Job *
jobof(Job *v, int n, bool plain, const char *source, const char *assembly, Arena *run)
{
	Job **may = anew(run, Job *, n + 1);
	int i, k, nmay = 0;

	for (i = 0; i < n; i++) {
		Job *j = &v[i];
		const char *from = j->input;

		if (plain ? !(calls(j, "-cc1as") || (calls(j, "-cc1") && hasword(j, "-emit-obj")))
			  : !(calls(j, "-cc1") && hasword(j, "-S")))
			continue;
		for (k = 0; k < i; k++) /* the output of an earlier step is named after its input */
			if (v[k].output && strcmp(v[k].output, from) == 0)
				from = v[k].input;
		if (!assembly || ismade(from, assembly))
			may[nmay++] = j;
	}
	return single(may, nmay, source);
}

/* target - also of an assembly that has no job because it is the user's own. */
const char *
target(Clang *c)
{
	Job *v;
	int i, n;

	if (!c->job)
		c->job = askjobs(c, false, &c->njob);
	for (i = 0; i < c->njob; i++)
		if (c->job[i].triple)
			return c->job[i].triple;
	v = askjobs(c, true, &n);
	for (i = 0; i < n; i++)
		if (v[i].triple)
			return v[i].triple;
	return NULL;
}

/* repeatable - whether a job can be done twice: it reads no pipe and the like. */
static bool
repeatable(const Job *j)
{
	int i;

	if (!rereadable(j->input))
		return false;
	for (i = 1; i < j->argv.n; i++) {
		const char *value = strchr(j->argv.v[i], '=');

		if (strcmp(j->argv.v[i], "-o") == 0
		    || strcmp(j->argv.v[i], "-dependency-file") == 0)
			i++;
		else if (!lasting(j->argv.v[i]) || (value && !lasting(value + 1)))
			return false;
	}
	return true;
}

static bool
begins(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (strncmp(s, *list, strlen(*list)) == 0)
			return true;
	return false;
}

/* derive - the command of a clang -cc1 job without its output, input, the input's kind and all
 * files that it writes besides; if `expanded', without inclusions, too. */
static Argv
derive(const Job *j, bool expanded, Arena *run)
{
	static const char *const pair[] = {"-o",
					   "-x",
					   "-dependency-file",
					   "-dependency-dot",
					   "-MT",
					   "-module-dependency-dir",
					   "-header-include-file",
					   "-serialize-diagnostic-file",
					   "-diagnostic-log-file",
					   "-split-dwarf-output",
					   "-opt-record-file",
					   "-opt-record-passes",
					   "-opt-record-format",
					   "-coverage-notes-file",
					   "-stack-usage-file",
					   NULL};
	static const char *const inclusion[] = {"-include", "-imacros", NULL};
	static const char *const flag[] = {"-S",
					   "-H",
					   "-v",
					   "-MP",
					   "-MG",
					   "-sys-header-deps",
					   "-module-file-deps",
					   "-ftest-coverage",
					   "-femit-coverage-notes",
					   "-print-stats",
					   "-fdump-record-layouts",
					   "-fdump-record-layouts-simple",
					   "-fdump-vtable-layouts",
					   NULL};
	static const char *const prefix[] = {
		"-stats-file=",          "-ftime-",           "-save-temps", "-Rpass",
		"-coverage-notes-file=", "-header-include-f", NULL};
	Argv to = {.arena = run};
	int i;

	for (i = 0; i < j->argv.n - 1; i++) {
		char *a = j->argv.v[i];

		if (isamong(a, pair) || (expanded && isamong(a, inclusion)))
			i++;
		else if (!isamong(a, flag) && !begins(a, prefix))
			argput(&to, a);
	}
	return to;
}

/* sourceof - the job that made an assembly from C, and the preprocessed text; NULL, and perhaps
 * why. */
static Job *
sourceof(Clang *c, const char *source, const char *assembly, Buf *text, const char **why)
{
	Buf words = {.arena = c->run};
	Argv e;
	Job *j;
	int i;

	if (!c->job)
		c->job = askjobs(c, false, &c->njob);
	j = jobof(c->job, c->njob, false, source, assembly, c->run);
	if (!j) {
		for (i = 0; i < c->njob; i++)
			if (c->job[i].kind && strcmp(c->job[i].kind, "c") == 0)
				*why = "clang does not say how it compiles it";
		return NULL;
	}
	if (!j->kind || (strcmp(j->kind, "c") != 0 && strcmp(j->kind, "cpp-output") != 0))
		return NULL;
	*why = "its source can be read only once";
	if (!repeatable(j))
		return NULL;
	e = derive(j, false, c->run);
	argsplit(&e, "-E -w -o - -x c", " ");
	argput(&e, j->input);
	*why = "it cannot be preprocessed again";
	if (runfor(e.v, NULL, 0, text, &words) != 0)
		return NULL;
	*why = "what it includes can be read only once";
	if (!includesfiles(text))
		return NULL;
	*why = NULL;
	return j;
}

char *
recompile(Clang *c, const char *source, const char *assembly, size_t *len, const char **why)
{
	Buf text = {.arena = c->run}, marks = {.arena = c->run}, to = {.arena = c->run};
	char *dir, *code = NULL;
	Job *j = sourceof(c, source, assembly, &text, why);
	Argv again;
	bool said;

	if (!j)
		return NULL;
	*why = marksource(c->settings, j->input, text.s, text.n, j->std, &marks);
	if (*why)
		return NULL;
	dir = tempdir("", c->run);
	if (!dir) {
		*why = "no directory for temporary files";
		return NULL;
	}
	bprintf(&to, "%s/a.s",
		dir); /* clang may write more files beside it */
	again = derive(j, true, c->run);
	argsplit(&again, "-S -w -x cpp-output -o", " ");
	argput(&again, to.s);
	argput(&again, "-");
	if (runwith(again.v, marks.s, marks.n, &said) == 0)
		code = readfile(c->run, to.s, len);
	else
		*why = "the compiler rejects it with markers";
	endtemp(dir);
	return code;
}

void
reshape(Clang *c, const char *source, const char *assembly, Buf *out)
{
	Buf text = {.arena = c->run};
	const char *why = NULL;
	Job *j = sourceof(c, source, assembly, &text, &why);

	if (j)
		shapesource(j->input, text.s, text.n, j->std, out);
}

/* move - a file, also to another file system. */
static void
move(const char *from, const char *to, Arena *run)
{
	struct stat st;
	Newfile f;
	size_t len;
	char *s;

	if (stat(from, &st) != 0 || !S_ISREG(st.st_mode) || rename(from, to) == 0)
		return;
	s = readfile(run, from, &len);
	fwrite(s, 1, len, newfile(&f, to, run));
	endfile(&f);
	unlink(from);
}

/* beside - the path with another suffix. */
static char *
beside(const char *path, const char *suffix, Arena *run)
{
	const char *name = basename(path), *dot = strrchr(name, '.');
	Buf b = {.arena = run};

	bprintf(&b, "%.*s%s", (int)(dot ? dot - path : (long)strlen(path)), path, suffix);
	return b.s;
}

/* in - a name in the directory of a path. */
static char *
in(const char *path, const char *name, Arena *run)
{
	Buf b = {.arena = run};

	bprintf(&b, "%.*s%s", (int)(basename(path) - path), path, name);
	return b.s;
}

void
bringhome(Clang *c, const char *source, const char *assembly, const char *output)
{
	size_t n = assembly ? (size_t)(basename(assembly) - assembly) : 0;
	Job *j = jobof(c->job, c->njob, false, source, assembly, c->run);
	const char *file;
	int i;

	/* Temporary files have absolute paths; those of -save-temps do not. */
	for (i = 1; j && n && assembly[0] == '/' && i < j->argv.n; i++) {
		file = j->argv.v[i] + 12;
		if (strcmp(j->argv.v[i], "-ftime-trace") == 0)
			move(beside(assembly, ".json", c->run), beside(output, ".json", c->run),
			     c->run);
		else if (strncmp(j->argv.v[i], "-stats-file=", 12) == 0
			 && strncmp(file, assembly, n) == 0 && !strchr(file + n, '/'))
			move(file, in(output, file + n, c->run), c->run);
	}
}

/* assemble - with clang's own assembler: a text whose job is unknown or cannot be repeated. */
static int
assemble(Clang *c, const Job *j, char *output, char *input)
{
	static const char *const pair[] = {"-triple",     "-target-cpu",        "-target-feature",
					   "-target-abi", "-mrelocation-model", NULL};
	Argv a = {.arena = c->run};
	int i;

	argput(&a, j->argv.v[0]);
	argput(&a, "-cc1as");
	for (i = 2; i < j->argv.n - 1; i++)
		if (isamong(j->argv.v[i], pair)) {
			argput(&a, j->argv.v[i]);
			argput(&a, j->argv.v[++i]);
		}
	argsplit(&a, "-filetype obj -o", " ");
	argput(&a, output);
	argput(&a, input);
	return runwith(a.v, NULL, 0, NULL);
}

/* assemblerof - the job whose input is the assembly, if the user asked for an external assembler;
 * else NULL. */
static Job *
assemblerof(Job *v, int n, const char *source, const char *assembly, Arena *run)
{
	Job *compiles = jobof(v, n, false, source, assembly, run);
	const char *input = compiles ? compiles->output : assembly;
	int i;

	for (i = 0; i < n && input; i++)
		if (!calls(&v[i], "-cc1") && !calls(&v[i], "-cc1as") && v[i].output
		    && strcmp(v[i].input, input) == 0)
			return &v[i];
	return NULL;
}

int
plainly(Clang *c, const char *source, char *assembly, char *output)
{
	Buf words = {.arena = c->run}, out = {.arena = c->run};
	int n, i, status;
	Job *v = askjobs(c, true, &n), *j = jobof(v, n, true, source, assembly, c->run);

	if (!j)
		j = assemblerof(v, n, source, assembly, c->run);
	for (i = 0; !j && i < n; i++)
		if (v[i].triple)
			return assemble(c, &v[i], output, assembly);
	if (!j)
		return -1;
	if (!calls(j, "-cc1"))
		j->argv.v[j->argv.n - 1] = assembly;
	else if (!repeatable(j))
		return assemble(c, j, output, assembly);
	for (i = 1; i < j->argv.n - 1; i++)
		if (strcmp(j->argv.v[i], "-o") == 0)
			j->argv.v[i + 1] = output;
	status = runplainly(c, j->argv.v, &out, &words);
	if (status != 0 || !calls(j, "-cc1")) /* otherwise clang has already shown it */
		fwrite(words.s, 1, words.n, stderr);
	return status;
}
