/* proc.c - other programs. */

#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* feed - write all of input, unless the reader goes away. */
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

/* runwith - run a program with input on its standard input (NULL: ours).  If said is not
 * NULL its words on standard error are not shown, but said becomes true if there are
 * any.  Returns its wait status, or -1 with errno if it cannot be started. */
int
runwith(char *const *argv, const char *input, size_t len, bool *said)
{
	posix_spawn_file_actions_t act;
	void (*old)(int);
	int fd[2] = {-1, -1}, status = -1, words = -1, e;
	pid_t pid;

	if (input && pipe2(fd, O_CLOEXEC) != 0)
		syserr("pipe");
	posix_spawn_file_actions_init(&act);
	if (input)
		posix_spawn_file_actions_adddup2(&act, fd[0], 0);
	if (said && (words = memfd_create("words", MFD_CLOEXEC)) < 0)
		syserr("memfd_create");
	if (said)
		posix_spawn_file_actions_adddup2(&act, words, 2);
	e = posix_spawnp(&pid, argv[0], &act, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&act);
	if (input) {
		close(fd[0]);
		if (e == 0) {
			old = signal(SIGPIPE, SIG_IGN);
			feed(fd[1], input, len);
			signal(SIGPIPE, old);
		}
		close(fd[1]);
	}
	while (e == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (said) {
		*said = lseek(words, 0, SEEK_END) > 0;
		close(words);
	}
	errno = e;
	return e ? -1 : status;
}

/* capture - what a program prints; dies if it cannot be started or fails. */
char *
capture(char *const *argv, Arena *a)
{
	posix_spawn_file_actions_t act;
	Buf out = {.arena = a};
	char buf[4096];
	int fd[2], e, status = -1;
	ssize_t n;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) != 0)
		syserr("pipe");
	posix_spawn_file_actions_init(&act);
	posix_spawn_file_actions_adddup2(&act, fd[1], 1);
	e = posix_spawnp(&pid, argv[0], &act, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&act);
	close(fd[1]);
	errno = e;
	if (e != 0)
		syserr("%s", argv[0]);
	bput(&out, "", 0);
	while ((n = read(fd[0], buf, sizeof buf)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			bput(&out, buf, (size_t)n);
	close(fd[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		err(argv[0], "failed with status %d", status);
	return out.s;
}
