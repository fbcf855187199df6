# tables.sh - --lines=tables: a function begins on the line with its name, also where it was inlined; and
# where rows do not say where statements begin, counts are marked.
cat >h.c <<'C'
#include <stdio.h>
#include <stdlib.h>

static inline int __attribute__((always_inline))
inner(int a,
      int b)
{
	return (getenv("NOBODY_SETS_THIS") ? 7 : a) + b;
}

int __attribute__((noinline))
outer(int a, int b)
{
	if (a > b)
		return inner(a, b);
	return 2;
}

int __attribute__((noinline)) old(a, b)
	int a, b;
{
	while (a < b)
		a += outer(a, 2);
	return a;
}

static void __attribute__((noinline)) rare(void)
{
	if (getenv("NOBODY_SETS_THIS"))
		abort();
}

int main(void)
{
	int i, s = 0;

	for (i = 0; i < 10; i++) {
		s += outer(i, 4) + old(i, 5);
		rare();
	}
	printf("%d\n", s);
	return 0;
}
C
for cc in gcc clang; do for o in -O0 -O1 -O2 -O3 -Os '-O2 -g' '-O1 -g -gdwarf-4' '-O2 -ffunction-sections' '-O0 -g3'; do
	[ $cc = gcc ] || case $o in *-g*) ;; *) continue ;; esac # clang says where functions are declared only if it is asked
	rm -rf tally.out
	tally build --quiet --counters=check --lines=tables $cc $o -w h.c -o h
	./h >/dev/null
	exact "$cc $o"
	tally print 2>/dev/null >listing
	sed -n 's/^ *\([0-9]*\) [ ~]\([a-z].* \)*\(inner\|outer\|old\|rare\|main\)(.*/\1 \3/p' listing >is
	grep -q '^ *[0-9][0-9]* [ ~]{$' listing && { echo "$cc $o: a brace"; cat listing; exit 1; }
	{
		# At -O0 nobody says where an inlined function begins.
		case $o in -O[123s]*) echo '10 inner' ;; *) echo ' inner' ;; esac
		printf '%s\n' '19 outer' '10 old' '10 rare' '1 main'
	} | diff - is || { echo "$cc $o"; cat listing; exit 1; }
done; done

# What never ran itself may have run where it was inlined: no line of it is said not to have run, without a mark.
cat >i.c <<'C'
#include <stdlib.h>

int
twice(int a)
{
	if (a > 3)
		return 2 * a;
	return 2;
}

int
main(int argc, char **argv)
{
	int i, s = 0;

	for (i = 0; i < 10; i++)
		s += twice(i * argc) + (getenv(argv[0]) ? 1 : 2);
	return s != 106;
}
C
rm -rf tally.out
tally build --quiet --lines=tables gcc -O2 i.c -o i
./i
tally print 2>/dev/null >listing
[ "$(tally print -f 2>/dev/null | awk '$1 == "twice" { print $2 }')" = 0 ] && ! grep '^ *0 #' listing || { cat listing; exit 1; }

cp "$ROOT/test/c/lines/operands.c" .
for o in '-O2 -g1' '-O2 -g -gno-statement-frontiers' '-O3 -g1'; do
	rm -rf tally.out
	# shellcheck disable=SC2086
	tally build --quiet --lines=tables gcc $o -w operands.c -o operands
	./operands 3 >/dev/null
	tally print 2>/dev/null >listing
	grep -q '^ *[1-9][0-9]* ~' listing &&
		! perl -ne 'print if m{^ *(\d+)  .*//= (\d+)} && $1 != $2' listing | grep . || { echo "gcc $o"; exit 1; }
done

# A function of C++ that is declared in one place and defined in another begins where it is defined.
cat >m.cc <<'C'
struct A {
	explicit A(int);
	int get() const;
	int n;
};

A::A(int k)
	: n(k)
{
	n++;
}

int
A::get() const
{
	return n;
}

int
main()
{
	A a(1);

	return a.get() + a.get() != 4;
}
C
for cc in g++ clang++; do
	rm -rf tally.out
	tally build --quiet $cc -g -O0 m.cc -o m
	./m
	tally print >listing
	grep -q '^ *1  A::A(int k)$' listing && grep -q '^ *2  A::get() const$' listing && grep -q '^ *1  main()$' listing ||
		{ echo "$cc"; cat listing; exit 1; }
done
