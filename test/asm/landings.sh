# landings.sh - a process dies while a thread of it is on its way out of frames: between the
# throw of an exception and its landing, in longjmp, siglongjmp out of a handler, setcontext,
# swapcontext, exec that fails.  Where it is killed at each of these instructions, in whatever
# library, the counts are exact.
cp "$HERE/more/landings-f.cc" f.cc
cp "$HERE/more/landings-killer.c" killer.c
gcc -O1 killer.c -o killer

# kill_at HOW SIGN NUMBER [marked] - at about so many of the instructions where signals come, others
# in each program; half of them among the last, where an exception lands.  Another thread does not
# get to its end while this one has the lock.  The counts are exact, or each time marked.
shared() { # PROGRAM - where it has the address of what copies of the runtime share, without ASLR
	perl -e '`readelf -SW $ARGV[0]` =~ /\.note\.tally +NOTE +(\w+) (\w+)/ or die; my $at = hex $2;
		open F, "<", $ARGV[0]; binmode F;
		for my $to (20, 16) { seek F, $at += $to, 0; read F, $_, 8; $at += unpack "q", $_ } # the table, and its third word
		printf "%x", 0x555555554000 + $at' "$1"
}
kill_at() {
	local at
	SHARED=$(shared ./f) ./killer list ./f "$1" >steps || { [ $? != 77 ] || { echo 'no ptrace here'; exit 77; }; exit 1; }
	awk -v k="$k" -v sign="$2" -v n="$3" '{ times[$2]++ } $1 && !(sign && $3) { all[++m] = sign times[$2] "@" $2 }
		END { last = m > 700 ? m - 700 : 0; r = int(2 * last / n) + 1; s = int(2 * (m - last) / n) + 1
		for (i = 1; i <= m; i++) if (i <= last ? (i + k) % r == 0 : (i + k) % s == 0) print all[i] }' steps >places
	rm -rf tally.out
	while read -r at; do
		./killer "$at" ./f "$1" || { echo "$what $1: $at: status $?"; exit 1; }
		[ $# = 4 ] || continue
		tally print --compare >out 2>err || grep -q 'some frames were left early' err || { echo "$what $1: $at"; cat out; exit 1; }
		rm -rf tally.out
	done <places
	[ $# = 3 ] || return 0
	[ "$(tally print --runs 2>/dev/null | awk '/ a signal/ { print $1 }')" = "$(wc -l <places)" ] || { tally print --runs; exit 1; }
	exact "$what $1"
}

# What is left on the stack of earlier exceptions does not matter.
cat >stale.cc <<'C'
#include <alloca.h>
static volatile int sink;
struct Guard { int n; explicit Guard(int k) : n(k) { sink += k; } ~Guard() { sink -= n; } };
__attribute__((noinline)) static void thrower() { throw 1; }
__attribute__((noinline)) static void deep(int k) { Guard g(k); char *volatile room = (char *)alloca(16 * k); thrower(); sink += *room; }
int main() { for (int k = 0; k < 128; k++) try { deep(64 + k % 2 * (k / 2)); } catch (int n) { sink += n; } return 0; }
C
for cc in g++ clang++; do for o in -O0 -Os; do
	tally build --quiet --counters=check $cc $o stale.cc -o stale
	rm -rf tally.out
	./stale
	exact "stale, $cc $o"
done; done

k=0
for cc in g++ clang++; do for o in -O0 -O3; do
	k=$((k + 1)) what="$cc $o"
	tally build --quiet --counters=check $cc $o -w -pthread f.cc -o f
	for how in t l s c e q; do
		kill_at $how '' "$([ $how = t ] && echo 40 || echo 20)"
	done
	[ $o = -O3 ] || continue
	for how in tt ll; do # another thread is killed
		kill_at $how - 15
	done
	for how in w pp; do
		kill_at $how '' 15 marked
	done
done; done
