/* stubs.h - the code to which calls of certain functions lead instead (names.h has the list), and
 * to which some of them return.
 *
 * A stub saves the argument registers and the callee-saved ones and calls hooked() (hooks.h), which
 * says where to go on.  Usually the stub restores the registers and jumps there: the function runs
 * as if it had been called directly.  If frames are about to be left, the stub calls the function
 * instead and leaves a Jump on the stack, by which a walk of the stack knows what has been
 * recorded.  Stubs are 16 bytes each, in the order of their numbers:
 *
 *	0 to NHOOK - 1		functions
 *	FORKED, FINISH,		called like functions, but nothing follows
 *	UNWINDING
 *	EXECFAILED, SWAPPED	returned to: they have no return address of their own
 *	AFTERFORK		the same; no walk of the stack passes there
 *	OTHER + the number	functions of the C library that another
 *	of a function		definition preempts
 *
 * The macros also serve other code that is called from the middle of the program's. */

#ifndef STUBS_H
#define STUBS_H

#include "process.h"

extern const char stubs[] __attribute__((visibility("hidden")));
extern const char jumping[] __attribute__((visibility("hidden")));
extern const char jumped[] __attribute__((visibility("hidden")));

_Static_assert(FINISH == NHOOK + 1 && EXECFAILED == NHOOK + 3 && OTHER == NHOOK + 6, "as the stubs are below");
_Static_assert(sizeof(Jump) == 168 && sizeof(Hooked) == 120, "as the stubs are below");

/* ONEMORE - counts the functions, in the assembler. */
#define ONEMORE(number, ...) ".set .Ltally_nhook, .Ltally_nhook + 1\n"

/* keep, unkeep - save a register on the stack, restore it. */
__asm__(".macro .Ltally_keep reg\n"
	"	pushq	%\\reg\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset \\reg, 0\n"
	".endm\n"
	".macro .Ltally_unkeep reg\n"
	"	popq	%\\reg\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_restore \\reg\n"
	".endm\n"
	/* keepall, unkeepall - all but rsp, r10 and r11. */
	".macro .Ltally_keepall\n"
	"	.irp reg, rdi, rsi, rdx, rcx, r8, r9, rax, rbx, rbp, r12, r13, r14, r15\n"
	"	.Ltally_keep \\reg\n"
	"	.endr\n"
	".endm\n"
	".macro .Ltally_unkeepall\n"
	"	.irp reg, r15, r14, r13, r12, rbp, rbx, rax, r9, r8, rcx, rdx, rsi, rdi\n"
	"	.Ltally_unkeep \\reg\n"
	"	.endr\n"
	".endm\n"
	/* vectors - save or load the vector registers, 256 bytes at rsp: the C library uses some */
	".macro .Ltally_vectors load\n"
	"	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"	.if \\load\n"
	"	movups	16*\\n(%rsp), %xmm\\n\n"
	"	.else\n"
	"	movups	%xmm\\n, 16*\\n(%rsp)\n"
	"	.endif\n"
	"	.endr\n"
	".endm\n"
	".text\n"
	".balign 16\n"
	".type	stubs, @function\n"
	"stubs:\n"
	".set .Ltally_nhook, 0\n" HOOKS(ONEMORE) STATICHOOKS(ONEMORE)
	".set .Ltally_which, 0\n"
	".rept .Ltally_nhook + 3\n"
	"	.balign 16\n"
	"	.cfi_startproc\n"
	"	pushq	$.Ltally_which\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	jmp	stub\n"
	"	.cfi_endproc\n"
	"	.set .Ltally_which, .Ltally_which + 1\n"
	".endr\n"
	".rept 2\n"
	"	.balign 16\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	call	1f\n" /* space for the return address; until it is known, walks end here */
	"1:	pushq	$.Ltally_which\n"
	"	jmp	stub\n"
	"	.cfi_endproc\n"
	"	.set .Ltally_which, .Ltally_which + 1\n"
	".endr\n"
	"	.balign 16\n"
	"	pushq	$0\n"
	"	pushq	$.Ltally_which\n"
	"	jmp	stub\n"
	"	.set .Ltally_which, .Ltally_which + 1\n"
	".rept .Ltally_nhook\n"
	"	.balign 16\n"
	"	.cfi_startproc\n"
	"	pushq	$.Ltally_which\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	jmp	stub\n"
	"	.cfi_endproc\n"
	"	.set .Ltally_which, .Ltally_which + 1\n"
	".endr\n"
	".type	finishing, @function\n"
	".set finishing, stubs + 16 * (.Ltally_nhook + 1)\n"
	".type	stub, @function\n"
	"stub:\n"
	"	.cfi_startproc\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.Ltally_keepall\n"
	"	movq	%rsp, %rdi\n"
	"	movq	%rsp, %rbp\n"
	"	.cfi_def_cfa_register rbp\n"
	"	subq	$168, %rsp\n"
	"	andq	$-16, %rsp\n"
	"	movq	$0, (%rsp)\n"
	"	movq	%rsp, %rsi\n"
	"	call	hooked\n"
	"	.type	jumping, @notype\n" /* so that embed makes the name local */
	"	.type	jumped, @notype\n"
	"jumping:\n"
	"	testl	%eax, %eax\n"
	"	je	jumped\n"
	"	movq	96(%rbp), %rdi\n"
	"	movq	88(%rbp), %rsi\n"
	"	call	*104(%rbp)\n"
	"	movq	%rax, 48(%rbp)\n" /* it returned: it has not left the frames after all */
	"	movq	$0, 104(%rbp)\n"
	"jumped:\n"
	"	movq	%rbp, %rsp\n"
	"	.cfi_def_cfa_register rsp\n"
	"	.Ltally_unkeepall\n"
	"	cmpq	$0, (%rsp)\n"
	"	jne	1f\n"
	"	addq	$8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"1:	ret\n"
	"	.cfi_endproc\n");

#endif
