# between.sh - a signal between the instructions that make one count: its handler counts in the
# same places, and not one is lost.  The processor stops behind each instruction.
cat >work.c <<'C'
long
work(long n)
{
	long s = 0, i;

	for (i = 0; i < n; i++) {
		if (i & 1)
			s += i * 3;
		else
			s ^= i;
	}
	return s;
}
C
cat >prog.c <<'C'
#include <signal.h>
#include <stdio.h>

long work(long);
static volatile long total, hits;

static void
on(int sig)
{
	(void)sig;
	hits++;
	total += work(3);
}

int
main(void)
{
	struct sigaction a = {.sa_handler = on};
	long r;

	sigaction(SIGTRAP, &a, NULL);
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
	r = work(1000);
	__asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
	printf("%ld %ld %ld\n", r, hits, total);
	return 0;
}
C
# triples - how many counters of three instructions are in the loop of work().
triples() {
	objdump -d --no-show-raw-insn prog | awk '/<work>:/,/^$/' | grep -c '[[:space:]]mov .*%gs:.*(%rip),' || true
}
for cc in gcc clang; do
	some=0
	for o in -O1 -O2 -O3; do
		for how in '' --counters=check --without=triples --lines=tables; do
			rm -rf tally.out
			# shellcheck disable=SC2086
			tally build --quiet $how $cc $o -fno-unroll-loops -fno-tree-vectorize prog.c work.c -o prog
			./prog >out
			read -r _ hits total <out
			[ "$hits" -gt 1000 ] && [ "$hits" = "$total" ]
			tally print -f >table
			calls=$(awk '$1 == "work" { print $2 }' table)
			[ "$calls" = $((hits + 1)) ] || { echo "$cc $o $how: $hits hits, $calls calls"; exit 1; }
			tally print --only=work -b >blocks
			grep -q " $((3 * hits + 1000))[ *]" blocks || { echo "$cc $o $how: $hits hits"; cat blocks; exit 1; }
			case $how in
			--counters=check) exact "$cc $o" ;;
			--without=triples) [ "$(triples)" = 0 ] ;;
			--lines=tables) some=$((some + $(triples))) ;;
			esac
		done
	done
	[ $some -gt 0 ] || { echo "$cc: no counter of three instructions"; exit 1; }
done

# A handler that is set behind the C library's back is not seen, and that is said.
cat >raw.c <<'C'
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static void on(int sig) { (void)sig; }

int
main(int argc, char **argv)
{
	struct { void (*handler)(int); unsigned long flags; void (*restorer)(void); unsigned long mask; } a = {on, 0, 0, 0};

	(void)argv;
	if (argc > 1)
		syscall(SYS_rt_sigaction, SIGUSR1, &a, (void *)0, 8);
	else
		signal(SIGUSR1, on);
	return 0;
}
C
tally build --quiet gcc -O2 raw.c -o raw
for how in '' raw; do
	rm -rf tally.out
	# shellcheck disable=SC2086
	./raw $how
	tally print 2>said >/dev/null
	case $how in
	'') [ ! -s said ] ;;
	raw) [ -s said ] ;;
	esac || { echo "handler: $how"; cat said; exit 1; }
done
