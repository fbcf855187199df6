# odd.sh - signals in the middle of it all, siglongjmp out of handlers, fork, vfork, exec, and every
# kind of death: the counts are exact, the program does not notice, its status is passed on.
cp "$HERE/more/odd.c" odd.c
gcc -g -O0 -w odd.c -o odd
printf 'int main(void) { return 4; }\n' >second.c
gcc -g second.c -o second
# line TEXT - the count of the line that has it
line() { awk -v t="$1" 'index($0, t) { print $1; exit }' list; }
for how in '' fork vfork exec read abort segv fpe ill trap kill; do
	was=0 is=0
	printf 'a\nb\n' | ./odd $how >out 2>/dev/null || was=$?
	rm -rf tally.out
	printf 'a\nb\n' | tally run ./odd $how >counted.out 2>err || is=$?
	[ $was = $is ] || { echo "$how: status $is, not $was"; exit 1; }
	cmp out counted.out
	tally print odd >list 2>remarks
	! grep -v 'died of a signal' remarks | grep . || { echo "$how"; exit 1; }
	work=10001
	[ "$how" != fork ] || work=10034
	[ "$(line 'ticks++;')" = "$(head -n 1 err)" ] && [ "$(line 'for (i = 0; i < k; i++)')" = $work ] &&
		[ "$(line 'raise(SIGUSR1);')" = 5 ] && [ "$(line 'siglongjmp(back')" = 5 ] &&
		[ "$(line 'execl("./second"')" = "$([ "$how" = exec ] && echo 1 || echo 0)" ] &&
		[ "$(line 'return 3;')" = "$(case $how in exec | abort | segv | fpe | ill | trap | kill) echo 0 ;; *) echo 1 ;; esac)" ] ||
		{ echo "$how: wrong"; cat list; exit 1; }
	case $how in
	segv) grep -q 'of SIGSEGV in main, .*odd.c:7[0-9]' remarks || { cat remarks; exit 1; } ;;
	kill) grep -q 'SIGKILL' remarks || { cat remarks; exit 1; } ;;
	exec) tally print second | grep -q '^ *1  int main' ;;
	fork) tally print --runs odd 2>/dev/null >runs; [ "$(awk '/exit/ { n += $1 } END { print n }' runs)" = 4 ] || { cat runs; exit 1; } ;;
	esac
done

# Who is followed.
for how in all:10034 exec:10001 none:10001; do
	rm -rf tally.out
	tally run --follow="${how%:*}" ./odd fork >/dev/null 2>&1 || [ $? = 3 ]
	tally print odd >list 2>remarks
	[ "$(line 'for (i = 0; i < k; i++)')" = "${how#*:}" ] && [ ! -s remarks ] || { echo "$how"; cat list remarks; exit 1; }
done
rm -rf tally.out
tally run --follow=none ./odd exec >/dev/null 2>&1 || [ $? = 4 ]
for f in tally.out/*; do
	case $f in tally.out/odd.*) ;; *) echo "$f: was followed"; exit 1 ;; esac
done
