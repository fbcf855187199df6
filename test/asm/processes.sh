# processes.sh - whatever makes, moves, locks in or disguises a process: it does what it
# would, and no count is lost or counted twice.
cp "$HERE/more/processes.c" p.c
cat >q.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static int half(int n) { return n / 2; }
int main(int argc, char **argv) { printf("q %d\n", half(atoi(argv[1])) + half(4)); return 2; }
C
cat >look <<'SH' # what a program inherits
#!/bin/bash
echo "$@"; ls /proc/self/fd; env | grep -v '^_=\|^TALLY_' | sort; grep '^Sig[BIC]' /proc/self/status
exit 3
SH
chmod +x look
chmod 755 .
build() { tally build --quiet --counters=check "$@"; }
# calls [FUNCTION] - also if some processes still run, and it has a mark.
calls() { tally print -f 2>/dev/null | awk -v f="${1:-work}" '$1 == f { sub("~", "", $2); s += $2 } END { print s + 0 }'; }
files() { find "${TALLY_DIR:-tally.out}" -name '*.tally' | wc -l; }
fail() { echo "$@"; ls -la "${TALLY_DIR:-tally.out}"; tally print -f; exit 1; }
is() { [ "$2" = "$3" ] || fail "$1: $2, not $3"; }
# exact WHAT - nothing contradicts, and nothing is remarked but the function that calls vfork.
exact() {
	tally print --compare >out 2>err || fail "$1" "$(cat out)"
	if grep -v ' 0 differences' out || grep -v ' 1 of .* not counted' err; then fail "$1"; fi
}
# same COMMAND - what ./plain says and returns, ./p does.
same() {
	local was=0 is=0
	TALLY_DIR=/proc/none "${@/#.\/p/.\/plain}" >want 2>&1 || was=$?
	"$@" >got 2>&1 || is=$?
	cmp want got && [ $was = $is ] || { cat want got; fail "$*: status $was and $is"; }
}

# Children that become other programs, counted or not.
for cc in 'gcc -O0' 'gcc -O1 -static' 'clang -O2'; do
	rm -rf tally.out
	# shellcheck disable=SC2086
	{
		$cc -w -fno-inline -pthread p.c -o plain
		build $cc -w -fno-inline -pthread p.c -o p
		build $cc -fno-inline q.c -o q
	}
	same ./p 10 vfork ./look vfork ./q vfork /nonexistent vfork ./q
	same ./p 10 spawn ./look spawn ./q spawn /nonexistent
	same ./p 10 system ./look system './q 2; ./q 2; exit 5' popen ./look popen './q 2'
	same ./p 10 exec /nonexistent 10 exec ./look x
	same ./p 10 fork 5 exec ./q 2
	same ./p 10 vfork ./q exec ./q 2
	is "$cc: calls" "$(calls)" $((10 * 7 + 5 + 5 + 1 + 1))
	is "$cc: calls of the other" "$(calls half)" $((2 * 9))
	exact "$cc"
done

rm -rf tally.out
# shellcheck disable=SC2016
same ./p 10 vfork ./q system 'kill -9 $PPID'
tally print -f 2>&1 | grep -q 'were killed'

# A program that becomes itself, time and again.
rm -rf tally.out
same ./p again 150
is 'calls in one process' "$(calls)" 151
is files "$(files)" 1
exact again

# A daemon: its parents are gone, so are its terminal, directory and descriptors.
cat >reap.c <<'C'
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int status, all = 0;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (fork() == 0)
		execv(argv[1], argv + 1);
	while (wait(&status) > 0)
		all |= status;
	return all != 0;
}
C
gcc reap.c -o reap
rm -rf tally.out
./reap ./p 10 daemon 1000 storm 3 fork 100
is 'calls in a daemon' "$(calls)" $((10 + 1000 + 300 + 100 + 1))
exact daemon

# Hundreds at once; whoever looks meanwhile sees no more and no less than there is.
rm -rf tally.out
./p
: >tally.out/p.1.tally # one that is only just being made
(./p storm 300 && seq 200 | xargs -P 16 -n 1 ./p) >/dev/null &
last=0
while kill -0 $! 2>/dev/null; do
	tally print -f >out 2>err || true # frames that are active may contradict
	grep -q 'holds the lock' err && continue
	if grep 'tally:\|truncated' err; then fail 'it cannot be read meanwhile'; fi
	now=$(awk '$1 == "work" { sub("~", "", $2); print $2 }' out)
	[ "$now" -ge "$last" ] && [ "$now" -le 50100 ] || fail "$now after $last"
	last=$now
