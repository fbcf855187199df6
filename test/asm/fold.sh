# fold.sh - closed profiles become one file; nothing is lost or counted twice.
cat >p.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int n;

static void
work(void)
{
	n++;
}

int
main(int argc, char **argv)
{
	int i;

	for (i = 0; i < 10; i++)
		work();
	if (argc > 1) {
		puts("ready");
		fflush(stdout);
		pause();
	}
	return 0;
}
C
tally build gcc -O0 p.c -o p
files() { find tally.out -name '*.tally' | wc -l; }

# One after the other, and many at once.
for _ in $(seq 20); do ./p; done
is 'calls of 20 runs' "$(calls work)" 200
is files "$(files)" 1
for _ in $(seq 8); do
	(for _ in $(seq 25); do ./p; done) &
done
wait
is 'calls of 220 runs' "$(calls work)" 2200
./p
is files "$(files)" 1

# Those that were killed are added by the next run, those that run are not.
mkfifo to from
for _ in 1 2 3; do ./p wait >from & read -r _ <from; kill -9 $!; wait $! 2>/dev/null || true; done
./p wait >from &
read -r _ <from
is 'files, three killed and swept, one runs, others ended' "$(files)" 3
is calls "$(calls work)" '~2250'
kill -9 $!
wait $! 2>/dev/null || true
rm -rf tally.out

# A run that is added but was not removed is not added again.
cat >q.c <<'C'
#include <stdio.h>
int f(void) { return 1; }
int main(void) { getchar(); return f() - 1; }
C
tally build gcc q.c -o q
./q </dev/null
is 'calls' "$(calls f)" 1
./q <to &
exec 3>to
until ls tally.out/q.*.tally >/dev/null 2>&1; do sleep 0.01; done
file=$(echo tally.out/q.*.tally)
ln "$file" kept
exec 3>&-
wait $!
is 'files' "$(files)" 1
ln kept "$file"
is 'calls with the file back' "$(calls f)" 2
./q </dev/null
is 'calls after another run' "$(calls f)" 3
is files "$(files)" 1

# Builds do not mix, labels are apart, programs of one name are, too.
sed -i s/getchar/getchar_unlocked/ q.c
tally build gcc q.c -o q
./q </dev/null
is 'files of two builds' "$(files)" 2
is 'calls of the second' "$(calls f)" 1
TALLY_LABEL=a ./q </dev/null
TALLY_LABEL=a ./q </dev/null
TALLY_LABEL='b/c d' ./q </dev/null
is 'files of two builds and two labels' "$(files)" 4
is 'calls under all labels' "$(calls f)" 4
mkdir d && tally build gcc -DX q.c -o d/q && ./d/q </dev/null
is 'files of two programs' "$(files)" 5

# Another directory, relative, from which the program moves away.
cat >r.c <<'C'
#include <unistd.h>
int f(void) { return 1; }
int main(void) { return chdir("/") + f() - 1; }
C
tally build gcc r.c -o r
TALLY_DIR=rel ./r
TALLY_DIR=rel ./r
is 'calls after chdir' "$(TALLY_DIR=rel calls f)" 2
is 'files there' "$(find rel -name '*.tally' | wc -l)" 1
