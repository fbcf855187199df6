# longlabel.sh - labels of any length: from the environment and by tally_label(), over fork, in sums of several runs,
# in merged profiles, and of programs that are run under a monitor.
letters() { head -c "$1" /dev/zero | tr '\0' "$2"; }
cat >p.c <<'C'
#include "tally.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int n;
__attribute__((noinline)) static void work(void) { n++; }
int
main(int argc, char **argv)
{
	int i;

	work();
	for (i = 1; i < argc; i++) { /* a label of argv[i] letters, and its place in the list as often */
		size_t len = (size_t)atoi(argv[i]);
		char *s = malloc(len + 1);
		int k;

		memset(s, 'M', len);
		s[len] = 0;
		if (tally_label(s) != 0)
			return 1;
		memset(s, 'x', len);
		free(s);
		for (k = 0; k <= i; k++)
			work();
	}
	if (fork() == 0) {
		work();
		return 0;
	}
	return wait(NULL) < 0;
}
C
tally build --quiet gcc -I"$ROOT/include" p.c -o p
# is WHAT LABEL N [ARGS...] - work was called so often under a label.
is() {
	tally print --by-label -f "${@:4}" 2>/dev/null | awk -v l="$2:" -v n="$3" '/:$/ { on = $0 == "label " l } on && $1 == "work" && $2 == n { found = 1 } END { exit !found }' ||
		{ echo "$1: ${#2} letters"; tally print --by-label -f "${@:4}" 2>&1 | cut -c1-80; exit 1; }
}
for n in 1 255 256 1000 70000 130000; do
	rm -rf tally.out
	TALLY_LABEL=$(letters $n L) ./p
	is environment "$(letters $n L)" 2
	TALLY_LABEL=$(letters $n L) ./p
	TALLY_LABEL=$(letters $n K) ./p
	is 'two runs' "$(letters $n L)" 4
	[ "$(find tally.out -name '*.tally' | wc -l)" = 2 ]
	tally merge -o all.tally tally.out
	is merged "$(letters $n L)" 4 all.tally
	is merged "$(letters $n K)" 2 all.tally
	tally merge -o again.tally all.tally tally.out
	is 'merged twice' "$(letters $n L)" 8 again.tally
done
rm -rf tally.out
./p 300 10 90000 400 300
is 'tally_label' "$(letters 300 M)" 9
is 'tally_label' "$(letters 10 M)" 3
is 'tally_label' "$(letters 90000 M)" 4
is 'tally_label' "$(letters 400 M)" 5
# A child has the label that its parent had.
rm -rf tally.out
./p 300
is 'tally_label and fork' "$(letters 300 M)" 3
[ "$(tally tests p.c:7 2>/dev/null | grep -c MMMM)" = 1 ]
gcc -g -O0 -I"$ROOT/include" p.c -o plain
rm -rf tally.out
TALLY_LABEL=$(letters 5000 V) tally run --functions ./plain >/dev/null
is 'tally run' "$(letters 5000 V)" 2
