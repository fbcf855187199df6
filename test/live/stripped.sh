# stripped.sh - programs without symbols: functions are where .eh_frame has code, and are named by where they begin.
cat >a.c <<'C'
#include <stdio.h>
volatile int z;
__attribute__((noinline)) int
step(int n)
{
	if (n % 3)
		z = n;
	return z;
}
__attribute__((noinline, cold)) int
seldom(int n)
{
	return printf("%d\n", n);
}
__attribute__((noinline)) int
split(int n)
{
	if (n < 0) { /* the compiler puts that elsewhere */
		seldom(n);
		seldom(n);
	}
	return step(n);
}
int
main(void)
{
	int s = 0, i;

	for (i = -2; i < 48; i++)
		s += split(i);
	printf("%d\n", s);
	return 0;
}
C
# counts - by address of each function: calls, instructions, blocks that ran and all.
counts() {
	tally run --blocks ./a >out 2>err
	cmp out wanted
	[ ! -s err ] || { cat err; exit 1; }
	tally print -f 2>err
}
for o in -O1 -O2 '-O2 -no-pie' '-O2 -static'; do
	# shellcheck disable=SC2086
	gcc $o a.c -o a
	./a >wanted
	nm a | awk '{ sub(/^0*/, "0x", $1); print $1, $3 }' >names
	rm -rf tally.out
	counts | awk 'NR > 1' | sed 's/uncounted: .*//' >with
	strip a
	rm -rf tally.out
	counts | awk 'NR > 1' >without
	# What the compiler made has the same counts under either name; all the rest is the C library's.
	for f in step split main seldom; do
		at=$(awk -v f=$f '$2 == f { print $1 }' names)
		want=$(awk -v f=$f '$1 == f { $1 = ""; print }' with)
		is=$(awk -v f="$at" '$1 == f { $1 = ""; print }' without)
		[ -n "$want" ] && [ "$want" = "$is" ] || { echo "$o: $f at $at: $is, not $want"; cat without; exit 1; }
	done
	grep -q "^$(awk '$2 == "step" { print $1 }' names)  *50 " without
done
# Such a name chooses a function, as others do.
gcc -O1 a.c -o a
at=$(nm a | awk '$3 == "step" { sub(/^0*/, "0x", $1); print $1 }')
strip a
rm -rf tally.out
tally run --only="$at" --blocks ./a >/dev/null
tally print -f 2>err | awk -v at="$at" 'NR > 1 && $1 == at && $2 == 50 && $5 > 1 { n++ } END { exit NR != 2 || n != 1 }'
# Without being asked for anything, calls are counted.
rm -rf tally.out
tally run ./a >/dev/null 2>err
tally print -f 2>/dev/null | grep -q "^$at  *50 "
# A word that fits comes if there is nothing at all.
objcopy --remove-section=.eh_frame --remove-section=.eh_frame_hdr a
rm -rf tally.out
tally run --blocks ./a >/dev/null 2>err || true
grep -q 'nothing was counted: it has no symbols' err

# What a signal handler returns to: the C library describes it from a byte before, which begins no instruction.
cat >handled.c <<'C'
#include <signal.h>
#include <stdio.h>

static void
handler(int sig)
{
	(void)sig;
}

int
main(void)
{
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	puts("handled");
	return 0;
}
C
gcc -O2 -static -s handled.c -o handled
for unit in blocks instructions; do
	TALLY_DIR=$PWD/handling timeout -k 5 60 tally run --$unit ./handled >got || { echo "--$unit: status $?"; exit 1; }
	grep -qx handled got || { cat got; exit 1; }
done
