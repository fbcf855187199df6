# dot.sh - Graphviz accepts every graph that we draw, and there are as many dots as
# counters.
for g in "$HERE"/../graph/*.graph "$ROOT"/examples/*.graph; do
	for kind in edges vertices redundant; do
		# Some of them contradict themselves, which is said elsewhere.
		tally graph -d --counters=$kind "$g" >g.dot 2>/dev/null || [ $? = 1 ]
		dot -Tsvg g.dot >g.svg 2>err || { echo "$g:"; cat err; exit 1; }
		[ ! -s err ] || { echo "$g:"; cat err; exit 1; }
		dots=$(grep -c 'shape=point\|●' g.dot || true)
		counters=$(tally graph -p --counters=$kind "$g" | sed -n 's/^counters *//p')
		[ "$dots" = "$counters" ] || { echo "$g, $kind: $dots dots, $counters counters"; exit 1; }
	done
done
# Names that the dot language would take for something else.
printf 'entry -> a"b\\\na"b\\ -> exit\n' >odd.graph
tally graph -d odd.graph | dot -Tplain | grep -q '^node b2' || exit 1
# What is wrong with a graph is said beside its picture.
printf 'entry -> a\na -> b count 5 counter\na -> c\nb -> exit\nc -> exit\nblock a count 3 counter\n' >bad.graph
status=0
tally graph -d --counters=given bad.graph >bad.dot 2>err || status=$?
[ $status = 1 ] && grep -q 'contradict' err && dot -Tplain bad.dot >/dev/null
