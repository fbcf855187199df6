# lcov.sh - export --lcov: lines are those of the listing, in C, C++ and Fortran; branches those
# of print --branches; functions those of gcov; and genhtml shows all of them.
command -v genhtml >/dev/null || { echo "genhtml (lcov) is not there"; exit 77; }

cat >a.c <<'C'
static int
pick(int x)
{
	if (x > 3 && x < 8)
		return 1;
	return x ? 2 : 3;
}

static inline int next(int x) { return x + 1; }

int
never(int x)
{
	while (x > 1)
		x--;
	return x;
}

int
main(int argc, char **argv)
{
	int i, s = 0;

	(void)argv;
	for (i = 0; i < 10; i++)
		s += pick(i) + next(i);
	if (argc > 5)
		s = never(s);
	return s == 0;
}
C
cat >b.cc <<'C'
#include <vector>
struct S {
	int v;
	S(int x, long y) : v(x + (int)y) {}
	int get() const { return v; }
};
template <class T> T twice(T x) { return x + x; }
static int sum(const std::vector<S> &a, int from)
{
	int s = 0;
	for (auto &x : a)
		s += x.get();
	return s + from;
}
int main()
{
	std::vector<S> a;
	for (int i = 0; i < 5; i++)
		a.push_back(S(i, 1));
	return twice(sum(a, 1)) + (int)twice(1.5) == 0;
}
C
cat >c.f90 <<'F'
program c
	integer :: i, s
	s = 0
	do i = 1, 7
		s = s + twice(i)
	end do
	print *, s
contains
	integer function twice(i)
		integer, intent(in) :: i
		twice = 2 * i
	end function
end program
F

# listed - FILE LINE COUNT from the listing, sources with the path before.
listed() {
	tally print "$@" | perl -ne '
		if (m,^(/.*):$,) { $f = $1; $n = 0; next }
		$n++;
		print "$f $n $1\n" if /^ *(\d+) ./ && length > 12' | sort
}
# traced FILE - the same from a tracefile.
traced() { perl -ne '$f = $1 if /^SF:(.*)/; print "$f $1 $2\n" if /^DA:(\d+),(\d+)/' "$1" | sort; }

for o in -O0 -O2; do
	rm -rf tally.out html
	tally build --quiet --branches gcc $o a.c -o a
	tally build --quiet g++ $o b.cc -o b
	tally build --quiet gfortran $o c.f90 -o c
	./a; ./b; ./c >/dev/null
	# Between two files of a listing there is an empty line, so one at a time.
	for p in a b c; do
		tally export --lcov -o $p.info $p
		traced $p.info >got
		listed $p >want
		[ -s want ]
		diff want got || { echo "$p $o"; exit 1; }
	done
	tally export --lcov -o all.info
	cat a.info b.info c.info | cmp - all.info
	genhtml -q --demangle-cpp --branch-coverage -o html all.info >out 2>&1 || { cat out; exit 1; }
	! grep -i 'warning\|error' out
	page=$(find html -name a.c.gcov.html)
	sed 's/<[^>]*>//g' "$page" >text
	grep -q '11 : .*for (i = 0; i < 10; i++)\|11 : .*for (i = 0; i &lt; 10; i++)' text || { cat text; exit 1; }
	grep -q ' 0 : .*s = never(s);' text
	if [ $o = -O0 ]; then
		sed 's/<[^>]*>//g' "$(find html -name b.cc.func.html)" >text
		grep -A1 'S::S(int, long)' text | grep -q '^ *5$' && grep -A1 'sum(.*, int)' text | grep -q '^ *1$' ||
			{ cat text; exit 1; }
	fi
	# LF, LH and their like add up to what is in there.
	awk -F'[:,]' '/^DA/ { n++; h += $3 > 0 } /^FNDA/ { fn++; fh += $2 > 0 } /^BRDA/ { b++; bh += $5 > 0 }
		/^LF/ { lf += $2 } /^LH/ { lh += $2 } /^FNF/ { ff += $2 } /^FNH/ { fnh += $2 }
		/^BRF/ { bf += $2 } /^BRH/ { brh += $2 }
		END { exit n != lf || h != lh || fn != ff || fh != fnh || b != bf || bh != brh || !b || !fn || !n }' all.info
done

# Functions and branches, at -O2 where the functions are gone: calls and places as gcov -O0 has them.
gcc -O0 --coverage a.c -o covered
./covered
gcov -t -b --json-format covered-a.gcda | perl -MJSON::PP -e '
	my $f = decode_json(join "", <STDIN>)->{files}[0];
	print "$_->{start_line} $_->{name} $_->{execution_count}\n" for @{$f->{functions}};
	for my $l (@{$f->{lines}}) {
		print "$l->{line_number}: ", join(" ", sort map { $_->{count} } @{$l->{branches}}), "\n" if @{$l->{branches}} == 2;
	}' | sort >want
perl -ne '$at{$2} = $1 if /^FN:(\d+),(.*)/; print "$at{$2} $2 $1\n" if /^FNDA:(\d+),(.*)/;
	push @{$b{$1}}, $2 eq "-" ? 0 : $2 if /^BRDA:(\d+),\d+,\d+,(.*)/;
	END { for (keys %b) { print "$_: @{[sort @{$b{$_}}]}\n" if @{$b{$_}} == 2 } }' a.info | sort >got
diff want got
grep -q '^8*9 next 10$' got && grep -q '^BRDA:14,0,0,-$' a.info # inlined; never reached
# An && and the if around it: 6 of 10 and 4 of 10.
[ "$(grep '^BRDA:4,' a.info | tr '\n' ' ')" = 'BRDA:4,0,0,4 BRDA:4,0,1,6 BRDA:4,1,0,6 BRDA:4,1,1,4 ' ]

# Parts.
tally export --lcov --only=next | grep -c '^DA' | grep -qx 1
[ "$(tally export --lcov --only='*.cc' | grep '^SF')" = "SF:$PWD/b.cc" ]
