#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
/* step N PROGRAM: let SIGTERM come N instructions after it traps. */
int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[1]) : 0, status;
	pid_t pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[2], argv + 2);
		_exit(9);
	}
	waitpid(pid, &status, 0); /* exec */
	ptrace(PTRACE_CONT, pid, 0, 0);
	waitpid(pid, &status, 0); /* trap */
	for (; n > 0 && WIFSTOPPED(status); n--) {
		ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
		waitpid(pid, &status, 0);
	}
	ptrace(PTRACE_DETACH, pid, 0, SIGTERM);
	waitpid(pid, &status, 0);
	return !WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM;
}
