# seed.sh - the program of Bishop's paper, a Shell sort of random numbers: its counts as he
# printed them, as gcov has them, and as a sort in awk has them.
cat >x.c <<'C'
#define MAX 100

main()
{
	register int i;
	int list[MAX];
	long random();

	for(i = 0; i < MAX; i++)
		list[i] = random();

	shell(list, MAX);
}

shell(v, n)
int v[], n;
{
	register int i, j, gap, temp;

	for(gap = n/2; gap > 0; gap /= 2)
		for(i = gap; i < n; i++)
			for(j=i-gap; j>=0 && v[j]>v[j+gap]; j-=gap) {
				temp = v[j];
				v[j] = v[j+gap];
				v[j+gap] = temp;
			}

}
C

# His numbers came from the random() of 4.2 BSD: each is the sum of two before it, 31 and 3 back;
# the first 31 are those of a congruential generator, but for the order, and 310 are thrown away.
cat >random.c <<'C'
static unsigned r[31];
static int n;

long
random(void)
{
	int i;

	if (n == 0) {
		r[0] = 1;
		for (i = 1; i < 31; i++)
			r[i] = 1103515245 * r[i - 1] + 12345;
		for (n = 34; n < 344; n++)
			r[n % 31] += r[(n - 3) % 31];
	}
	r[n % 31] += r[(n - 3) % 31];
	return r[n++ % 31] >> 1;
}
C

# sort.awk - the same again; how often each line runs, and with monitor=1 how often the first
# instruction of each line does, where lines without code count as the next that has some, and
# those outside of functions 0.
cat >sort.awk <<'A'
function times(a, x) { return (a * (x % 65536) + (a * int(x / 65536)) % 65536 * 65536) % 4294967296 }
function add(a, b) { return (a + b) % 4294967296 }
BEGIN {
	split(monitor ? "4 12 13 17 28" : "3 12 13 15 28", once) # it has a function where its brace is
	for (k in once) count[once[k]] = 1
	r[0] = 1
	for (k = 1; k < 31; k++) r[k] = add(times(1103515245, r[k - 1]), 12345)
	for (; k < 34; k++) r[k] = r[k - 31]
	for (; k < 344; k++) r[k] = add(r[k - 31], r[k - 3])
	first[9] = first[20] = 1
	for (i = 0; ; i++) {
		count[9]++
		if (i >= max) break
		count[10]++
		r[k] = add(r[k - 31], r[k - 3])
		v[i] = int(r[k++] / 2)
	}
	for (gap = int(max / 2); ; gap = int(gap / 2)) {
		count[20]++
		if (gap <= 0) break
		first[21]++
		for (i = gap; ; i++) {
			count[21]++
			if (i >= max) break
			first[22]++
			for (j = i - gap; ; j -= gap) {
				count[22]++
				if (j < 0 || v[j] <= v[j + gap]) break
				count[23]++
				t = v[j]; v[j] = v[j + gap]; v[j + gap] = t
			}
		}
	}
	count[24] = count[25] = count[23]
	for (k = 28; k > 0; k--) {
		n = k in first && monitor ? first[k] : count[k]
		if (n == "") n = !monitor ? "-" : k < 4 || k > 13 && k < 17 ? 0 : next_
		next_ = n
		line[k] = n
	}
	for (k = 1; k <= 28; k++) print k, line[k]
}
A

# counts - of x.c, out of a table.
counts() { sed -n 's/^x\.c *\([0-9]*\) *\([-0-9]*\): .*/\1 \2/p'; }
is() { diff -u --label "$1: wanted" --label got "$2" got || exit 1; }

printf '%s\n' 0 0 0 1 1 1 1 1 1 100 1 1 1 0 0 0 1 1 1 1 6 503 386 386 386 386 1 1 | cat -n | awk '{ print $1, $2 }' >paper
for max in 100 1000; do
	sed -i "s/MAX 10*/MAX $max/" x.c
	awk -v max=$max -f sort.awk >real
	awk -v max=$max -v monitor=1 -f sort.awk >first
	rm -f ./*.gc*
	gcc -std=gnu89 -w -O0 --coverage x.c random.c -o gcov
	./gcov || true
	gcov -o gcov-x.gcno x.c >/dev/null
	sed -n 's/^ *\([-0-9]*\): *\([1-9][0-9]*\):.*/\2 \1/p' x.c.gcov >got
	is 'gcov and awk' real
	for cc in gcc clang; do
		$cc -std=gnu89 -w -g -O0 x.c random.c -o x
		rm -rf tally.out
		want=0 status=0
		./x || want=$?
		tally run ./x || status=$?
		[ $status = $want ] || { echo "status $status, not $want"; exit 1; }
		tally print --table --only=x.c >table
		[ "$(head -n 1 table)" = 'FILE  LINE  COUNT' ]
		# Each line with its text, as it is.
		sed '1d; s/^[^:]*: //' table | cmp - x.c
		# clang lays the inner loop's jumps on its last brace.
		if [ $cc = gcc ]; then counts <table >got; else counts <table | sed '26s/ .*/ -/' >got; fi
		is "$cc, $max numbers" real
		# The monitor's own layout and rule.  What a compiler has to say of line 26 is its own: the
		# one of 1983 put the end of the loop there, that of today has nothing or all of its ends.
		status=0
		ctrace ./x >traced || status=$?
		[ $status = $want ] || { echo "ctrace: status $status, not $want"; exit 1; }
		[ "$(sed -n 3p traced)" = 'FILE      LINE  COUNT' ]
		counts <traced | sed 26d >got
		sed 26d first >wanted
		is "ctrace, $cc, $max numbers" wanted
		if [ $max = 100 ]; then
			sed 26d paper >wanted
			is "ctrace and the paper, $cc" wanted
		fi
	done
done
# Calls of functions, and blocks; what has no line is of no file.
ctrace --functions ./x >traced || true
grep -q '^x\.c  *17  *1: shell$' traced
grep -q '^?  *-  *1: _start$' traced
ctrace --blocks --scaled --only=shell ./x >traced || true
awk -v most="$(awk '$1 == 22 { print $2 }' real)" '$3 == most ":" && length($4) == 40 { found = 1 } END { exit !found }' traced

# It leaves nothing behind, and the program does not see what it does.
rm -rf tally.out && mkdir tmp
# shellcheck disable=SC2016
TMPDIR=$PWD/tmp TALLY_DIR=seen ctrace --only=main bash -c 'echo "$TALLY_DIR"; kill -TERM $$' >out 2>err && exit 1
[ "$(head -n 1 out)" = seen ] && [ -z "$(ls tmp)" ] && [ ! -e tally.out ] && [ ! -e seen ]
