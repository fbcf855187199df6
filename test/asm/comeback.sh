# comeback.sh - calls that return by way of the runtime return to where they were called: whatever handlers of signals do
# meanwhile, and if the profile is gone.
cat >daemon.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int
main(void)
{
	int fd = open("said", O_CREAT | O_WRONLY | O_TRUNC, 0666);

	if (rename("tally.out", "elsewhere") != 0 || daemon(1, 1) != 0)
		return 1;
	return write(fd, "daemon\n", 7) != 7;
}
C
tally build --quiet gcc -O1 -w daemon.c -o daemon || exit 1
mkdir -p tally.out
timeout -k 5 20 ./daemon || { echo "daemon: status $?"; exit 1; }
for _ in $(seq 100); do
	[ -s said ] && break
	sleep 0.05
done
[ -s said ] || { echo 'a daemon that can make no profile does not go on'; exit 1; }

# A handler runs a program that is not there, by vfork, while main looks for one that is not there, either.
cat >exec.c <<'C'
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int n;

static void
handler(int sig)
{
	int was = errno;

	(void)sig;
	if (vfork() == 0) {
		execl("/nonexistent/x", "x", (char *)0);
		_exit(0);
	}
	n++;
	errno = was;
}

int
main(void)
{
	struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	char *argv[] = {"nonexistent-x", NULL};
	int i, status;

	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 2000 || n < 50; i++) {
		execvp(argv[0], argv);
		while (waitpid(-1, &status, WNOHANG) > 0)
			;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	while (wait(&status) > 0)
		;
	puts("done");
	return 0;
}
C
tally build --quiet gcc -O1 -w exec.c -o exec || exit 1
[ "$(timeout -k 5 60 ./exec)" = 'done' ] || { echo 'exec fails, and returns elsewhere'; exit 1; }

# A handler forks in the middle of fork, which returns by way of the runtime where the C library is musl.
command -v musl-gcc >/dev/null || exit 0
sed 's/if (vfork() == 0) {/if (fork() == 0) {/; /execl(/d; s/execvp(argv\[0\], argv);/if (fork() == 0) _exit(0);/' exec.c >fork.c
tally build --quiet musl-gcc -O1 -w fork.c -o fork || exit 1
[ "$(timeout -k 5 60 ./fork)" = 'done' ] || { echo 'fork returns elsewhere'; exit 1; }
exit 0
