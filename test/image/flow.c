/* flow.c - functions, blocks and edges that src/image finds in small programs. */

#include "image/image.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Case Case;

/* A program in assembly, and the functions wanted: for each its name and its edges, as SRC>DSTHOW.
 * SRC and DST are the blocks' distances in bytes from the function's start, or `in' for ENTRY,
 * `out' for EXIT.  HOW is a letter: I into, E enters, F falls, B branch, L leaves, H a route, !
 * made up. */
struct Case {
	const char *name, *text, *want;
};

/* clang-format off */
static const Case cases[] = {
	{"a loop",
	 ".type f,@function\nf: xor %eax,%eax\n1: inc %eax\n cmp $9,%eax\n jne 1b\n ret\n.size f,.-f\n",
	 "f: 0>2F 2>2B 2>9F 9>outL in>0I"},
	{"a call does not end a block",
	 ".type f,@function\nf: call g\n nop\n ret\n.size f,.-f\n"
	 ".type g,@function\ng: ret\n.size g,.-g\n",
	 "f: 0>outL in>0I\ng: 0>outL in>0I"},
	{"no way out",
	 ".type f,@function\nf: jmp f\n.size f,.-f\n",
	 "f: 0>0L in>0I 0>out!"},
	{"a jump into the middle of another function",
	 ".type f,@function\nf: nop\n1: inc %eax\n ret\n.size f,.-f\n"
	 ".type g,@function\ng: jmp 1b\n.size g,.-g\n",
	 "f: 0>1F 1>outL in>0I in>1E\ng: 0>outL in>0I"},
	{"a call of it, and a conditional jump",
	 ".type g,@function\ng: call 1f\n jz 2f\n ret\n.size g,.-g\n"
	 ".type f,@function\nf: nop\n1: nop\n2: nop\n ret\n.size f,.-f\n",
	 "g: 0>7F 0>outB 7>outL in>0I\nf: 0>1F 1>2F 2>outL in>0I in>1E in>2E"},
	{"a call that asks where it is",
	 ".type f,@function\nf: call 1f\n1: pop %rax\n ret\n.size f,.-f\n",
	 "f: 0>5L 5>outL in>0I"},
	{"a call of its own middle",
	 ".type f,@function\nf: call 1f\n nop\n ret\n1: inc %eax\n ret\n.size f,.-f\n",
	 "f: 0>outL 7>outL in>0I in>7E"},
	{"data among code",
	 ".type f,@function\nf: jmp 1f\n .byte 6,6,6\n1: ret\n.size f,.-f\n",
	 "f: 0>5L 5>outL in>0I"},
	{"bytes that are no instruction",
	 ".type f,@function\nf: nop\n .byte 6\n.size f,.-f\n",
	 "f: has bytes that are not an instruction"},
	{"a jump into an instruction",
	 ".type f,@function\nf: jz 1f+1\n1: mov $0x90909090,%eax\n ret\n.size f,.-f\n",
	 "f: has a jump into the middle of an instruction"},
	{"a jump past a prefix",
	 ".type f,@function\nf: jz 1f\n lock\n1: incl (%rax)\n ret\n.size f,.-f\n",
	 "f: 0>3B 0>2F 2>3F 3>outL in>0I"},
	{"a transaction",
	 ".type f,@function\nf: xbegin 1f\n1: ret\n.size f,.-f\n",
	 "f: has a transaction"},
	{"cold parts, which belong to who jumps to them",
	 ".type f,@function\nf: jz f.cold\n ret\n.size f,.-f\n"
	 ".type g,@function\ng: jz 1f\n ret\n.size g,.-g\n"
	 ".type f.cold,@function\nf.cold: nop\n ret\n.size f.cold,.-f.cold\n"
	 ".type g.cold,@function\ng.cold:\n1: nop\n jmp g\n.size g.cold,.-g.cold\n",
	 "f: 0>6B 0>2F 2>outL 6>outL in>0I\ng: 0>5B 0>2F 2>outL 5>0L in>0I"},
	{"no symbol, but unwinding information",
	 ".type f,@function\nf: call 1f\n ret\n.size f,.-f\n"
	 ".cfi_startproc\n1: nop\n ret\n.cfi_endproc\n",
	 "f: 0>outL in>0I\n0x401006: 0>outL in>0I"},
	{"a part without symbol, to which its function branches",
	 ".type f,@function\nf: jz 1f\n ret\n.size f,.-f\n"
	 ".cfi_startproc\n1: nop\n ret\n.cfi_endproc\n",
	 "f: 0>3B 0>2F 2>outL 3>outL in>0I"},
	{"a jump to what has no symbol may leave the function",
	 ".type f,@function\nf: jmp 1f\n.size f,.-f\n nop\n nop\n"
	 ".cfi_startproc\n1: nop\n ret\n.cfi_endproc\n",
	 "f: 0>outL in>0I\n0x401004: 0>outL in>0I"},
	{"not where it is called",
	 ".type f,@function\nf: jz 1f\n call 1f\n ret\n.size f,.-f\n"
	 ".cfi_startproc\n1: nop\n ret\n.cfi_endproc\n",
	 "f: 0>2F 0>outB 2>outL in>0I\n0x401008: 0>outL in>0I"},
	{"a name without type for what unwinders know",
	 ".cfi_startproc\nf: nop\n ret\n.cfi_endproc\n",
	 "f: 0>outL in>0I"},
};
/* clang-format on */

