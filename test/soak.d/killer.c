/* killer.c - run a program and send it signals.
 *
 * usage: killer FILE USEC SIGNAL[,SIGNAL...] PROGRAM ARGUMENTS...
 *
 * If FILE is not -, first wait until its numbers grow: the program computes.  The first
 * signal comes after USEC, the others right behind it, each for a thread of the program.
 * Status: 0 if one of them ended it, 1 if it ended by itself: a signal for a thread that ends
 * is lost. */

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void
nap(long usec)
{
	struct timespec t = {usec / 1000000, usec % 1000000 * 1000};

	nanosleep(&t, NULL);
}

static uint64_t
sum(const volatile uint64_t *word)
{
	uint64_t s = 0;
	int i;

	for (i = 0; i < 8; i++)
		s += word[i];
	return s;
}

/* threadof - the process's thread of that number, counted round. */
static pid_t
threadof(pid_t pid, long number)
{
	char path[64];
	pid_t tid[64];
	struct dirent *e;
	int n = 0;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	d = opendir(path);
	while (d && n < 64 && (e = readdir(d)))
		if (e->d_name[0] != '.')
			tid[n++] = atoi(e->d_name);
	if (d)
		closedir(d);
	return n ? tid[number % n] : pid;
}

int
main(int argc, char **argv)
{
	int fd = argc > 4 ? open(argv[1], O_RDWR) : -1, status, i, asked = 0;
	const volatile uint64_t *word = NULL;
	uint64_t before = 0;
	long usec;
	pid_t pid;
	char *sig;

	if (argc < 5)
		return 3;
	if (fd >= 0) {
		word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		before = sum(word);
	}
	usec = atol(argv[2]);
	pid = fork();
	if (pid == 0) {
		execv(argv[4], argv + 4);
		_exit(3);
	}
	for (i = 0; word && sum(word) == before && i < 100000; i++)
		nap(100);
	nap(usec);
	for (sig = strtok(argv[3], ","); sig; sig = strtok(NULL, ",")) {
		syscall(SYS_tgkill, pid, threadof(pid, usec + asked), atoi(sig));
		asked++;
	}
	waitpid(pid, &status, 0);
	return !WIFSIGNALED(status);
}
