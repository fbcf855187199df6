/* settings.c - how tally build passes its settings to the stand-ins: each in a variable of the
 * environment.
 *
 * The names and encodings are here and nowhere else.  A setting that has its default value has no
 * variable. */

#include "standin.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const linesname[] = {[SOURCE] = "source", [TABLES] = "tables", NULL};
const char *const roadname[] = {[ASM] = "asm", [INTEXT] = "c", NULL};

/* How a value is written: as 1 for true; as it is; as words separated by newlines; or as a name. */
typedef enum Form { FLAG, TEXT, LIST, COUNTERS, LINESFROM, ROAD } Form;

#define S(member) offsetof(Settings, member)

static const struct {
	const char *name;
	size_t at;
	Form form;
	bool stamped; /* objects depend on it */
} variable[] = {
	{"TALLY_COUNTERS", S(counters), COUNTERS, true},
	{"TALLY_CALLS", S(calls), FLAG, true},
	{"TALLY_ONLY", S(only), LIST, true},
	{"TALLY_SKIP", S(skip), LIST, true},
	{"TALLY_WITHOUT", S(without), LIST, true},
	{"TALLY_LINES", S(lines), LINESFROM, true},
	{"TALLY_ROAD", S(road), ROAD, true},
	{"TALLY_BRANCHES", S(branches), FLAG, true},
	{"TALLY_FLAT", S(flat), FLAG, true},
	{"TALLY_BARE", S(bare), FLAG, true},
	{"TALLY_ORDER", S(order), FLAG, true},
	{"TALLY_BUILD_DIR", S(dir), TEXT, true},
	{"TALLY_WEIGHTS", S(weights), TEXT, false}, /* depend on what is in it */
	{"TALLY_LOG", S(log), TEXT, false},
	{"TALLY_FOLDER", S(folder), TEXT, false},
	{"TALLY_OLD_COMPILER_PATH", S(old[COMPILERPATH]), TEXT, false},
	{"TALLY_OLD_OVERRIDE", S(old[OVERRIDE]), TEXT, false},
	{"TALLY_OLD_PASCAL", S(old[PASCALPATH]), TEXT, false},
};
enum { NVARIABLE = sizeof variable / sizeof *variable };

const char *
countersname(int counters)
{
	return counters == CHECK ? "check" : counters < NSCHEME ? schemename[counters] : NULL;
}

int
countersof(const char *name)
{
	int i;

	if (strcmp(name, "optimal") == 0)
		return EDGES;
	for (i = 0; countersname(i) && strcmp(countersname(i), name) != 0; i++)
		;
	return i;
}

/* encode - the value of a variable; NULL for the default. */
static const char *
encode(const Settings *s, int k, Arena *run)
{
	const void *from = (const char *)s + variable[k].at;
	const Argv *list = from;
	Buf b = {.arena = run};
	int i;

	switch (variable[k].form) {
	case FLAG: return *(const bool *)from ? "1" : NULL;
	case TEXT: return *(const char *const *)from;
	case LIST:
		for (i = 0; i < list->n; i++)
			bprintf(&b, "%s%s", i ? "\n" : "", list->v[i]);
		return b.s;
	case COUNTERS: return countersname(*(const int *)from);
	case LINESFROM: return linesname[*(const int *)from];
	case ROAD: return roadname[*(const int *)from];
	}
	return NULL;
}

/* wordof - the index of a word in a list that ends with NULL; 0 if it is not there. */
static int
wordof(const char *const *word, const char *s)
{
	int i;

	for (i = 0; word[i]; i++)
		if (strcmp(word[i], s) == 0)
			return i;
	return 0;
}

/* decode - the reverse of encode(). */
static void
decode(Settings *s, int k, const char *value, Arena *run)
{
	void *to = (char *)s + variable[k].at;
	int counters;

	switch (variable[k].form) {
	case FLAG: *(bool *)to = true; break;
	case TEXT: *(char **)to = astrndup(run, value, strlen(value)); break;
	case LIST:
		*(Argv *)to = (Argv){.arena = run};
		argsplit(to, value, "\n");
		break;
	case COUNTERS:
		counters = countersof(value);
		*(int *)to = countersname(counters) ? counters : EDGES;
		break;
	case LINESFROM: *(int *)to = wordof(linesname, value); break;
	case ROAD: *(int *)to = wordof(roadname, value); break;
	}
}

Settings
getsettings(Arena *run)
{
	Settings s = {.counters = EDGES};
	int k;

	for (k = 0; k < NVARIABLE; k++) {
		const char *value = getenv(variable[k].name);

		if (value)
			decode(&s, k, value, run);
	}
	return s;
}

void
putsettings(const Settings *s, Arena *run)
{
	int k;

	for (k = 0; k < NVARIABLE; k++)
		putvar(variable[k].name, encode(s, k, run));
}

void
putvar(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

uint64_t
stampsettings(const Settings *s, const char *self, Arena *run)
{
	uint64_t h = hashbytes(HASHBEGIN, VERSION, sizeof VERSION);
	struct stat st;
	size_t len;
	int k;

	if (stat(self, &st) != 0)
		syserr("stat %s", self);
	h = hashbytes(h, self, strlen(self));
	h = hashbytes(h, &st.st_size, sizeof st.st_size);
	h = hashbytes(h, &st.st_mtim, sizeof st.st_mtim);
	for (k = 0; k < NVARIABLE; k++) {
		const char *value = variable[k].stamped ? encode(s, k, run) : NULL;

		if (!value)
			continue;
		h = hashbytes(h, variable[k].name, strlen(variable[k].name) + 1);
		h = hashbytes(h, value, strlen(value) + 1);
	}
	if (s->weights) {
		const char *data = readfile(run, s->weights, &len);

		h = hashbytes(h, data, len);
	}
	return h;
}

/* recover - if something has cleared the environment: take our part of it from the nearest process
 * above us that has it in /proc, where it is as it was when that process began.  How far above; 0
 * if none has it. */
static int
recover(Arena *run)
{
	long pid = getppid();
	int depth;

	for (depth = 1; pid > 1 && depth < 64; depth++) {
		Buf env = {.arena = run}, stat = {.arena = run};
		char *s, *field, *end;
		bool ours = false;
		size_t len;

		bprintf(&env, "/proc/%ld/environ", pid);
		bprintf(&stat, "/proc/%ld/stat", pid);
		if (access(env.s, R_OK) != 0 || access(stat.s, R_OK) != 0)
			return 0;
		s = readfile(run, env.s, &len);
		for (end = s + len; s < end; s += strlen(s) + 1)
			ours |= strncmp(s, "TALLY_BUILD_DIR=", 16) == 0;
		for (s = end - len; ours && s < end; s += strlen(s) + 1) {
			char *eq = strchr(s, '=');

			if (!eq
			    || (strncmp(s, "TALLY_", 6) != 0 && strncmp(s, "PATH=", 5) != 0
				&& strncmp(s, "TMPDIR=", 7) != 0))
				continue;
			*eq = 0;
			setenv(s, eq + 1, 0);
		}
		if (ours)
			return depth;
		s = readfile(run, stat.s, &len);
		field = strrchr(s,
				')'); /* "pid (name) state ppid"; the name may contain anything */
		pid = field && strlen(field) > 4 ? strtol(field + 4, NULL, 10) : 0;
	}
	return 0;
}

int
inbuild(Settings *s, Arena *run)
{
	int depth = getenv("TALLY_BUILD_DIR") ? 0 : recover(run);

	*s = getsettings(run);
	return s->dir ? depth : -1;
}
