# attach.sh - a busy program of eight threads is attached to and let go 200 times, without harm: its
# results are right, its memory is as before, nobody traces it, and the counts obey the law of flow.
# tally-test:slow
cat >busy.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static volatile int over;
static volatile long done[8];
__attribute__((noinline)) static long
step(long i)
{
	long s = 0, k;
	for (k = 0; k < 20; k++) {
		switch ((i ^ k) & 7) {
		case 0: s += k; break;
		case 1: s -= i; break;
		case 2: s ^= 77; break;
		case 3: s += 3 * k; break;
		case 4: s |= 1; break;
		default: s++;
		}
	}
	return s;
}
static void *
work(void *arg)
{
	long k = (long)arg, i;
	for (i = 0; !over; i++) {
		if (step(i & 255) != step(i & 255))
			abort();
		done[k]++;
	}
	return NULL;
}
static void
on(int sig)
{
	(void)sig;
	over = 1;
}
int
main(void)
{
	pthread_t t[8];
	long i;
	signal(SIGTERM, on);
	for (i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	for (i = 0; i < 8; i++)
		if (!done[i])
			return 9;
	puts("fine");
	return 7;
}
C
rounds=${ROUNDS:-200} p=
trap '[ -z "$p" ] || kill -9 $p 2>/dev/null || true' EXIT
for how in 'gcc -O0' 'clang -O2'; do
	rm -rf tally.out
	$how -g -w -pthread busy.c -o busy
	./busy >out &
	p=$!
	sleep 0.1
	code() { awk '/busy$/ && $2 ~ /x/ { print $1; exit }' /proc/$p/maps; }
	text() { dd if=/proc/$p/mem bs=4096 count=1 skip=$((16#$(code | cut -d- -f1) / 4096)) 2>/dev/null | md5sum; }
	was=$(text) maps=$(wc -l </proc/$p/maps) seen=0
	for ((i = 0; i < rounds / 2; i++)); do
		tally attach --for=0.02 $p || { echo "$how, round $i: status $?"; exit 1; }
		[ $((i % 10)) = 9 ] || continue
		tally print -f >table 2>remarks && [ ! -s remarks ] && seen=$((seen + $(awk '$1 == "step" { n += $3 } END { print n + 0 }' table))) || { echo "$how, round $i:"; cat remarks; exit 1; }
		rm -rf tally.out
	done
	[ "$(text)" = "$was" ] && [ "$(wc -l </proc/$p/maps)" = "$maps" ] || { echo "$how: not as it was"; exit 1; }
	grep -q 'TracerPid:.0$' /proc/$p/status
	[ "$seen" -gt 0 ] || { echo "$how: nothing was seen"; exit 1; }
	# ^C lets it go, too.
	rm -rf tally.out
	timeout -s INT 1 tally attach $p || true
	tally print -f | grep -q '^step '
	grep -q 'TracerPid:.0$' /proc/$p/status
	kill $p
	status=0
	wait $p || status=$?
	p=
	[ $status = 7 ] && [ "$(cat out)" = fine ] || { echo "$how: status $status"; exit 1; }
done

# What cannot be: a process of somebody else's, one that is not there, one that is traced already.
tally attach 99999999 2>err && exit 1
grep -q 'no such process' err
if [ "$(id -u)" = 0 ] && command -v su >/dev/null; then
	# What nobody runs is in a place where he can come.
	mkdir -m 755 other && cp "$BUILD/tally" other && chmod 755 other/tally . && mkdir -m 777 other/out
	if su nobody -s /bin/sh -c 'exec "$0" --version' "$PWD/other/tally" >/dev/null 2>err; then
		sleep 30 &
		p=$!
		TALLY_DIR=$PWD/other/out su nobody -s /bin/sh -c 'exec "$0" attach "$1"' "$PWD/other/tally" $p 2>err && exit 1
		kill $p
		grep -q 'may not be traced.*ptrace_scope' err || { cat err; exit 1; }
	else
		echo "# nobody else can come where tests run: $(tail -n 1 err)"
	fi
fi
