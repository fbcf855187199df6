# middle.sh - functions that are entered in the middle, by jumps and calls from others, as they are: every instruction
# runs as often as callgrind says, however it is counted, and calls are those at the begin and in the middle.
from=$HERE/../asm/middle
valgrind --version >/dev/null 2>&1 || { echo "there is no valgrind"; exit 77; }
functions='whole jumper caller other later ping pong fact falls next where twice distance flags carry zero rest'
gcc -g -no-pie -O1 "$from/main.c" "$from/functions.s" -o plain
./plain >wanted
# alias has a symbol of its own.  Of twice nobody can tell how often the block after its call is called, and how often that returns.
sed 's/^named 18/named 12/; s/^twice 24/twice 12/; $a alias 18' "$from/calls" | sort >calls
for how in --blocks --lines --instructions; do
	rm -rf tally.out
	tally run $how ./plain | cmp - wanted
	"$ROOT/test/callinsns" plain plain $functions || { echo "$how"; exit 1; }
	tally print -f 2>err | awk 'NR > 1 { print $1, $2 }' | sort >table
	comm -23 calls table >missing
	[ ! -s missing ] && [ ! -s err ] || { echo "$how"; cat table missing err; exit 1; }
	if grep '^_init [^1]' table; then exit 1; fi # what follows it is not its own
done

# Who leads there may not be counted.
for f in whole later fact ping; do
	rm -rf tally.out
	tally run --blocks --only=$f ./plain >/dev/null
	"$ROOT/test/callinsns" plain plain $f || { echo "--only=$f"; exit 1; }
done

# Frames of such functions are left when the program ends; and jumps of others come where indirect ones do.
gcc -no-pie -O1 "$from/leftmain.c" "$from/left.s" -o plain
rm -rf tally.out
tally run --blocks ./plain
"$ROOT/test/callinsns" plain plain first second
gcc -no-pie -O1 "$from/tablemain.c" "$from/table.s" -o plain
rm -rf tally.out
tally run --blocks ./plain
"$ROOT/test/callinsns" plain plain a b

# In the wild: the C library's mempcpy jumps into the middle of memcpy.
cat >copies.c <<'C'
#define _GNU_SOURCE
#include <string.h>
static char from[100], to[100];
int
main(void)
{
	int i;

	for (i = 0; i < 1000; i++)
		memcpy(to, from, 80);
	for (i = 0; i < 500; i++)
		mempcpy(to, from, 80);
	return 0;
}
C
gcc -O0 -fno-builtin -static copies.c -o copies
for how in blocks instructions; do
	TALLY_DIR=$how tally run --$how --only='*memcpy*' --only='*mempcpy*' --only='*memmove*' ./copies
	TALLY_DIR=$how tally print -a >$how.txt
done
cmp blocks.txt instructions.txt
grep -q '^ *150[0-9] ' blocks.txt

# Past a prefix of an instruction, as C libraries jump: whoever comes to the prefix does the rest, too.
cat >lock.s <<'E'
	.globl	add
	.type	add, @function
add:	xorl	%eax, %eax
	testl	$1, %edi
	jz	1f
	lock
1:	addl	$1, word(%rip)
	ret
	.size	add, .-add
	.globl	odd
	.type	odd, @function
odd:	testl	$1, %edi	# into the middle of another instruction: a breakpoint cannot be there
	jz	1f+1
1:	.byte	0xb8, 0x90, 0x90, 0x90, 0x90
	ret
	.size	odd, .-odd
	.bss
	.globl	word
word:	.zero	4
	.section	.note.GNU-stack,"",@progbits
E
cat >lockmain.c <<'C'
void add(int), odd(int);
extern int word;
int
main(void)
{
	int i;

	for (i = 0; i < 9; i++) {
		add(i);
		odd(i);
	}
	return word != 9;
}
C
gcc -g lockmain.c lock.s -o lock
for how in --blocks --instructions; do
	rm -rf tally.out
	tally run $how ./lock
	tally print -a --only=add 2>err | awk '/^ *[0-9]/ && $1 != 9 { bad = 1 } /^ *9  *addl/ { n++ } END { exit bad || n != 1 }'
	if grep contradict err; then exit 1; fi
	tally print -f 2>/dev/null | grep -q '^odd .*uncounted: has a jump into the middle of an instruction'
done
