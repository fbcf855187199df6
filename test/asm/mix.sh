# mix.sh - tally mix: every instruction that was executed is in it, once, in each way to sort
# them; and what they cost.
cp "$ROOT"/test/sample/sort.c p.c
args=$(arguments p.c)
tally build --quiet gcc -O0 -w p.c -o p -lm
# shellcheck disable=SC2086
./p $args >/dev/null
want=$(tally print -f | awk 'NR > 1 { s += $3 } END { print s }')
total() { awk '$1 == "all" { n += $2; b += $4; r += $5; w += $6 } END { print n, b, r, w }'; }
all=$(tally mix | total)
[ "${all%% *}" = "$want" ] || { echo "$all, not $want"; exit 1; }
for by in mnemonic class length; do for per in program file function; do
	[ "$(tally mix --by=$by --per=$per | total)" = "$all" ] || { echo "$by $per"; exit 1; }
done; done
tally mix --by=length | awk '$1 ~ /^[0-9]/ && $1 * $2 != $4 { print; exit 1 }'

# By hand: two calls of a function that reads two words and writes one, besides the stack.
cat >q.s <<'S'
	.text
	.globl	f
	.type	f, @function
f:	movl	x(%rip), %eax
	addl	x(%rip), %eax
	movl	%eax, y(%rip)
	leaq	x(%rip), %rcx
	nopl	(%rax)
	ret
	.size	f, .-f
	.local	x
	.comm	x,4,4
	.local	y
	.comm	y,4,4
	.section	.note.GNU-stack,"",@progbits
S
echo 'void f(void); int main(void) { f(); f(); return 0; }' >m.c
tally build --quiet gcc -O1 m.c q.s -o q
rm -rf tally.out
./q
printf '# a machine\nmov* 10\nread 1  # each\nwrite 100\nclass:RET 1000\nbyte 0.5\n' >costs
tally mix --only=f --costs=costs >out
diff -u - out <<T
$PWD/q:
instruction  executed    share  bytes  reads  writes  cost
mov                 4   33.33%     24      2       2   254
add                 2   16.67%     12      2       0     8
lea                 2   16.67%     14      0       0     7
nop                 2   16.67%      6      0       0     3
ret                 2   16.67%      2      2       0  2003
all                12  100.00%     58      6       2  2275
T
echo 'mov' >costs
status=0
tally mix --costs=costs 2>err || status=$?
[ $status = 1 ] && grep -q 'costs: line 1: expected an instruction and its cost$' err || { cat err; exit 1; }
status=0
tally mix --by=color 2>/dev/null || status=$?
[ $status = 2 ]
