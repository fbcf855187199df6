/* calls.h - which functions are called through pointers, in code that was built to record it.
 *
 * Before such a call the code loads the callee's address into r11 and calls __tally_called_N, which
 * adds one to the entry for this pair of call site and callee in a hash table in the file.  All
 * threads share the table.  The assembly below finds an entry that exists; called() makes a new
 * one. */

#ifndef CALLS_H
#define CALLS_H

#include "cuts.h"
#include "stubs.h"

/* ownnumber - number of this module in the file, plus 1; 0 until that is known. */
static uint32_t ownnumber;

/* wantscalls - whether code of this module records its calls through pointers. */
static int
wantscalls(void)
{
	const struct Called *c;

	for (c = firstcall; c < lastcall; c++)
		if (c->which == CALLSALL)
			return 1;
	return 0;
}

/* mapcalls - map the table from an offset in the file, anonymous memory if that is 0; at an
 * address, anywhere if that is NULL.  NULL if that fails. */
static struct Profcall *
mapcalls(long fd, uint64_t file, struct Profcall *where)
{
	const uint64_t size = MAXCALL * sizeof(struct Profcall);
	int flags = where ? MAP_FIXED : 0;
	long map = file ? mapown(fd, file, size, (uint64_t)where, flags)
			: sys(__NR_mmap, (long)where, (long)size, PROT_READ | PROT_WRITE,
			      flags | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return isaddress(map) ? (struct Profcall *)map
			      : NULL; /* NOLINT(performance-no-int-to-ptr) */
}

/* makecalls - make the table, if this module is the first that wants one. */
static void
makecalls(void)
{
	struct Profcalls *r = NULL;
	uint64_t file;
	long fd;

	if (p->calls || !wantscalls())
		return;
	fd = openown();
	file = grow(fd, 0, MAXCALL * sizeof(struct Profcall));
	r = file ? record(fd, PROFCALLS, sizeof *r) : NULL;
	p->calls = r ? mapcalls(fd, file, NULL) : NULL;
	shut(fd);
	if (!p->calls) {
		p->hdr->flags |= PROFLOSTCALLS;
		return;
	}
	p->callsat = r->calls = file;
	r->ncall = MAXCALL;
	link(&r->rec);
}

/* childcalls - in a child, whose file is new: map an empty table in place of its parent's. */
static void
childcalls(long fd)
{
	struct Profcalls *r = NULL;

	if (!p->calls)
		return;
	p->ncall = p->nobject = 0;
	p->callsat = p->hdr ? grow(fd, 0, MAXCALL * sizeof(struct Profcall)) : 0;
	r = p->callsat ? record(fd, PROFCALLS, sizeof *r) : NULL;
	if (r && mapcalls(fd, p->callsat, p->calls)) {
		r->calls = p->callsat;
		r->ncall = MAXCALL;
		link(&r->rec);
		return;
	}
	mapcalls(-1, 0, p->calls);
	if (p->hdr)
		p->hdr->flags |= PROFLOSTCALLS;
}

/* forgetcalls - functions at these addresses are unloaded: others may be loaded there. */
static void
forgetcalls(uint64_t begin, uint64_t end)
{
	int i;

	for (i = 0; p->calls && i < MAXCALL; i++)
		if (p->calls[i].target >= begin && p->calls[i].target < end)
			p->calls[i].target = UINT64_MAX;
	for (i = 0; i < p->nobject; i++)
		if (p->object[i].begin < end && begin < p->object[i].end)
			p->object[i].end = p->object[i].begin = 0;
}

struct linkmap { /* the first members of struct link_map in link.h */
	uint64_t addr;
	const char *name;
};

/* whose - find the program or library that contains an address; returns whether there is one. */
static int
whose(Wanted *w)
{
	struct findobject o;
	const struct linkmap *map;

	if (_dl_find_object && !p->isstatic) { /* it takes no lock */
		if (_dl_find_object((void *)w->pc, &o) != 0)
			return 0;
		w->map = map = o.map;
		if (headersat(o.begin, &w->info)) {
			w->info.addr = map->addr;
			w->info.name = map->name;
			return 1;
		}
	}
	if (dl_iterate_phdr) {
		dl_iterate_phdr(iswanted, w);
		return w->found;
	}
	w->info = selfinfo();
	return iswanted(&w->info, sizeof w->info, w);
}

/* describeobject - write a record for a program or library; returns its number, or NOOBJECT. */
static uint32_t
describeobject(const struct phdrinfo *info)
{
	static char path[4096];
	const uint8_t *id = NULL;
	uint32_t idlen = 0;
	uint64_t hashed;
	struct Profmodule *r;
	long fd;

	if (p->nobject == MAXOBJECT)
		return NOOBJECT;
	findid(info, &id, &idlen);
	if (!id) {
		hashcode(info, &hashed);
		id = (const uint8_t *)&hashed;
		idlen = sizeof hashed;
	}
	filename(info->name, path, sizeof path);
	fd = openown();
	r = record(fd, PROFOBJECT, sizeof *r + length(path) + 1);
	shut(fd);
	if (!r)
		return NOOBJECT;
	r->address = info->addr;
	r->pathlen = (uint32_t)length(path);
	r->idlen = idlen < sizeof r->id ? idlen : sizeof r->id;
	copy(r->id, id, r->idlen);
	copy(r + 1, path, r->pathlen);
	link(&r->rec);
	return (uint32_t)p->nobject++;
}

/* objectof - the number of the program or library that contains an address, and that address in its
 * file; NOOBJECT if it is not known. */
static uint32_t
objectof(uint64_t pc, uint64_t *addr)
{
	Wanted w = {.pc = pc};
	Object *o;
	uint32_t n;
	int i;

	*addr = pc;
	for (i = 0; i < p->nobject; i++) {
		o = &p->object[i];
		if (pc >= o->begin && pc < o->end) {
			*addr = pc - o->bias;
			return (uint32_t)i;
		}
	}
	if (!whose(&w) || (n = describeobject(&w.info)) == NOOBJECT)
		return NOOBJECT;
	o = &p->object[n];
	*o = (Object){.begin = UINT64_MAX, .bias = w.info.addr, .map = w.map};
	for (i = 0; i < w.info.phnum; i++) {
		const Elf64_Phdr *ph = &w.info.phdr[i];
		uint64_t at = o->bias + ph->p_vaddr;

		if (ph->p_type != PT_LOAD)
			continue;
		o->begin = at < o->begin ? at : o->begin;
		o->end = at + ph->p_memsz > o->end ? at + ph->p_memsz : o->end;
	}
	*addr = pc - o->bias;
	return n;
}

/* afterhook - the function that is meant by a pointer to one of our stand-ins. */
static uint64_t
afterhook(uint64_t target)
{
	int k;

	for (k = 0; k < NHOOK; k++)
		if (p->real[k] && target == (uint64_t)p->standin[k])
			return (uint64_t)p->real[k];
	return target;
}

_Static_assert(sizeof(struct Profcall) == 56, "as in the code below");
_Static_assert(offsetof(struct Profcall, site) == 0 && offsetof(struct Profcall, times) == 16
		       && offsetof(struct Profcall, target) == 40
		       && offsetof(struct Profcall, module) == 48,
	       "as in the code below");
_Static_assert(offsetof(Process, calls) == 40 && MAXCALL == 8192, "as in the code below");

/* newcall - add an entry for a pair that is called for the first time. */
static void
newcall(uint64_t site, uint64_t target)
{
	uint64_t h = (((target >> 4) * 0x1000193) ^ site) * 0x2545f491 >> 20;
	struct Profcall *c;
	const Mod *m;
	uint64_t i;

	for (m = p->mod; m && (m->note != note || m->done); m = m->next)
		;
	if (!m || !m->rec || p->ncall >= MAXCALL / 4 * 3) {
		p->hdr->flags |= PROFLOSTCALLS;
		return;
	}
	ownnumber = m->number + 1;
	for (i = 0;; i++) {
		c = &p->calls[(h + i) % MAXCALL];
		if (!c->target)
			break;
		if (c->target == target && c->site == site && c->module == ownnumber - 1) {
			__atomic_fetch_add(&c->times, 1, __ATOMIC_RELAXED);
			return; /* another thread was faster */
		}
	}
	p->ncall++;
	c->site = site;
	c->module = ownnumber - 1;
	c->object = objectof(afterhook(target), &c->callee);
	c->times = 1;
	__atomic_store_n(&c->target, target, __ATOMIC_RELEASE);
}

/* called - a call from that site, relative to the module's counters, whose pair has no entry. */
__attribute__((used)) static void
called(uint64_t site, uint64_t target)
{
	Frame f = {0};

	if (!p->hdr)
		return;
	if (p->ncall >= MAXCALL / 4 * 3 || !isown()) {
		p->hdr->flags |= PROFLOSTCALLS;
		return;
	}
	capture(&f);
	enter(&f);
	if (p->hdr && p->calls)
		newcall(site, target);
	leave();
}

/* checkcalls - flag that a library that is not counted was unloaded without our knowing, and
 * another one may have been loaded where it was. */
static void
checkcalls(void)
{
	struct findobject o;
	int i;

	for (i = 0; _dl_find_object && !p->isstatic && i < p->nobject; i++)
		if (p->object[i].end
		    && (_dl_find_object((void *)p->object[i].begin, &o) != 0
			|| o.map != p->object[i].map))
			p->hdr->flags |= PROFUNLOADED;
}

/* The code begins with a signature: 0f 1f 80 and "tall". */
__asm__(".text\n"
	".globl	" GUEST(
		"called") "\n"
			  ".hidden	" GUEST(
				  "called") "\n"
					    ".type	" GUEST("called") ", @function\n" GUEST(
						    "called") ":\n"
							      "	.cfi_startproc\n"
							      "	nopl	0x6c6c6174(%rax)\n"
							      "	.Ltally_keep rax\n"
							      "	.Ltally_keep rcx\n"
							      "	.Ltally_keep rdx\n"
							      "	.Ltally_keep rsi\n"
							      "	.Ltally_keep rdi\n"
							      "	movq	p(%rip), %rdx\n"
							      "	testq	%rdx, %rdx\n"
							      "	je	4f\n"
							      "	movq	40(%rdx), %rdx\n" /* calls */
							      "	testq	%rdx, %rdx\n"
							      "	je	4f\n"
							      "	movl	ownnumber(%rip), %edi\n"
							      "	decl	%edi\n"
							      "	movq	40(%rsp), %rax\n"
							      "	leaq	__start_" COUNTSECTION
							      "(%rip), %rcx\n"
							      "	subq	%rcx, %rax\n"
							      "	movq	%r11, %rcx\n"
							      "	shrq	$4, %rcx\n"
							      "	imulq	$0x1000193, %rcx, %rcx\n"
							      "	xorq	%rax, %rcx\n"
							      "	imulq	$0x2545f491, %rcx, %rcx\n"
							      "	shrq	$20, %rcx\n"
							      "1:	andl	$8191, %ecx\n"
							      "	imulq	$56, %rcx, %rsi\n"
							      "	addq	%rdx, %rsi\n"
							      "	cmpq	%r11, 40(%rsi)\n"
							      "	jne	2f\n"
							      "	cmpq	%rax, (%rsi)\n"
							      "	jne	2f\n"
							      "	cmpl	%edi, 48(%rsi)\n"
							      "	jne	2f\n"
							      "	lock incq	16(%rsi)\n"
							      "	jmp	4f\n"
							      "2:	incl	%ecx\n"
							      "	cmpq	$0, 40(%rsi)\n"
							      "	jne	1b\n"
							      "	.Ltally_keep r8\n"
							      "	.Ltally_keep r9\n"
							      "	.Ltally_keep r10\n"
							      "	.Ltally_keep r11\n"
							      "	.Ltally_keep rbp\n"
							      "	movq	%rsp, %rbp\n"
							      "	.cfi_def_cfa_register rbp\n"
							      "	andq	$-16, %rsp\n"
							      "	subq	$256, %rsp\n"
							      "	.Ltally_vectors 0\n"
							      "	movq	%rax, %rdi\n"
							      "	movq	%r11, %rsi\n"
							      "	call	called\n"
							      "	.Ltally_vectors 1\n"
							      "	movq	%rbp, %rsp\n"
							      "	.cfi_def_cfa_register rsp\n"
							      "	.Ltally_unkeep rbp\n"
							      "	.Ltally_unkeep r11\n"
							      "	.Ltally_unkeep r10\n"
							      "	.Ltally_unkeep r9\n"
							      "	.Ltally_unkeep r8\n"
							      "4:	.Ltally_unkeep rdi\n"
							      "	.Ltally_unkeep rsi\n"
							      "	.Ltally_unkeep rdx\n"
							      "	.Ltally_unkeep rcx\n"
							      "	.Ltally_unkeep rax\n"
							      "	ret\n"
							      "	.cfi_endproc\n");

#endif