done
wait $!
is 'calls of 500 processes' "$(calls)" 50100
rm tally.out/p.1.tally
./p >/dev/null
is files "$(files)" 1
exact hundreds

# Elsewhere.
rm -rf tally.out
same ./p 10 chdir / 5 fork 7
is 'calls after chdir' "$(calls)" 23
TALLY_DIR=rel same ./p 10 chdir / 5 fork 7
TALLY_DIR=rel is 'calls after chdir, relative' "$(TALLY_DIR=rel calls)" 23
TALLY_DIR=rel is files "$(TALLY_DIR=rel files)" 1
[ ! -e /rel ]

mkdir -p "jail$PWD/tally.out" empty
rm -rf tally.out
if ./plain chroot jail >/dev/null 2>&1; then as=''; else as='unshare -r'; fi
if $as ./plain chroot jail >/dev/null 2>&1; then
	# shellcheck disable=SC2086
	same $as ./p 10 chroot jail 20
	is 'calls after chroot' "$(calls)" 30
	[ -z "$(find jail -type f)" ] || fail "$(find jail)"
	exact chroot
	# A child has no way to a file there: it counts in its parent's.
	# shellcheck disable=SC2086
	same $as ./p 10 chroot empty fork 20
	is 'calls after chroot and fork' "$(calls)" 61
	exact 'chroot and fork'
	./p >/dev/null
	is files "$(files)" 1
else
	echo '# no chroot here'
fi

# Name spaces of pids: everybody is number 1.  With /proc of another space, of none, or
# its own, nobody takes those who live for dead.
stopped() { # STEPS... - of p, in a new space: as in fold.sh, it says when it stops
	mkfifo "to$1" "from$1"
	# shellcheck disable=SC2086
	$ns $proc "${@:2}" <"to$1" >"from$1" &
}
for proc in '' --mount-proc; do
	if [ "$(id -u)" = 0 ]; then ns='unshare -pf'; else ns='unshare -rpf'; fi
	# shellcheck disable=SC2086
	$ns $proc true 2>/dev/null || { echo "# no name spaces of pids here: $ns $proc"; continue; }
	rm -rf tally.out to? from?
	for i in 1 2; do
		stopped $i ./p 10 stop system './p 1 >/dev/null' stop 20 unshare fork 5
	done
	exec 3>to1 4<from1 5>to2 6<from2
	read -r _ <&4
	read -r _ <&6
	echo >&3
	echo >&5
	read -r _ <&4
	read -r _ <&6
	./p 1 >/dev/null
	is "calls in two spaces $proc" "$(calls)" 23
	is 'files, two live' "$(files)" 3
	echo >&3
	echo >&5
	cat <&4 >got
	cat <&6 >>got
	exec 3>&- 4<&- 5>&- 6<&-
	wait
	is 'what they said' "$(sort got | tr '\n' ' ')" '31 0 31 0 35 0 35 0 '
	is 'calls in both' "$(calls)" $((23 + 2 * 26))
	./p >/dev/null
	is files "$(files)" 1
	exact "spaces $proc"
done
if [ "$(id -u)" = 0 ]; then ns='unshare -m'; else ns='unshare -rm'; fi
rm -rf tally.out
if $ns mount -t tmpfs none /proc 2>/dev/null; then
	same ./p 10 system "$ns sh -c 'mount -t tmpfs none /proc && ./p 5'" 10
	is 'calls with and without /proc' "$(calls)" 25
	exact 'no /proc'
else
	echo '# /proc cannot be hidden here'
fi