static void
putblock(Buf *out, const Explored *x, const Func *f, int b)
{
	if (b < FIRST)
		bprintf(out, b == ENTRY ? "in" : "out");
	else
		bprintf(out, "%d", (int)(blockbegin(x, b) - f->range->begin));
}

/* describe - append the edges of a function. */
static void
describe(Buf *out, const Image *im, const Func *f, const Policy *p, Arena *run)
{
	static const char how[] = {
		[INTO] = 'I',   [ENTERS] = 'E', [REENTERS] = '?', [FALLS] = 'F',  [BRANCH] = 'B',
		[LEAVES] = 'L', [TOHUB] = '?',  [FROMHUB] = 'H',  [NOWHERE] = '!'};
	const Explored *x;
	int e;

	bprintf(out, "%s%s:", out->n ? "\n" : "", f->name);
	if (f->reason) {
		bprintf(out, " %s", f->reason);
		return;
	}
	x = bodyof(im, f, p, run);
	for (e = CLOSING + 1; e < x->body.g->nedge; e++) {
		bprintf(out, " ");
		putblock(out, x, f, x->body.g->edge[e].src);
		bprintf(out, ">");
		putblock(out, x, f, x->body.g->edge[e].dst);
		bprintf(out, "%c", how[x->body.how[e]]);
	}
}

/* assemble - make a program with its code at 0x401000. */
static Image *
assemble(const char *text, Arena *run)
{
	FILE *f = fopen("a.s", "w");

	fprintf(f, ".text\n%s.section .note.GNU-stack,\"\",@progbits\n", text);
	fclose(f);
	if (system("as a.s -o a.o && ld -e 0x401000 -z noseparate-code "
		   "--section-start=.text=0x401000 "
		   "a.o -o a")
	    != 0)
		exit(1);
	return openimage("a", false, run);
}

static int splits, founds;

static void
split(void *with, int fn, uint64_t addr)
{
	(void)with, (void)fn;
	splits += addr == 0x401003;
}

static void
found(void *with, int fn, uint64_t from, uint64_t to)
{
	(void)with, (void)fn;
	founds += from == 0x401006 && to == 0x401008;
}

/* learned - whether targets of an indirect jump that become known later split blocks, and are
 * found, as they should be. */
static bool
learned(Arena *run)
{
	static const Route route[] = {{0x401000, 0x401003, 5}, {0x401000, 0x401006, 7}};
	Policy p = {.split = split, .found = found, .route = route, .nroute = 2};
	Image *im = assemble(".type f,@function\nf: jmp *%rax\n nop\n nop\n nop\n hlt\n nop\n "
			     "ret\n.size f,.-f\n",
			     run);
	Buf out = {.arena = run};

	exploreall(im, &(Policy){0});
	explore(im, 0, 0x401002, &p);
	explore(im, 0, 0x401003, &p);
	explore(im, 0, 0x401006, &p);
	describe(&out, im, im->fn, &p, run);
	if (splits == 1 && founds == 1
	    && strcmp(out.s, "f: 0>3H 0>6H 0>outL 2>3F 6>outL in>0I 3>out!") == 0)
		return true;
	printf("learned: %d splits, %d found, %s\n", splits, founds, out.s);
	return false;
}

int
main(void)
{
	Arena run = {0};
	size_t i;
	int k, bad = 0;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		const Case *c = &cases[i];
		Image *im = assemble(c->text, &run);
		Buf out = {.arena = &run};
		Policy p = {0};

		if (!im) {
			printf("%s: not an image\n", c->name);
			return 1;
		}
		exploreall(im, &p);
		for (k = 0; k < im->nfn; k++)
			describe(&out, im, &im->fn[k], &p, &run);
		if (strcmp(out.s, c->want) != 0) {
			printf("%s:\n%s\nwanted:\n%s\n", c->name, out.s, c->want);
			bad++;
		}
	}
	bad += !learned(&run);
	areset(&run);
	return bad != 0;
}
