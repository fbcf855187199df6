/* term.c - terminals: progress, and a pager. */

#include "base.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 1000, EVERY = 100 }; /* milliseconds */

static bool shown; /* a line of progress is shown */

/* now - monotonic time in milliseconds. */
static int64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void
progress(const char *what, int done, int of)
{
	static int64_t begun, last;
	static const char *before;
	int64_t t = now();

	if (what != before) {
		before = what;
		begun = last = t;
	}
	if (t - begun < PATIENCE || t - last < EVERY || !isatty(STDERR_FILENO))
		return;
	last = t;
	shown = true;
	fprintf(stderr, "\r%s: %d of %d\033[K", what, done, of);
}

void
progressed(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}

extern char **environ;

static pid_t pager; /* 0 if there is none */
static bool words;  /* standard error goes there, too */

/* pagername - the user's choice, or less; NULL for none. */
static const char *
pagername(void)
{
	const char *name = getenv("TALLY_PAGER");

	if (!name)
		name = getenv("PAGER");
	if (!name)
		name = "less";
	return *name && strcmp(name, "cat") != 0 ? name : NULL;
}

/* startpager - in case the pager is missing, the shell checks first and falls back to cat:
 * otherwise the output would be lost. */
void
startpager(void)
{
	const char *name = isatty(STDOUT_FILENO) ? pagername() : NULL;
	char *argv[] = {"sh", "-c", NULL, NULL};
	posix_spawn_file_actions_t act;
	Arena tmp = {0};
	Buf command = {.arena = &tmp};
	int fd[2];

	if (!name || pager)
		return;
	bprintf(&command, "command -v %.*s >/dev/null || exec cat; exec %s",
		(int)strcspn(name, " \t;&|"), name, name);
	argv[2] = command.s;
	if (pipe2(fd, O_CLOEXEC) != 0)
		return;
	setenv("LESS", "FRX", 0);
	fflush(stdout);
	posix_spawn_file_actions_init(&act);
	posix_spawn_file_actions_adddup2(&act, fd[0], STDIN_FILENO);
	if (posix_spawnp(&pager, argv[0], &act, NULL, argv, environ) != 0) {
		pager = 0;
	} else {
		dup2(fd[1], STDOUT_FILENO);
		words = isatty(STDERR_FILENO);
		if (words)
			dup2(fd[1], STDERR_FILENO);
		atexit(endpager);
	}
	posix_spawn_file_actions_destroy(&act);
	close(fd[0]);
	close(fd[1]);
	areset(&tmp);
}

void
endpager(void)
{
	int status;

	if (!pager)
		return;
	fflush(stdout);
	close(STDOUT_FILENO);
	if (words)
		close(STDERR_FILENO);
	while (waitpid(pager, &status, 0) < 0)
		;
	pager = 0;
}
