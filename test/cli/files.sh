# files.sh - files that are missing, odd or endless; outputs that are full or gone.
fails() { # PATTERN COMMAND...
	local pattern=$1 status=0
	shift
	"$@" >out 2>err || status=$?
	[ $status = 1 ] || { echo "$*: status $status, not 1"; exit 1; }
	grep -q "$pattern" err || { echo "$*: no '$pattern' in:"; cat err; exit 1; }
	[ "$(wc -l <err)" = 1 ] || { echo "$*: more than a line:"; cat err; exit 1; }
}
printf 'entry -> a\na -> exit' >'a b.graph' # and no newline at its end
tally graph 'a b.graph' >plain
tally graph - <'a b.graph' | cmp - plain
printf 'entry -> a\r\na -> exit\r\n' >dos.graph
tally graph dos.graph | cmp - plain

fails 'open nothing: No such file' tally graph nothing
fails 'read \.: Is a directory' tally graph .
fails "standard output: No space left" sh -c "tally graph 'a b.graph' >/dev/full"

# A reader that goes away is no error of ours.
for i in $(seq 20000); do echo "b$i -> b$((i + 1))"; done >long.graph
sed -i '1i entry -> b1' long.graph
tally graph long.graph 2>err | head -n 1 >/dev/null
[ ! -s err ] || { cat err; exit 1; }
