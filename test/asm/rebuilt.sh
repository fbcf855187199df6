# rebuilt.sh - runs of an earlier build do not mix with those of the present one, even if
# both have the same counters.
printf 'int f(int n) { return n ? 3 : 4; }\nint main(void) { return f(1) - 3; }\n' >p.c
tally build gcc p.c -o p
./p
printf 'int f(int n) { return n ? 5 : 4; }\nint main(void) { return f(1) - 5; }\n' >p.c
tally build gcc p.c -o p
status=0
tally print -f >out 2>err || status=$?
[ $status = 1 ] && [ ! -s out ] && grep -q '1 run of another build left out' err
./p
./p
tally print -f >out 2>err
grep -q '^f  *2 ' out && grep -q '1 run of another build left out' err
rm -rf tally.out
mkdir tally.out
status=0
tally print 2>err || status=$?
[ $status = 1 ] && grep -q 'no profiles' err
