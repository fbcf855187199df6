# kernel.sh - a kernel of a few lines counts in its own memory: read from what an emulator dumps
# of that, as plain bytes and as a core.
command -v qemu-system-x86_64 >/dev/null || { echo 'there is no qemu-system-x86_64'; exit 77; }
cat >boot.S <<'S'
/* Where an emulator begins (PVH): 32 bits, no paging.  Map the first GB to itself, go on in 64. */
	.section .note.pvh, "a", @note
	.long 4, 4, 18
	.asciz "Xen"
	.long start
	.code32
	.section .text.boot, "ax", @progbits
	.globl start
start:	movl $tables, %edi
	xorl %eax, %eax
	movl $3 * 4096 / 4, %ecx
	rep stosl
	movl $tables + 4096 + 3, tables
	movl $tables + 8192 + 3, tables + 4096
	movl $0x83, %eax
	movl $tables + 8192, %edi
1:	movl %eax, (%edi)
	addl $0x200000, %eax
	addl $8, %edi
	cmpl $tables + 12288, %edi
	jne 1b
	movl $tables, %eax
	movl %eax, %cr3
	movl %cr4, %eax
	orl $0x20, %eax
	movl %eax, %cr4
	movl $0xc0000080, %ecx
	rdmsr
	orl $0x100, %eax
	wrmsr
	movl %cr0, %eax
	orl $0x80000001, %eax
	movl %eax, %cr0
	lgdt gdtr
	ljmp $8, $long
	.code64
long:	movl $stack, %esp
	xorl %ebp, %ebp
	call kernel
2:	hlt
	jmp 2b
	.balign 8
gdt:	.quad 0, 0x00af9a000000ffff
gdtr:	.word 15
	.quad gdt
	.bss
	.balign 4096
tables:	.zero 12288
	.zero 16384
stack:
S
cat >kernel.c <<'C'
typedef unsigned long Word;
static volatile Word sink;
static void out(char c) { __asm__ volatile("outb %0, %1" : : "a"(c), "d"((short)0x3f8)); }
__attribute__((noinline)) static Word collatz(Word n)
{
	Word steps = 0; //= 1000
	while (n != 1) {
		if (n & 1)
			n = 3 * n + 1;
		else
			n /= 2;
		steps++; //= 59542
	}
	return steps; //= 1000
}
static void one(void) { sink++; } //= 67
static void two(void) { sink += 2; } //= 33
static void (*const task[])(void) = {one, two, one};
void kernel(void)
{
	const char *s;
	Word i, total = 0;
	for (i = 1; i <= 1000; i++)
		total += collatz(i); //= 1000
	for (i = 0; i < 100; i++)
		task[i % 3](); //= 100
	for (s = total == 59542 ? "done\n" : "wrong\n"; *s; s++)
		out(*s); //= 5
	for (;;)
		__asm__ volatile("hlt");
}
C
cat >kernel.ld <<'L'
ENTRY(start)
SECTIONS
{
	. = 0x100000;
	.text : { *(.text.boot) *(.text .text.*) }
	.note : { *(.note.pvh) }
	.rodata : { *(.rodata .rodata.*) }
	.data : { *(.data .data.*) }
	.bss : { *(.bss .bss.*) *(tally_counters) *(COMMON) }
	end = .;
	.tally_map : { *(.tally_map) }
	/DISCARD/ : { *(.note.gnu.*) *(.comment) *(.eh_frame) }
}
L
# boot IMAGE - run it until it has done its work, and dump its memory.
boot() {
	local n=0 size
	size=$((0x$(nm "$1" | awk '$3 == "end" { print $1 }') - 0x100000))
	rm -f serial raw core monitor
	mkfifo monitor
	timeout 100 qemu-system-x86_64 -M pc -accel tcg -m 64 -display none -nodefaults -no-reboot \
		-serial file:serial -monitor stdio -kernel "$1" <monitor >qemu.log 2>&1 &
	exec 8>monitor
	until grep -q . serial 2>/dev/null || [ $n = 600 ]; do sleep 0.1; n=$((n + 1)); done
	until grep -q "done\|wrong" serial 2>/dev/null || [ $n = 600 ]; do sleep 0.1; n=$((n + 1)); done
	printf 'pmemsave 0x100000 %d raw\ndump-guest-memory core\nquit\n' "$size" >&8
	exec 8>&-
	wait $! || true
	grep -q '^done' serial && [ -s raw ] && [ -s core ] || { cat qemu.log serial; exit 1; }
}
flags='-ffreestanding -fno-pic -mcmodel=kernel -mno-red-zone -mgeneral-regs-only -fno-stack-protector -fno-asynchronous-unwind-tables -w'
for cc in gcc clang; do
	# shellcheck disable=SC2086
	tally build --quiet --runtime=none --counters=check $cc $flags -O0 -c kernel.c
	tally build --quiet --runtime=none $cc -c boot.S
	ld -z noexecstack -T kernel.ld boot.o kernel.o -o image
	! nm -u image | grep . || exit 1
	boot image
	for dump in raw core; do
		doubted=yes answers "$cc $dump" kernel.c --memory=$dump image
		tally print --memory=$dump --compare image >compared 2>/dev/null || true
		! grep -v '^kernel: block\|blocks compared' compared || { echo "$cc $dump"; exit 1; }
	done
	tally print --memory raw --base 0x100000 --calls image 2>/dev/null | awk 'NR > 1 { print $1, $2, $3 }' | LC_ALL=C sort >got
	printf '100 kernel *\n1000 kernel collatz\n5 kernel out\n' | diff - got
	# Other addresses are noticed.
	for base in 0xffffc 0x100010 0x101000; do
		! tally print --memory raw --base $base -f image 2>err || exit 1
		grep -q 'does not have the code of image\|none of its code' err || { cat err; exit 1; }
	done
done
