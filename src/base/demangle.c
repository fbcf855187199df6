/* demangle.c - symbols of C++, Rust and D as their sources spell them.
 *
 * Names may come from untrusted files, and for some the library takes twice the time, or makes
 * twice the text, with every few characters more.  So it works in a child process, which has little
 * time for each name and may die of it; then the name stays as it is. */

#include "base.h"

#include <fcntl.h>
#include <libiberty/demangle.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LONGEST = 4096,    /* length of a symbol; for C++ the library takes a quarter of that */
	LONGTEXT = 16384,  /* and of its name in the source: in libLLVM up to 3918 */
	TIME = 100 * 1000, /* CPU time for one name, in microseconds: a tenth would do */
	DEATHS = 10,       /* after so many, the remaining names stay as they are */
	/* Without return types of templates, so that each text begins with the function's name. */
	STYLE = DMGL_AUTO | DMGL_DLANG | DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP,
};

static bool
mangled(const char *s)
{
	return s[0] == '_' && strchr("ZRD", s[1]) && s[1] && strlen(s) <= LONGEST;
}

/* answer - in the child: write each name as its source spells it, or nothing, and a NUL. */
static _Noreturn void
answer(char **const *name, int n, int fd)
{
	const struct itimerval limit = {.it_value.tv_usec = TIME};
	int i;

	signal(SIGPROF, SIG_DFL);
	for (i = 0; i < n; i++) {
		const char *text;
		char *s;

		setitimer(ITIMER_PROF, &limit, NULL);
		s = cplus_demangle(*name[i], STYLE);
		text = s && strlen(s) <= LONGTEXT ? s : "";
		if (write(fd, text, strlen(text) + 1) < 0)
			break;
		free(s);
	}
	_exit(0);
}

/* ask - have a child demangle n names; returns how many it answered before it died. */
static int
ask(char **const *name, int n, Arena *run)
{
	char *s = NULL;
	size_t cap = 0;
	ssize_t len;
	int fd[2], i = 0;
	pid_t pid;
	FILE *f;

	if (pipe2(fd, O_CLOEXEC) != 0)
		syserr("pipe");
	pid = fork();
	if (pid == 0)
		answer(name, n, fd[1]);
	close(fd[1]);
	f = fdopen(fd[0], "r");
	if (pid < 0 || !f)
		syserr("fork");
	for (; i < n && (len = getdelim(&s, &cap, 0, f)) > 0 && !s[len - 1]; i++)
		if (len > 1)
			*name[i] = astrndup(run, s, (size_t)len - 1);
	free(s);
	fclose(f);
	waitpid(pid, NULL, 0);
	return i;
}

/* plain - a name without the suffix that clang's dataflow sanitizer adds. */
static char *
plain(char *name, Arena *run)
{
	size_t n = strlen(name), more = strlen(".dfsan");

	return n > more && strcmp(name + n - more, ".dfsan") == 0 ? astrndup(run, name, n - more)
								   : name;
}

void
demangle(char **name, int n, Arena *run)
{
	char ***odd = anew(run, char **, n);
	int i, nodd = 0, done = 0, deaths;

	for (i = 0; i < n; i++) {
		name[i] = plain(name[i], run);
		if (mangled(name[i]))
			odd[nodd++] = &name[i];
	}
	for (deaths = 0; done < nodd && deaths < DEATHS; deaths++)
		done += ask(odd + done, nodd - done, run) + 1; /* skip the name that it died of */
}

bool
isthunk(const char *symbol)
{
	return strncmp(symbol, "_ZT", 3) == 0 && symbol[3] && strchr("hvc", symbol[3]);
}
