/* gcc.c - what the stand-ins ask of the gcc that called them.
 *
 * gcc passes its name and its options in the environment, and prints what it would call. */

#include "standin.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
calledbygcc(void)
{
	return getenv("COLLECT_GCC_OPTIONS") != NULL;
}

char *
gccoptions(Arena *run, size_t *len)
{
	const char *opts = getenv("COLLECT_GCC_OPTIONS"); /* 'a' 'b' 'it'\''s' */
	bool quoted = false;
	size_t i, n = 0;
	char *s;

	*len = 0;
	if (!opts)
		return NULL;
	s = anew(run, char, strlen(opts) + 1);
	for (i = 0; opts[i]; i++) {
		if (opts[i] == '\'')
			quoted = !quoted;
		else if (opts[i] == '\\' && opts[i + 1] && !quoted)
			s[n++] = opts[++i];
		else
			s[n++] = opts[i] == ' ' && !quoted ? 0 : opts[i];
	}
	*len = n;
	return s;
}

/* askgcc - the answer of gcc to an option, in the user's own COMPILER_PATH; NULL if it fails. */
static char *
askgcc(const Settings *s, const char *option, const char *value, Arena *run)
{
	Buf word = {.arena = run}, out = {.arena = run}, words = {.arena = run};
	char *ask[] = {getenv("COLLECT_GCC"), NULL, NULL}, parent[4096];
	ssize_t n;

	bprintf(&word, "/proc/%ld/exe", (long)getppid());
	n = readlink(word.s, parent, sizeof parent - 1);
	parent[n < 0 ? 0 : n] = 0;
	if (!ask[0]) /* the environment was cleared, or the caller is not gcc */
		ask[0] = n > 0 && strstr(parent, "gcc") ? parent : "gcc";
	word.n = 0;
	bprintf(&word, "%s%s", option, value);
	ask[1] = word.s;
	putvar("COMPILER_PATH", s->old[COMPILERPATH]); /* or it would name us */
	if (runfor(ask, NULL, 0, &out, &words) != 0)
		return NULL;
	out.s[strcspn(out.s, "\n")] = 0;
	return out.s;
}

char *
gccpart(const Settings *s, const char *name, Arena *run)
{
	char *path = askgcc(s, "-print-prog-name=", name, run);

	if (!path || !strchr(path, '/') || access(path, F_OK) != 0 || isourselves(path))
		return realtool(s, name, run);
	return path;
}

char *
gccmachine(const Settings *s, Arena *run)
{
	return askgcc(s, "-dumpmachine", "", run);
}

/* shellwords - the words of a line of gcc -###, in which only some are quoted. */
static void
shellwords(Argv *to, const char *s)
{
	while (*s == ' ')
		s++;
	while (*s && *s != '\n') {
		Buf b = {.arena = to->arena};
		bool quoted = *s == '"';

		bput(&b, "", 0);
		for (s += quoted; *s && (quoted ? *s != '"' : *s != ' ' && *s != '\n'); s++) {
			if (*s == '\\' && s[1])
				s++;
			bput(&b, s, 1);
		}
		s += quoted && *s == '"';
		argput(to, b.s);
		while (*s == ' ')
			s++;
	}
}

static bool
begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

Argv
otheras(Arena *run)
{
	Argv ask = {.arena = run}, as = {.arena = run};
	Buf words = {.arena = run}, out = {.arena = run};
	const char *gcc = getenv("COLLECT_GCC"), *line;
	size_t len, i;
	char *opts = gccoptions(run, &len);
	bool odd = false;

	argput(&ask, gcc ? gcc : "gcc");
	for (i = 0; i < len; i += strlen(opts + i) + 1) {
		odd |= begins(opts + i, "-B") || begins(opts + i, "-specs")
		       || begins(opts + i, "--specs");
		argput(&ask, opts + i);
	}
	argsplit(&ask, "-### -x assembler /dev/null", " ");
	if (!odd || runfor(ask.v, NULL, 0, &out, &words) != 0)
		return as;
	line = strstr(words.s, "\n ");
	if (line)
		shellwords(&as, line + 1);
	if (as.n < 2 || access(as.v[0], F_OK) != 0 || isourselves(as.v[0]))
		as.n = 0;
	return as;
}
