# odd.sh - signals in the middle of it all, siglongjmp out of handlers, fork, vfork, exec, and every
# kind of death: the counts are exact, the program does not notice, its status is passed on.
cat >odd.c <<'C'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long ticks, n;
static sigjmp_buf back;
static void
on(int sig)
{
	ticks++;
	if (sig == SIGUSR1)
		siglongjmp(back, 1);
}
__attribute__((noinline)) static long
work(long k)
{
	long i, s = 0;
	for (i = 0; i < k; i++) {
		if (i & 1)
			s += i;
		else
			s ^= i;
	}
	return s;
}
int
main(int argc, char **argv)
{
	struct itimerval often = {{0, 900}, {0, 900}}, never = {{0, 0}, {0, 0}};
	const char *how = argc > 1 ? argv[1] : "";
	char line[80];
	int i;
	signal(SIGALRM, on);
	signal(SIGUSR1, on);
	setitimer(ITIMER_REAL, &often, NULL);
	n = work(10000);
	setitimer(ITIMER_REAL, &never, NULL);
	for (i = 0; i < 5; i++) {
		if (sigsetjmp(back, 1) == 0)
			raise(SIGUSR1);
		n++;
	}
	fprintf(stderr, "%ld\n", ticks);
	if (strcmp(how, "fork") == 0) {
		for (i = 0; i < 3; i++)
			if (fork() == 0) {
				n = work(10);
				_exit(i);
			}
		while (wait(NULL) > 0)
			n++;
	}
	if (strcmp(how, "vfork") == 0) {
		if (vfork() == 0) {
			execlp("true", "true", (char *)NULL);
			_exit(9);
		}
		wait(NULL);
	}
	if (strcmp(how, "read") == 0)
		while (fgets(line, sizeof line, stdin))
			fputs(line, stdout);
	if (strcmp(how, "exec") == 0)
		execl("./second", "second", (char *)NULL);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "segv") == 0)
		*(volatile int *)8 = 1;
	if (strcmp(how, "fpe") == 0)
		n /= ticks - ticks;
	if (strcmp(how, "ill") == 0)
		__builtin_trap();
	if (strcmp(how, "trap") == 0)
		raise(SIGTRAP);
	if (strcmp(how, "kill") == 0)
		kill(getpid(), SIGKILL);
	return 3;
}
C
gcc -g -O0 -w odd.c -o odd
printf 'int main(void) { return 4; }\n' >second.c
gcc -g second.c -o second
# line TEXT - the count of the line that has it
line() { awk -v t="$1" 'index($0, t) { print $1; exit }' list; }
for how in '' fork vfork exec read abort segv fpe ill trap kill; do
	was=0 is=0
	printf 'a\nb\n' | ./odd $how >out 2>/dev/null || was=$?
	rm -rf tally.out
	printf 'a\nb\n' | tally run ./odd $how >counted.out 2>err || is=$?
	[ $was = $is ] || { echo "$how: status $is, not $was"; exit 1; }
	cmp out counted.out
	tally print odd >list 2>remarks
	! grep -v 'died of a signal' remarks | grep . || { echo "$how"; exit 1; }
	work=10001
	[ "$how" != fork ] || work=10034
	[ "$(line 'ticks++;')" = "$(head -n 1 err)" ] && [ "$(line 'for (i = 0; i < k; i++)')" = $work ] &&
		[ "$(line 'raise(SIGUSR1);')" = 5 ] && [ "$(line 'siglongjmp(back')" = 5 ] &&
		[ "$(line 'execl("./second"')" = "$([ "$how" = exec ] && echo 1 || echo 0)" ] &&
		[ "$(line 'return 3;')" = "$(case $how in exec | abort | segv | fpe | ill | trap | kill) echo 0 ;; *) echo 1 ;; esac)" ] ||
		{ echo "$how: wrong"; cat list; exit 1; }
	case $how in
	segv) grep -q 'of SIGSEGV in main, .*odd.c:7[0-9]' remarks || { cat remarks; exit 1; } ;;
	kill) grep -q 'SIGKILL' remarks || { cat remarks; exit 1; } ;;
	exec) tally print second | grep -q '^ *1  int main' ;;
	fork) tally print --runs odd 2>/dev/null >runs; [ "$(awk '/exit/ { n += $1 } END { print n }' runs)" = 4 ] || { cat runs; exit 1; } ;;
	esac
done

# Who is followed.
for how in all:10034 exec:10001 none:10001; do
	rm -rf tally.out
	tally run --follow="${how%:*}" ./odd fork >/dev/null 2>&1 || [ $? = 3 ]
	tally print odd >list 2>remarks
	[ "$(line 'for (i = 0; i < k; i++)')" = "${how#*:}" ] && [ ! -s remarks ] || { echo "$how"; cat list remarks; exit 1; }
done
rm -rf tally.out
tally run --follow=none ./odd exec >/dev/null 2>&1 || [ $? = 4 ]
for f in tally.out/*; do
	case $f in tally.out/odd.*) ;; *) echo "$f: was followed"; exit 1 ;; esac
done
