# real.sh - two small real programs pass their tests with counters, and redundant and
# optimal counters agree.  `make realworld' has more of them.
# tally-test:slow
status=0
"$ROOT/test/real/run" --check bzip2 zlib >out 2>&1 || status=$?
[ $status != 77 ] || { grep -h '^skip' out | tail -n 1; exit 77; }
[ $status = 0 ] || { cat out; exit 1; }
sed 's/^/# /' out
