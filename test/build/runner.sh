# runner.sh - the test runner itself: a failure shows the difference and makes the run
# fail, one test can be run alone, a skip says why, --bless accepts.
unset TIMES
mkdir -p t/test/x t/bin
cp "$ROOT"/test/{run,lib.bash,sample.bash} t/test/
ln -s "$BUILD/tally" t/bin/tally
cd t
printf 'entry -> a\na -> exit\n' >test/x/wrong.graph
echo nonsense >test/x/wrong.out
echo 'pwd >where; [ "$(ls)" = where ]' >test/x/right.sh
echo 'echo no luck; exit 77' >test/x/skipped.sh
echo 'exit 1 # tally-test:slow' >test/x/slow.sh

status=0
BUILD=$PWD/bin test/run --fast >log || status=$?
[ $status != 0 ] || { echo 'a failing test does not make the run fail'; exit 1; }
grep -q '^     | -nonsense' log && grep -q '^     | +entry' log
grep -q '^skip x/skipped: no luck' log
[ "$(tail -n 1 log)" = '1 passed, 1 failed, 1 skipped' ]
[ "$(tail -n 2 log | head -n 1)" = 'failed: x/wrong' ]
BUILD=$PWD/bin test/run x/right | tail -n 1 | grep -qx '1 passed, 0 failed'
BUILD=$PWD/bin test/run --bless 'x/wr*' >/dev/null
BUILD=$PWD/bin test/run 'x/wr*' | tail -n 1 | grep -qx '1 passed, 0 failed'
status=0
BUILD=$PWD/bin test/run x/nosuch >/dev/null || status=$?
[ $status != 0 ] || { echo 'a run without tests passes'; exit 1; }

# A test whose run is killed fails, and so do those that then never run.
rm test/x/*
echo 'kill -9 $(ps -o ppid= -p $(ps -o ppid= -p $(ps -o ppid= -p $$)))' >test/x/a.sh
echo 'exit 0' >test/x/b.sh
status=0
BUILD=$PWD/bin test/run -j1 >log 2>&1 || status=$?
[ $status != 0 ] || { echo 'a killed run passes'; cat log; exit 1; }
[ "$(tail -n 2 log | tr '\n' '/')" = 'failed: x/a x/b/0 passed, 2 failed/' ] || { cat log; exit 1; }

# A sample runs through each road that it names, and fails on any that does not count what it says, or does otherwise.
rm test/x/*
mkdir test/sample
sample() { # NAME ROADS TEXT
	printf '/* %s.c - a sample.  roads: %s  by: gcc */\n%s\n' "$1" "$2" "$3" >test/sample/"$1".c
}
for road in asm c live; do
	sample "count-$road" $road 'int main(void) { return 0; } //= 2'
	sample "output-$road" $road "$(printf '#include <stdio.h>\n#include <unistd.h>\nint main(void)\n{\n\tprintf("%%d\\n", getpid()); //= 1\n\treturn 0;\n}')"
done
sample right all 'int main(void) { return 0; } //= 1'
sample nowhere elsewhere 'int main(void) { return 0; } //= 1'
sample roadless '' 'int main(void) { return 0; } //= 1'
status=0
BUILD=$PWD/bin test/run >log 2>&1 || status=$?
[ $status != 0 ] && [ "$(tail -n 1 log)" = '1 passed, 8 failed' ] || { cat log; exit 1; }
grep -q '^ok   sample/right$' log || { cat log; exit 1; }
rm -r test/sample

# The tree may lie anywhere: tests know where it is by a path that may have spaces.
mkdir 'a dir'
for f in "$ROOT"/*; do ln -s "$f" 'a dir'; done
rm -f 'a dir/build' 'a dir/test'
cp -R "$ROOT/test" 'a dir'
ln -s "$BUILD" 'a dir/build'
BUILD=build 'a dir/test/run' c/zprof >log 2>&1 || { cat log; exit 1; }
