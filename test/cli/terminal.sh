# terminal.sh - colours, a pager and progress are for terminals, and for those who want them; a reader that
# goes away is not worth a word.
command -v script >/dev/null || { echo "script is not there"; exit 77; }
cat >p.c <<'C'
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return 1;
	return 0;
}
C
tally build --quiet gcc p.c -o p
echo 'int main(void) { return *(volatile char *)0; }' >k.c
tally build --quiet gcc k.c -o k
(TALLY_DIR=$PWD/k.out ./k || true) 2>/dev/null
for i in 1 2 3 4 5; do TALLY_LABEL=$i ./p; done
esc=$(printf '\033')
unset NO_COLOR TALLY_PAGER PAGER LESS
export TERM=xterm
# on - what a command shows on a terminal.
on() { script -qec "$*" /dev/null </dev/null | tr -d '\r'; }
lines() { grep -c "$1" || true; }

# The pager that is wanted gets everything, remarks included; what is not there prints by itself.
export TALLY_PAGER="sed 's/^/paged: /'" PAGER="sed 's/^/other: /'"
want=$(tally print -f | wc -l)
[ "$(on tally print -f | lines '^paged: ')" = "$want" ]
[ "$(on tally print -f --no-pager | lines 'paged: \|other: ')" = 0 ]
[ "$(on tally print -f --format=json | lines 'paged: ')" = 0 ]
[ "$(tally print -f | lines 'paged: ')" = 0 ]
[ "$(on tally mix | lines '^paged: ')" -gt 3 ]
[ "$(on tally tests p.c:4 | lines '^paged: ')" = 6 ]
on TALLY_DIR=k.out tally print -f | grep -q '^paged: .*/k: 1 of 1 processes died of a signal'
unset TALLY_PAGER
[ "$(on tally print -f | lines '^other: ')" = "$want" ]
[ "$(TALLY_PAGER='' on tally print -f | lines 'other: ')" = 0 ]
export TALLY_PAGER=no-such-pager
[ "$(on tally print -f | lines main)" = 1 ]
printf '#!/bin/sh\necho "LESS=$LESS"\ncat\n' >less
chmod +x less
unset TALLY_PAGER PAGER
PATH=$PWD:$PATH on tally print -f | grep -qx 'LESS=FRX'
LESS=S PATH=$PWD:$PATH on tally print -f | grep -qx 'LESS=S'
export TALLY_PAGER=cat

# Colours.
on tally print | grep -q "$esc"
! on NO_COLOR=1 tally print | grep -q "$esc"
! on TERM=dumb tally print | grep -q "$esc"
! on tally print --color=never | grep -q "$esc"
! tally print | grep -q "$esc"
tally print --color=always | grep -q "$esc"
! tally print --color=always --format=json | grep -q "$esc"

# A clock on which each look takes a second.
cat >clock.c <<'C'
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *t)
{
	static int n;
	(void)id;
	t->tv_sec = ++n;
	t->tv_nsec = 0;
	return 0;
}
C
gcc -shared -fPIC clock.c -o clock.so
if LD_PRELOAD=$PWD/clock.so tally --version >/dev/null 2>&1; then # not with sanitizers
	on LD_PRELOAD="$PWD/clock.so" tally merge -o m.tally | grep -q "adding up profiles: 3 of 5$esc"
	! on LD_PRELOAD="$PWD/clock.so" tally merge -o m.tally '2>err' | grep -q 'adding up'
	! grep -q 'adding up' err
	! on tally merge -o m.tally | grep -q 'adding up'
fi

# Somebody reads one line.
perl -e 'for my $f (1 .. 3000) { print "int f$f(int x) { return x > $f ? x : -x; }\n" } print "int main(void) { return 0; }\n"' >big.c
tally build --quiet gcc -O0 big.c -o big
TALLY_DIR=$PWD/big.out ./big
tally print -a big.out 2>err | head -1 >/dev/null
[ ! -s err ]
(trap '' PIPE; tally print -a big.out 2>err) | head -1 >/dev/null
[ ! -s err ]
tally print big.out >/dev/full 2>err && exit 1
grep -q 'standard output: No space' err
