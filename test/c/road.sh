# road.sh - --road=c: plain counters in the C text.  They and the marks of --lines=source agree on
# every block, whatever the compiler makes of either.
n=0 blocks=0
readarray -t samples < <(witnessed gcov)
for src in "${samples[@]}" "$HERE"/lines/*.c; do
	name=$(basename "$src")
	cp "$src" .
	args=$(arguments "$src")
	for how in '--road=c gcc -O0' '--road=c gcc -O2' '--lines=source gcc -O2' '--lines=source gcc -O3' \
		'--road=c clang -O1' '--lines=source clang -O2'; do
		case $how in *clang*) grep -q 'gcc only' "$name" && continue ;; esac
		rm -rf tally.out
		# shellcheck disable=SC2086
		tally build --quiet --branches $how -w "$name" -o counted -lm -pthread
		# shellcheck disable=SC2086
		./counted $args >/dev/null 2>&1 </dev/null || true
		tally print --regions >is 2>/dev/null
		# Columns of the text that each preprocessor makes may differ.
		case $how in *clang*) sed -i 's/:[0-9]*-\([0-9]*\):[0-9]*:/:-\1:/' is; base=isclang ;; *) base=isgcc ;; esac
		[ -e $base ] || cp is $base
		diff $base is >differs || { echo "$name: $how"; head -5 differs; exit 1; }
		n=$((n + 1))
	done
	blocks=$((blocks + $(wc -l <isgcc)))
	[ ! -e isclang ] || diff <(sed 's/:[0-9]*-\([0-9]*\):[0-9]*:/:-\1:/' isgcc | sort) <(sort isclang) >differs ||
		{ echo "$name: gcc and clang"; head -5 differs; exit 1; }
	rm -f isgcc isclang
done
echo "# $n programs; $blocks blocks of sources"
[ $blocks -gt 150 ]

# Threads, fork, kill -9, libraries: as on the other road.
cat >k.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/wait.h>
int twice(int);
int main(void)
{
	int i, s = 0, status;
	if (fork() == 0) {
		for (i = 0; i < 100; i++)
			s += twice(i);
		kill(getpid(), SIGKILL);
	}
	wait(&status);
	for (i = 0; i < 10; i++)
		s += twice(i);
	return s != 90;
}
C
echo 'int twice(int x) { if (x < 0) return 0; return 2 * x; }' >t.c
for cc in gcc clang; do
	rm -rf tally.out
	tally build --quiet --road=c sh -c "$cc -O2 -fPIC -shared t.c -o libt.so && $cc -O2 k.c -L. -lt -Wl,-rpath,'$PWD' -o k"
	./k
	tally print 2>/dev/null >out
	grep -q '^ *110 .*int twice' out && grep -q '^ *101 .*i < 100' out && grep -q '^ *11 .*i < 10;' out ||
		{ cat out; exit 1; }
done
tally build --quiet --road=c gcc -O2 -flto k.c t.c -o k && rm -rf tally.out && ./k
tally print 2>/dev/null | grep -q '^ *110 .*int twice'

# What is not C is built as ever, and said.
printf '#include <cstdio>\nint main() { puts("x"); return 0; }\n' >p.cc
tally build --road=c g++ p.cc -o p 2>err && ./p >/dev/null
grep -q '0 files counted, 1 passed through (1: not C)' err
