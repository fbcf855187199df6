# times.sh - tally run --times: processor time goes to the functions that use it, wall time to those
# that wait, with and without what they call; the program's own clock is the witness.
cat >times.c <<'C'
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static double
cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}
static void
spin(double ms)
{
	double from = cpu();
	while (cpu() - from < ms)
		;
}
__attribute__((noinline)) void hot(void) { spin(40); }
__attribute__((noinline)) void nap(void) { usleep(50000); }
__attribute__((noinline)) void both(void) { hot(); nap(); }
__attribute__((noinline)) int deep(int n) { if (n) return deep(n - 1) + 1; spin(20); return 0; }
int main(void)
{
	int i;
	for (i = 0; i < 5; i++)
		both();
	return deep(10) != 10;
}
C
gcc -g -O1 -fno-inline times.c -o times
tally run --functions --times --skip=cpu ./times
tally print --times >table 2>remarks
grep -q 'a stop took at least [0-9.]* us' remarks
# at least NAME COLUMN MS; a stop costs more than is taken off, so there is no upper bound but that
# of the sums
least() { awk -v f="$1" -v c="$2" -v ms="$3" '$6 == f { n++; if ($c < ms) exit 1 } END { exit !n }' table || { echo "$*"; cat table; exit 1; }; }
least spin 3 215
least hot 5 195
least both 5 195
least nap 4 245
least deep 5 19
awk 'NR > 1 { self += $3; if ($6 == "main") all = $5 } END { exit !(all > 0 && self >= all * 0.98) }' table || { cat table; exit 1; }
awk '$6 == "hot" && $3 > 20 || $6 == "nap" && $3 > 20 || $6 == "deep" && $5 > 200 { exit 1 }' table || { cat table; exit 1; }
[ "$(awk '$6 == "deep" { print $1 }' table)" = 11 ]
tally print --times --format=json 2>/dev/null | grep -q '"self_cpu_ms":'
rm -rf tally.out
tally run ./times
tally print --times 2>&1 | grep -q 'no times were recorded'
