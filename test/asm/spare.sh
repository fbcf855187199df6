# spare.sh - registers that counters use are nobody else's: functions with other conventions than the
# usual one, and callers that know what a function leaves alone.
cat >f.c <<'C'
#define LOOP(name, kind)                                                                    \
	kind long name(long n, long m)                                                      \
	{                                                                                   \
		long s = 0, i;                                                              \
                                                                                            \
		for (i = 0; i < n; i++)                                                     \
			if (i % 3 == m)                                                     \
				s += i;                                                     \
			else                                                                \
				s ^= n;                                                     \
		return s;                                                                   \
	}

LOOP(windows, __attribute__((ms_abi)))
LOOP(usual, )
#ifdef __clang__
LOOP(keeps, __attribute__((preserve_most)))
#else
__attribute__((no_caller_saved_registers, target("general-regs-only"))) LOOP(keeps, )
#endif
__attribute__((naked)) long
bare(long n, long m)
{
	__asm__("xorl %eax, %eax\n1: addq %rdi, %rax\n\tdecq %rdi\n\tjg 1b\n\taddq %rsi, %rax\n\tret");
}
C
cat >m.c <<'C'
#include <stdio.h>

#ifdef __clang__
#define KEEPS __attribute__((preserve_most))
#else
#define KEEPS __attribute__((no_caller_saved_registers))
#endif
__attribute__((ms_abi)) long windows(long, long);
long usual(long, long), bare(long, long);
KEEPS long keeps(long, long);

__attribute__((noinline)) static long
local(long n) /* its callers know which registers it leaves alone */
{
	long s = 1;

	while (n-- > 0)
		s = s * 3 + (n & 1 ? n : s << (n & 7));
	return s;
}

#define MIX(f)                                                                              \
	__attribute__((noinline)) static long mix_##f(long a, long b, long c, long d, long e, long g) \
	{                                                                                   \
		long i, s = 0;                                                              \
                                                                                            \
		for (i = 0; i < 40; i++) {                                                  \
			s += f(i, 1) + a * i + (b ^ c) + d * e - g;                         \
			a += b + e;                                                         \
			b ^= c + i;                                                         \
			d -= g;                                                             \
		}                                                                           \
		return s + a + b + c + d + e + g;                                           \
	}
MIX(windows)
MIX(usual)
MIX(keeps)
MIX(bare)
#define local2(i, k) local(i)
MIX(local2)

int
main(void)
{
	long step = 5;
#ifndef __clang__
	long nested(long n) { long s = 0; while (n-- > 0) s += n & 1 ? step : 2; return s; } /* r10 has its frame */
	long (*volatile p)(long) = nested;

	step = p(9) + nested(4);
#endif
	printf("%ld %ld %ld %ld %ld %ld\n", mix_windows(1, 2, 3, 4, 5, 6), mix_usual(1, 2, 3, 4, 5, 6),
	       mix_keeps(1, 2, 3, 4, 5, 6), mix_bare(1, 2, 3, 4, 5, 6), mix_local2(1, 2, 3, 4, 5, 6), step);
	return 0;
}
C
for cc in gcc clang; do
	for o in -O0 -O1 -O2 -O3 '-O2 -fPIC' '-O2 -fomit-frame-pointer -fno-plt'; do
		# shellcheck disable=SC2086
		$cc $o -w m.c f.c -o plain
		./plain >want
		for how in --counters=check --counters=redundant --lines=tables; do
			rm -rf tally.out
			# shellcheck disable=SC2086
			tally build --quiet $how $cc $o -w m.c f.c -o counted
			./counted >got && cmp want got || { echo "$cc $o $how"; exit 1; }
			[ $how != --counters=check ] || exact "$cc $o"
		done
	done
done

# With -fipa-ra callers see that a function of the file changes few registers, and keep what they need in
# the others.
cat >ipa.c <<'C'
#include <stdio.h>

__attribute__((noinline)) static void
shift(unsigned *p, unsigned *end, unsigned k)
{
	for (; p < end; p++)
		*p <<= k & 31;
}

__attribute__((noinline)) static long
sum(unsigned *p, long *v, unsigned k)
{
	long a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6];

	shift(p, p + k, k);
	return a + b * 3 + c * 5 + d * 7 + e * 11 + f * 13 + g * 17;
}

int
main(int argc, char **argv)
{
	unsigned p[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	long v[7] = {1, 2, 3, 4, 5, 6, 7}, s = 0;
	int i;

	(void)argv;
	for (i = 0; i < 5; i++)
		s = s * 31 + sum(p, v, i + argc);
	printf("%ld %u\n", s, p[3]);
	return 0;
}
C
kept=0
for o in -O1 -O2 -O3; do
	gcc $o -fno-tree-vectorize -fipa-ra -S ipa.c -o with.s
	gcc $o -fno-tree-vectorize -fno-ipa-ra -S ipa.c -o without.s
	cmp -s with.s without.s || kept=$((kept + 1))
	gcc $o -fno-tree-vectorize -fipa-ra ipa.c -o plain
	for how in --counters=check --lines=tables --lines=source; do
		tally build --quiet $how gcc $o -fno-tree-vectorize -fipa-ra ipa.c -o counted
		[ "$(./counted)" = "$(./plain)" ] || { echo "-fipa-ra $o $how"; exit 1; }
	done
done
[ $kept -gt 0 ] || { echo 'gcc keeps nothing in registers there: this tests nothing'; exit 1; }
