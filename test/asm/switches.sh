# switches.sh - code that goes to another stack without the C library: coroutines by hand, in several
# ways; __builtin_longjmp, and a goto out of a nested function.
cp "$HERE/more/switches.c" co.c
# run HOW... - a program does as the plain one, and was counted alike.
run() {
	rm -rf tally.out
	alike "$what" ./plain ./p "$@"
	exact "$what $*"
}
for cc in gcc clang; do for o in -O0 -O2; do
	for kind in 1 2 3 5 6; do
		what="$cc $o, switch $kind"
		$cc $o -w -pthread -DKIND=$kind co.c -o plain
		tally build --quiet --counters=check $cc $o -w -pthread -DKIND=$kind co.c -o p
		for how in '' exit abort fork free threads; do run $how; done
		for us in 150 300 500 700 900 1100 1500 2000; do
			rm -rf tally.out
			timeout 60 ./p die $us 2>/dev/null || true
			exact "$what dies"
		done
		tally print 2>&1 | { ! grep 'other stacks'; }
	done
	tally build --quiet $cc $o -w -pthread -DKIND=4 co.c -o p # that is not understood
	rm -rf tally.out
	timeout 60 ./p >/dev/null
	tally print -f 2>said >table
	grep -q 'switches stacks in its own code' said
	grep -q '^yield *~' table
done; done

# A signal that ends it at any instruction of the function that switches, when that is executed for the
# first and for a later time.
cat >at.c <<'C'
/* at ADDRESS N PROGRAM... - a signal comes to the program where it is at an address for the Nth time. */
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	unsigned long at = strtoul(argv[1], NULL, 16);
	int n = atoi(argv[2]), status;
	struct user_regs_struct r;
	pid_t pid = fork();
	long word;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[3], argv + 3);
		_exit(9);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return 77;
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_EXITKILL);
	word = ptrace(PTRACE_PEEKTEXT, pid, at, 0);
	while (n > 0) {
		ptrace(PTRACE_POKETEXT, pid, at, (word & ~0xffl) | 0xcc);
		ptrace(PTRACE_CONT, pid, 0, 0);
		waitpid(pid, &status, 0);
		if (!WIFSTOPPED(status))
			return 3;
		ptrace(PTRACE_GETREGS, pid, 0, &r);
		if (WSTOPSIG(status) != SIGTRAP || r.rip != at + 1)
			return 4;
		r.rip = at;
		ptrace(PTRACE_SETREGS, pid, 0, &r);
		ptrace(PTRACE_POKETEXT, pid, at, word);
		if (--n > 0) {
			ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
			waitpid(pid, &status, 0);
		}
	}
	ptrace(PTRACE_DETACH, pid, 0, SIGTERM);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : 5;
}
C
gcc -w at.c -o at
for kind in 1 2 3 5 6; do
	name=swap
	[ $kind != 5 ] || name=away
	tally build --quiet --counters=check gcc -O2 -no-pie -fno-pie -w -pthread -DKIND=$kind co.c -o p
	for a in $(objdump -d --no-show-raw-insn p | awk -v f="<$name>:" '$2 == f { on = 1; next } on && /^$/ { exit } on && /:/ { sub(":", "", $1); print $1 }' | head -80); do
		for n in 1 6; do
			rm -rf tally.out
			status=0
			timeout 60 ./at $a $n ./p >/dev/null || status=$?
			case $status in
			0) exact "switch $kind at $a" ;;
			3) ;; # it never came there
			77) break 3 ;;
			*) echo "switch $kind at $a: status $status"; exit 1 ;;
			esac
		done
	done
done

# Lines, in the ways to count them; the sample does the rest.
cp "$ROOT"/test/sample/{jumps,nested}.c .
for f in jumps nested; do for cc in gcc clang; do for o in -O0 -O1 -O2 -O3 -Os '-O2 -fno-pie -no-pie' '-O2 -fcf-protection' '-O2 -static'; do
	[ $f$cc != nestedclang ] || continue # gcc alone has that
	what="$f.c $cc $o"
	# shellcheck disable=SC2086
	$cc $o -w $f.c -o plain 2>/dev/null || continue # clang may lack static libraries
	for kind in optimal redundant; do
		# shellcheck disable=SC2086
		tally build --quiet --counters=$kind $cc $o -w $f.c -o p 2>/dev/null
		rm -rf tally.out
		./p >/dev/null
		tally print --only=$f.c >listing 2>said
		[ ! -s said ] || { echo "$what $kind"; cat said; exit 1; }
		sed -n 's,^ *\([0-9][0-9]*\) .*//= *\([0-9]*\)$,\1 \2,p' listing | awk '$1 != $2 { bad = 1 } END { exit NR < 9 || bad }' || { echo "$what $kind"; cat listing; exit 1; }
	done
done; done; done
# A signal that ends it at any moment.
sed 's/^#include <stdio.h>/&\n#include <stdlib.h>\n#include <sys\/time.h>/; s/^main(void)/main(int argc, char **argv)/
	s/^	int i;$/	int i; struct itimerval it = {.it_value.tv_usec = atoi(argv[1])}; setitimer(ITIMER_REAL, \&it, NULL);/; s/i < 1000/i >= 0/' jumps.c >dies.c
for cc in gcc clang; do for o in -O0 -O2; do
	tally build --quiet --counters=check $cc $o -w dies.c -o p
	for us in 150 300 500 700 900 1100 1500 2000; do
		rm -rf tally.out
		timeout 60 ./p $us 2>/dev/null || true
		exact "dies.c $cc $o"
	done
done; done