# Rights that the user has not: nothing is written, wherever the user wants it to be.
user='setpriv --reuid=65534 --regid=65534 --clear-groups'
rm -rf tally.out
mkdir mine open && chmod 777 open
[ "$(id -u)" = 0 ] && cp plain mine/plain && chmod 4755 mine/plain && can=$($user ./mine/plain ids 2>/dev/null) || can=
if [ "${can%%
*}" = '65534 0' ]; then
	build gcc -w -pthread -static p.c -o mine/static
	cp p mine/p
	for own in 0:0 1:1 0:1; do for s in p static; do
		chown $own mine/plain mine/$s
		chmod 6755 mine/plain mine/$s
		for dir in '' open mine; do for who in "$user" ''; do
			[ "$own" != 0:0 ] || [ -n "$who" ] || continue
			# shellcheck disable=SC2086
			$who ./mine/plain ids 10 fork 5 storm 2 >want
			# shellcheck disable=SC2086
			TALLY_DIR=$dir $who ./mine/$s ids 10 fork 5 storm 2 >got || fail "$own $s: $?"
			cmp want got || fail "$own $s"
			[ ! -e tally.out ] && [ -z "$(ls open)" ] && [ "$(ls mine)" = "$(printf 'p\nplain\nstatic')" ] ||
				fail "$own $s $dir: something was written" "$(ls . open mine)"
		done; done
	done; done
	# Without such rights it is a user's program like any other.
	chown 0:0 mine/p && chmod 755 mine/p
	TALLY_DIR=$PWD/open $user ./mine/p 10 >/dev/null
	TALLY_DIR=open is 'calls of a user' "$(TALLY_DIR=open calls)" 10

	# A daemon that gives its rights up goes on counting, and so do its children.
	rm -rf tally.out open/* open/.lock
	same ./p 10 setuid 65534 20
	is 'calls after setuid' "$(calls)" 30
	exact setuid
	same ./p 10 setuid 65534 fork 20
	is 'calls after setuid and fork' "$(calls)" 61
	exact 'setuid and fork'
	./p >/dev/null
	is files "$(files)" 1
	export TALLY_DIR=open
	same ./p 10 setuid 65534 fork 20
	is 'calls after setuid, in an open directory' "$(calls)" 31
	exact 'an open directory'
	unset TALLY_DIR
else
	echo '# not root, or no setuid programs here: those are not tested'
fi

# Children that nobody tells of: they do as they would, and it is said.
for how in _Fork clone syscall; do
	rm -rf tally.out
	same ./p 10 raw $how 10
	tally print -f >out 2>err || true
	grep -q 'processes shared' err || fail "nothing is said of $how"
	is "calls with $how" "$(calls)" 60
	./p >/dev/null
	is "files after $how" "$(files)" 1
done

# Threads that begin or fold while others fork.
cat >t.c <<'C'
#include "tally.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
enum { N = 200 };
static volatile int n, over;
static pthread_barrier_t all;
static void work(void) { n++; }
static void *leaf(void *arg) { work(); pthread_barrier_wait(&all); return arg; }
static void *grow(void *arg)
{
	pthread_t t[N];
	int i;
	for (i = 0; i < N; i++)
		pthread_create(&t[i], 0, leaf, 0);
	for (i = 0; i < N; i++)
		pthread_join(t[i], 0);
	for (i = 0; i < 100; i++)
		tally_label(i & 1 ? "odd" : "even");
	over = 1;
	return arg;
}
int main(void)
{
	int status, forks = 0, alive[2], held, bad = 0;
	pthread_t t;
	char c;
	pthread_barrier_init(&all, 0, N);
	if (pipe(alive) != 0)
		return 1;
	pthread_create(&t, 0, grow, 0);
	for (; !over; forks++)
		if (fork() == 0) {
			work();
			if (forks % 8 == 0) { /* these stay */
				close(alive[1]);
				if (read(alive[0], &c, 1) != 0)
					_exit(1);
			}
			_exit(0);
		} else if (forks % 8) {
			wait(&status);
			bad += status != 0;
		}
	pthread_join(t, 0);
	held = flock(open("tally.out/.lock", O_RDONLY), LOCK_EX | LOCK_NB);
	close(alive[1]);
	while (wait(&status) > 0)
		bad += status != 0;
	printf("%d %d %d\n", N + forks, held, bad);
	return 0;
}
C
build gcc -O1 -fno-inline -pthread -I"$ROOT/include" t.c -o t
rm -rf tally.out
read -r want held bad < <(./t)
is 'lock held by a child' "$held" 0
is 'children that failed' "$bad" 0
is 'calls in threads and children' "$(calls)" "$want"
if tally print -f 2>&1 >/dev/null | grep 'truncated'; then exit 1; fi

# A function that calls vfork is not counted: its lines have no counts.
cat >lines.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
static int spawn(void)
{
	int status = 0;
	pid_t pid = vfork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, &status, 0);
	return status;
}
int main(void) { return spawn(); }
C
tally build --quiet gcc -O0 lines.c -o lines
rm -rf tally.out
./lines
tally print 2>/dev/null | grep '^ *[0-9]' >out
[ "$(wc -l <out)" = 1 ] && grep -q '^ *1  int main' out || { cat out; exit 1; }
