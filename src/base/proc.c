/* proc.c - other programs. */

#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* feed - write all of input, unless the reader is gone. */
static void
feed(int fd, const char *input, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, input, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		input += n;
		len -= (size_t)n;
	}
}

/* start - a program with in, out and words as its standard input, output and error, unless they are
 * -1; returns 0 or an errno. */
static int
start(char *const *argv, int in, int out, int words, pid_t *pid)
{
	posix_spawn_file_actions_t act;
	int e;

	posix_spawn_file_actions_init(&act);
	if (in >= 0)
		posix_spawn_file_actions_adddup2(&act, in, 0);
	if (out >= 0)
		posix_spawn_file_actions_adddup2(&act, out, 1);
	if (words >= 0)
		posix_spawn_file_actions_adddup2(&act, words, 2);
	e = posix_spawnp(pid, argv[0], &act, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&act);
	return e;
}

/* memory - a file without a name, in memory. */
static int
memory(void)
{
	int fd = memfd_create("tally", MFD_CLOEXEC);

	if (fd < 0)
		syserr("memfd_create");
	return fd;
}

/* await - wait for the end of a program; returns its wait status. */
static int
await(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* drain - append the contents of such a file, and close it. */
static void
drain(int fd, Buf *to)
{
	char buf[1 << 16];
	ssize_t n;

	bput(to, "", 0);
	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, buf, sizeof buf)) > 0)
		bput(to, buf, (size_t)n);
	close(fd);
}

/* runfor - run a program with input on its standard input, or ours if input is NULL.  Its standard
 * output goes to out and its standard error to words, unless these are NULL.  Returns its wait
 * status, or -1 with errno if it cannot be started. */
int
runfor(char *const *argv, const char *input, size_t len, Buf *out, Buf *words)
{
	int fd[2] = {-1, -1}, status = -1, e;
	int said = words ? memory() : -1, printed = out ? memory() : -1;
	void (*old)(int);
	pid_t pid;

	if (input && pipe2(fd, O_CLOEXEC) != 0)
		syserr("pipe");
	e = start(argv, fd[0], printed, said, &pid);
	if (input) {
		close(fd[0]);
		if (e == 0) {
			old = signal(SIGPIPE, SIG_IGN);
			feed(fd[1], input, len);
			signal(SIGPIPE, old);
		}
		close(fd[1]);
	}
	if (e == 0)
		status = await(pid);
	if (words)
		drain(said, words);
	if (out)
		drain(printed, out);
	errno = e;
	return e ? -1 : status;
}

/* runinto - the same, but of standard error tell only whether there was any, and do not show it; if
 * said is NULL, show it. */
int
runinto(char *const *argv, const char *input, size_t len, Buf *out, bool *said)
{
	Arena tmp = {0};
	Buf words = {.arena = &tmp};
	int status = runfor(argv, input, len, out, said ? &words : NULL), e = errno;

	if (said)
		*said = words.n > 0;
	areset(&tmp);
	errno = e;
	return status;
}

int
runwith(char *const *argv, const char *input, size_t len, bool *said)
{
	return runinto(argv, input, len, NULL, said);
}

/* failed - report how a program ended. */
static _Noreturn void
failed(const char *name, int status)
{
	const char *sig = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;

	if (!WIFSIGNALED(status))
		err(name, "ended with status %d", WEXITSTATUS(status));
	if (!sig)
		err(name, "was killed by signal %d", WTERMSIG(status));
	err(name, "was killed by SIG%s", sig);
}

/* capture - a program's standard output; dies if it cannot be started or fails. */
char *
capture(char *const *argv, size_t *len, Arena *a)
{
	Buf out = {.arena = a};
	int status = runinto(argv, NULL, 0, &out, NULL);

	if (status < 0)
		syserr("%s", argv[0]);
	if (status != 0)
		failed(argv[0], status);
	if (len)
		*len = out.n;
	return out.s;
}

int
endas(int status)
{
	static const struct rlimit none;

	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	setrlimit(RLIMIT_CORE, &none); /* the program dumped core, we need not */
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}
