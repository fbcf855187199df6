# daemon.sh - processes that end inside daemon(), where nobody hears of it, have ended well; what its child goes on with
# is counted there, and a daemon() that fails has ended nothing.
cat >d.c <<'C'
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
static int n, deep;
static void once(void) { n++; } //= 2
static void late(void) { n--; } //= 2
static int
start(int fail)
{
	struct rlimit none = {0, 0};

	if (fail && (setrlimit(RLIMIT_NPROC, &none) != 0 || setuid(65534) != 0))
		return 9;
	if (deep++ < 3)
		return start(0) ? 3 : 0;
	return daemon(1, 1) ? 3 : 0; //= 2
}
int
main(int argc, char **argv)
{
	int status;

	(void)argv;
	once();
	status = start(argc > 1);
	late();
	return status;
}
C
for cc in gcc clang; do for o in -O0 -O2 '-O1 -static'; do
	# shellcheck disable=SC2086
	tally build --quiet --counters=check $cc $o d.c -o d
	rm -rf tally.out
	./d
	./d
	until [ "$(tally print --runs 2>/dev/null | awk '/ exit/ { s += $1 } END { print s + 0 }')" = 4 ]; do sleep 0.1; done # parents and children
	exact "$cc $o"
	answers "$cc $o" d.c
done; done
[ "$(id -u)" = 0 ] || exit 0
tally build --quiet --counters=check gcc -O1 d.c -o d
rm -rf tally.out
mkdir -m 777 tally.out
status=0
./d fail || status=$?
[ $status = 3 ]
exact 'one that fails'
tally print --runs | grep -q '^ *1  exit with another status, the last 3$'
