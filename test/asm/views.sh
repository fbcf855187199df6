# views.sh - the views agree with each other and with objdump: instructions per line add up
# to those of functions; -a shows the very instructions of the program without counters.
for n in switch sort recursion pieces goto; do cp "$ROOT/test/sample/$n.c" .; done
cat >names.pl <<'P'
# Two disassemblers' names for an instruction, made one.
while (<>) {
	my ($f, $m) = split;
	$m =~ s/^(call|ret|jmp|push|pop|leave)q?$/$1/;
	$m =~ s/^j(?!mp).*/jCC/;
	$m =~ s/^(cmov|set).*/$1/;
	$m =~ s/^(cdqe|cwd|cqo|cdq|cltq|cqto|cltd|cwde|cwtl)$/conv/;
	$m =~ s/^(mov(zx|sx|sxd|zb.|zw.|sb.|sw.|slq|abs).*|mov[bwlq])$/mov/;
	$m =~ s/^sal/shl/;
	$m =~ s/^(add|sub|cmp|test|and|or|xor|lea|imul|mul|shl|shr|sar|neg|not|idiv|div|inc|dec|sbb|adc|bt)[bwlq]$/$1/;
	print "$f $m\n" unless $m =~ /^nop/;
}
P
for cc in gcc clang; do for o in -O0 -O2 -O3; do for n in switch sort recursion pieces goto; do
	what="$cc $o $n"
	rm -rf tally.out
	integrated=
	[ $cc = gcc ] || integrated=-fno-integrated-as
	$cc $o $integrated -w -g "$n.c" -c -o plain.o
	$cc plain.o -o plain -lm
	tally build --lines=tables $cc $o -w -g "$n.c" -o "$n" -lm
	./"$n" >/dev/null </dev/null || true
	tally print -f >functions
	tally print -i >lines
	total=$(awk '$1 != "function" && $3 ~ /^[0-9]+$/ { s += $3 } END { print s }' functions)
	sum=$(awk '$1 ~ /^[0-9]+i$/ { s += $1 } END { print s }' lines)
	[ "$total" = "$sum" ] || { echo "$what: $total instructions by function, $sum by line"; exit 1; }
	# Mnemonics in order, padding aside; names differ between the two in suffixes and synonyms.
	tally print -a >insns
	awk '/^[a-zA-Z_0-9.]+:$/ { f = $1 } /^ *[0-9]+ .  / { sub(/^ *[0-9]+ .  /, ""); print f, $1 }' insns |
		perl names.pl | sort -s -k1,1 >got
	objdump -d --no-show-raw-insn plain |
		awk '/^[0-9a-f]+ </ { gsub(/[<>]/, "", $2); f = $2 } /^ / { print f, $2, $3 }' |
		awk '$2 == "xchg" && $3 == "%ax,%ax" { next } $2 ~ /^(cs|data16|nop)/ { next } { print $1, $2 }' |
		perl names.pl | awk 'NR == FNR { f[$1]; next } $1 in f' <(grep '^[a-zA-Z_0-9.]*:$' insns) - |
		sort -s -k1,1 >want
	diff want got >differences || { echo "$what: -a and objdump differ"; head -20 differences; exit 1; }
	# Counts of -a add up to the same, padding between blocks aside.
	sum=$(sed -n 's/^ *\([0-9]*\) .  .*/\1/p' insns | awk '{ s += $1 } END { print s }')
	[ "$sum" -le "$total" ] && [ "$sum" -gt $((total * 9 / 10)) ] || { echo "$what: -a has $sum of $total"; exit 1; }
done; done; done

# No code of ours shows, nor a place that is not one of the program's.
! grep -q 'gs:\|pushf\|popf' insns

# Choosing, sorting, sources that have moved, colours.
rm -rf tally.out
tally build gcc -O0 sort.c switch.c -c -w
printf 'int sort_main(void); int switch_main(void);\nint main(void)\n{\n\tif (sort_main() + switch_main() > 300)\n\t\treturn 1;\n\treturn 0;\n}\n' >main.c
tally build gcc -O0 -w -Dmain=sort_main -c sort.c
tally build gcc -O0 -w -Dmain=switch_main -c switch.c
tally build gcc -O0 main.c sort.o switch.o -o both
./both >/dev/null || true
[ "$(tally print | grep -c '^/.*:$')" = 3 ]
[ "$(tally print --only=sort.c | grep -c '^/.*:$')" = 1 ]
[ "$(tally print --only='s*.c' | grep -c '^/.*:$')" = 2 ]
tally print --only=sort_main >out
grep -q '^/.*sort.c:$' out
[ "$(wc -l <out)" -lt "$(wc -l <sort.c)" ]
[ "$(tally print -f --only='*_main' | wc -l)" = 3 ]
tally print -f --sort=instructions | awk 'NR > 1 { print $3 }' >nums
sort -rn nums | diff nums -
tally print -s --sort=bb | awk '{ print $5 + 0 }' >nums
sort -rn nums | diff nums -
tally print -f --sort=nothing 2>err && exit 1
grep -q 'choose name, calls' err
mkdir moved && mv ./*.c moved
tally print --only=sort.c 2>err | grep -q 'seed'
grep -q 'sort.c: not found; using moved/sort.c instead' err
cp moved/sort.c . && mkdir other && mv sort.c other
tally print --only=sort.c | grep -q ' line [0-9]*$'
tally print --only=sort.c --prefix-map="$PWD=$PWD/moved" | grep -q 'seed'
tally print --color=always --only=main --prefix-map="$PWD=$PWD/moved" >out
[ "$(grep -c "$(printf '\033')\[31m" out)" = 1 ] && grep -q 'return 1' out
! tally print | grep -q "$(printf '\033')"
! script -qec 'NO_COLOR=1 tally print --no-pager' /dev/null | grep -q "$(printf '\033')"
tally print -i -p --only=main --prefix-map="$PWD=$PWD/moved" | grep -q '^ *1 .  *[0-9]*i int main'
