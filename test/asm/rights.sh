# rights.sh - processes that give up their rights count on: their children, one after the other and several at
# once, threads that come later, and children's children; and nothing is written anywhere else.
[ "$(id -u)" = 0 ] || { echo 'who runs this has no rights to give up'; exit 77; }
chmod 755 .
cat >p.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
__attribute__((noinline)) static void
work(int k)
{
	while (k-- > 0)
		n++; /* HERE */
}
__attribute__((noinline)) static void leave(void) { work(1); exit(0); }
static void *body(void *arg) { work(1000); return arg; }
static void
threads(int k)
{
	pthread_t t[100];
	int i;

	for (i = 0; i < k; i++)
		if (pthread_create(&t[i], NULL, body, NULL))
			exit(3);
	for (i = 0; i < k; i++)
		pthread_join(t[i], NULL);
}
int
main(int argc, char **argv)
{
	int i, k, fd[2], bad = 0, status;
	char c;

	for (i = 1; i + 1 < argc; i += 2) {
		k = atoi(argv[i + 1]);
		if (!strcmp(argv[i], "work")) {
			work(k);
		} else if (!strcmp(argv[i], "setresuid")) {
			bad |= setresgid(k, k, k) || setresuid(k, k, k);
		} else if (!strcmp(argv[i], "setuid")) {
			bad |= setuid(k);
		} else if (!strcmp(argv[i], "raw")) {
			bad |= syscall(SYS_setuid, k) != 0;
		} else if (!strcmp(argv[i], "jail")) {
			bad |= chroot("jail") || chdir("/");
		} else if (!strcmp(argv[i], "children")) { /* one after the other; the last of three leaves frames */
			while (k-- > 0) {
				if (fork() == 0) {
					work(10);
					k % 3 ? _exit(0) : leave();
				}
				wait(&status);
				bad |= status;
			}
		} else if (!strcmp(argv[i], "atonce")) {
			bad |= pipe(fd);
			while (k-- > 0)
				if (fork() == 0) {
					close(fd[1]);
					bad |= read(fd[0], &c, 1);
					work(10);
					return bad;
				}
			close(fd[1]);
			close(fd[0]);
			while (wait(&status) > 0)
				bad |= status;
		} else if (!strcmp(argv[i], "deep")) { /* each a child of the one before */
			while (k-- > 0)
				if (fork()) {
					wait(&status);
					return bad | status;
				} else {
					work(10);
				}
		} else if (!strcmp(argv[i], "threads")) {
			threads(k);
		} else if (!strcmp(argv[i], "killed")) {
			if (fork() == 0) {
				work(k);
				raise(SIGKILL);
			}
			wait(&status);
		} else {
			return 9;
		}
	}
	return bad;
}
C
tally build --quiet --counters=check gcc -O1 -g -pthread p.c -o p
# is N MARK RUNS ARGS... - so often was the loop entered, in so many processes.
is() {
	rm -rf tally.out
	./p "${@:4}" || { echo "${*:4}: status $?"; exit 1; }
	for pass in 1 2; do
		tally print >list 2>err
		runs=$(tally print --runs | awk '{ s += $1 } END { print s }')
		set -- "$1" "$2" "$3" "${@:4}"
		grep -q "^ *$1 ${2:- }.*HERE" list && [ "$runs" = "$3" ] || { echo "${*:4}: pass $pass, $runs runs"; grep HERE list; cat err; ls -la tally.out; exit 1; }
		tally print --compare >compared 2>&1 && grep -q ' 0 differences' compared || { echo "${*:4}"; cat compared; exit 1; }
		[ $pass = 2 ] || ./p >/dev/null # finds the file of those that have gone, and folds it
		set -- "$1" "$2" "$(($3 + 1))" "${@:4}"
	done
	[ "$(find tally.out -name '*.tally' | wc -l)" = 1 ] || { echo "${*:4}: left"; ls -la tally.out; exit 1; }
}
mkdir -p "jail$PWD/tally.out"
for how in 'setresuid 65534' 'setuid 65534' 'raw 65534' 'jail 0'; do
	# shellcheck disable=SC2086
	{
		is 112 '' 11 work 12 $how atonce 10
		is 518 '' 51 work 1 $how children 50
		is 124 '' 13 work 1 $how children 7 deep 5
	}
done
# Threads that come later, in the process itself and in its children.
is 4005 '' 1 work 5 setresuid 65534 threads 4
is 2010 '' 1 work 5 threads 2 setresuid 65534 work 5
is 3021 '' 3 work 1 setresuid 65534 deep 2 threads 3
# More at once than there is room for: what is missing is marked.
./p work 12 setresuid 65534 atonce 100
tally print >list 2>err
grep -q '~.*HERE' list && grep -q 'there was no room for some of the counts' err
# A child that is killed.
rm -rf tally.out
./p work 12 setresuid 65534 killed 5 children 3
tally print >list
grep -q '^ *48 ~.*HERE' list || { cat list; exit 1; }
[ -z "$(find jail -type f)" ] || { find jail; exit 1; }
