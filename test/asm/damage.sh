# damage.sh - maps and profiles with bits flipped, cut short, of another build: an
# answer or a clear error, never a crash.
cp "$ROOT/test/sample/switch.c" .
tally build gcc -O2 switch.c -o prog
./prog
cp tally.out/*.tally good.tally
cp prog good.prog
cat >damage.pl <<'P'
# damage FILE FROM LENGTH SEED - change some bytes there, or end the file there.
my ($file, $from, $len, $seed) = @ARGV;
srand($seed);
open my $f, '+<', $file or die;
binmode $f;
if ($seed % 5 == 0) { truncate $f, $from + int rand $len; exit }
for (0 .. int rand 4) {
	my $at = $from + int rand $len;
	seek $f, $at, 0;
	read $f, my $c, 1;
	seek $f, $at, 0;
	my @with = ($c ^ chr(1 << int rand 8), chr(255), chr(0), chr(int rand 256));
	print $f $with[rand @with];
}
P
read -r off size < <(readelf -SW prog | awk '/ \.tally_map/ { print strtonum("0x" $5), strtonum("0x" $6) }' 2>/dev/null ||
	readelf -SW prog | perl -ne 'print hex($1), " ", hex($2), "\n" if /\.tally_map +\S+ +\S+ (\S+) (\S+)/')
[ "${size:-0}" -gt 100 ] || read -r off size < <(readelf -SW prog | perl -ne 'print hex($1), " ", hex($2), "\n" if /\.tally_map +\S+ +\S+ (\S+) (\S+)/')
[ "$size" -gt 100 ]
errors=0 n=0
try() { # what was done
	local status=0
	tally print -f t.tally >out 2>err || status=$?
	tally print t.tally >/dev/null 2>&1 || [ $? = 1 ]
	[ $status -le 1 ] || { echo "$1: status $status"; cat err; exit 1; }
	[ $status = 0 ] || [ -s err ] || { echo "$1: no word"; exit 1; }
	errors=$((errors + status)) n=$((n + 1))
}
length=$(stat -c %s good.tally)
for seed in $(seq 150); do
	cp good.tally t.tally
	perl damage.pl t.tally 0 "$length" "$seed"
	try "profile, seed $seed"
done
for seed in $(seq 150); do
	cp good.tally t.tally
	cp good.prog prog
	[ $((seed % 5)) = 0 ] || perl damage.pl prog "$off" "$size" "$seed"
	try "map, seed $seed"
done
# Another build.
printf 'int main(void) { return 0; }\n' >other.c
tally build gcc other.c -o prog
try 'another build'
grep -q 'has changed since it ran' err
gcc other.c -o prog
try 'not counted'
grep -q 'has no map' err
rm prog
try 'gone'
grep -q 'prog: No such file' err
echo "# $n damaged, $errors refused"
[ $errors -gt 100 ]
