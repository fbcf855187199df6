/* space.c - the memory of a process: modules, probes, and copies of instructions.
 *
 * The instruction in the place of a probe is executed as a copy nearby, which jumps back:
 *
 *	copy:  movl  8(%rdi), %eax       the instruction, relocated if it is relative to %rip
 *	       jmp   *0(%rip)            to the address after the original:
 *	       .quad next
 *
 * Each copy has 32 bytes, called a slot, in a mapping within 1 GiB of its module. */

#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BREAK = 0xcc, PAGE = 4096, SPARE = 256 };

bool
readmem(const Space *sp, uint64_t addr, void *to, size_t n)
{
	return pread(sp->mem, to, n, (off_t)addr) == (ssize_t)n;
}

bool
writemem(const Space *sp, uint64_t addr, const void *from, size_t n)
{
	return pwrite(sp->mem, from, n, (off_t)addr) == (ssize_t)n;
}

Mod *
modat(const Space *sp, uint64_t addr)
{
	int i;

	for (i = 0; i < sp->nmod; i++) {
		Mod *m = &sp->mod[i];

		if (addr >= m->bias + m->tg->im->low && addr < m->bias + m->tg->im->high)
			return m;
	}
	return NULL;
}

Trap *
trapat(const Space *sp, uint64_t addr)
{
	Table index = sp->traps;
	const Entry *e = lookup(&index, (const char *)&addr, sizeof addr);

	return e && sp->trap[e->value].addr == addr ? &sp->trap[e->value] : NULL;
}

void
puttrap(Space *sp, const Trap *t)
{
	sp->traps.arena = &sp->run;
	intern(&sp->traps, (const char *)&t->addr, sizeof t->addr, sp->ntrap)->value = sp->ntrap;
	apush(&sp->run, sp->trap, sp->ntrap, sp->captrap);
	sp->trap[sp->ntrap++] = *t;
}

void
addtrap(Space *sp, uint64_t addr, Trapkind kind)
{
	static const uint8_t stop = BREAK;
	Mod *m = modat(sp, addr);
	int i = m ? probeat(m->tg, addr - m->bias) : NONE;
	const uint8_t *code;
	size_t len;
	Trap t = {.addr = addr, .kind = kind};

	if (trapat(sp, addr) || !readmem(sp, addr, t.code, sizeof t.code - 1))
		return;
	if (i != NONE && (code = codeof(m->tg->im, addr - m->bias, &len)))
		t.code[0] = code[0]; /* memory has a probe there */
	if (!decode(t.code, sizeof t.code - 1, &t.in) || !writemem(sp, addr, &stop, 1))
		return;
	puttrap(sp, &t);
}

bool
goon(pid_t tid, bool step, int *status)
{
	pid_t got;

	if (ptrace(step ? PTRACE_SINGLESTEP : PTRACE_CONT, tid, NULL, NULL) != 0)
		return false;
	do
		got = waitpid(tid, status, __WALL);
	while (got < 0 && errno == EINTR); /* asked to end: not now */
	return got == tid && WIFSTOPPED(*status);
}

void
resend(pid_t tid, uint64_t set)
{
	pid_t pid = (pid_t)statusof(tid, "Tgid", 10);
	int sig;

	for (sig = 1; sig <= 64; sig++)
		if (set >> (sig - 1) & 1)
			syscall(SYS_tgkill, pid, tid, sig);
}

long
inject(const Space *sp, pid_t tid, long nr, const long arg[6])
{
	static const uint8_t call[2] = {0x0f, 0x05};
	struct user_regs_struct was, r;
	uint8_t old[2];
	uint64_t later = 0; /* signals */
	int status;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &was) != 0 || !readmem(sp, sp->entry, old, 2))
		return -1;
	r = was;
	r.rip = sp->entry;
	r.orig_rax = ~0ull;
	r.rax = (unsigned long)nr;
	r.rdi = (unsigned long)arg[0];
	r.rsi = (unsigned long)arg[1];
	r.rdx = (unsigned long)arg[2];
	r.r10 = (unsigned long)arg[3];
	r.r8 = (unsigned long)arg[4];
	r.r9 = (unsigned long)arg[5];
	writemem(sp, sp->entry, call, 2);
	ptrace(PTRACE_SETREGS, tid, NULL, &r);
	for (;;) {
		if (!goon(tid, true, &status))
			return -1;
		if (WSTOPSIG(status) == SIGTRAP && status >> 16 == 0)
			break;
		if (status >> 16 == 0)
			later |= 1ull << (WSTOPSIG(status) - 1);
		ptrace(PTRACE_SETREGS, tid, NULL, &r);
	}
	ptrace(PTRACE_GETREGS, tid, NULL, &r);
	writemem(sp, sp->entry, old, 2);
	ptrace(PTRACE_SETREGS, tid, NULL, &was);
	resend(tid, later);
	return (long)r.rax;
}

FILE *
openmaps(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
	return fopen(path, "r");
}

/* A line is BEGIN-END PERM OFFSET DEVICE INODE PATH, in hexadecimal but for the inode. */
bool
nextmap(FILE *f, Mapping *m)
{
	char line[PATH_MAX + 256], *s;
	int i;

	if (!f || !fgets(line, sizeof line, f))
		return false;
	m->begin = strtoull(line, &s, 16);
	m->end = *s == '-' ? strtoull(s + 1, &s, 16) : 0;
	m->code = strlen(s) > 4 && s[3] == 'x';
	s += *s ? strcspn(s + 1, " ") + 1 : 0;
	m->offset = strtoull(s, &s, 16);
	for (i = 0; i < 2; i++)
		s += *s ? strcspn(s + 1, " ") + 1 : 0;
	s += strspn(s, " ");
	s[strcspn(s, "\n")] = 0;
	snprintf(m->path, sizeof m->path, "%s", s);
	return true;
}

uint64_t
statusof(pid_t tid, const char *key, int base)
{
	size_t n = strlen(key);
	char path[64], line[256];
	uint64_t value = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
	for (f = fopen(path, "r"); f && fgets(line, sizeof line, f);)
		if (strncmp(line, key, n) == 0 && line[n] == ':')
			value = strtoull(line + n + 1, NULL, base);
	if (f)
		fclose(f);
	return value;
}

/* nearer - whichever of a and b is nearer to a third address; 0 stands for none. */
static uint64_t
nearer(uint64_t a, uint64_t b, uint64_t to)
{
	uint64_t x = a < to ? to - a : a - to, y = b < to ? to - b : b - to;

	return !a || (b && y < x) ? b : a;
}

/* nearby - a free address for n bytes, within reach of a module; 0 if there is none.  Keeps 32 MiB
 * away from all mappings: heaps and stacks grow. */
static uint64_t
nearby(const Space *sp, const Mod *m, uint64_t n)
{
	const uint64_t away = 32 << 20, reach = 1 << 30, mask = ~(uint64_t)(PAGE - 1);
	uint64_t last = 0x10000, to = m->bias + m->tg->im->low, best = 0;
	FILE *f = openmaps(sp->pid);
	Mapping at;

	while (nextmap(f, &at)) {
		if (at.begin > last && at.begin - last > n + 2 * away) {
			best = nearer(best, (at.begin - away - n) & mask, to);
			best = nearer(best, (last + away) & mask, to);
		}
		last = at.end;
	}
	if (f)
		fclose(f);
	return best && (best < to ? to - best : best - to) < reach ? best : 0;
}

/* makeroom - map memory for the slots of a module; returns whether that worked. */
static bool
makeroom(Space *sp, Mod *m, pid_t tid)
{
	uint64_t want = (uint64_t)(m->tg->nprobe + m->tg->nprobe / 2 + SPARE) * SLOTSIZE, at;
	long arg[6] = {0,
		       0,
		       PROT_READ | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
		       -1,
		       0},
	     got;

	want = (want + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	at = nearby(sp, m, want);
	if (!at)
		return false;
	arg[0] = (long)at;
	arg[1] = (long)want;
	got = inject(sp, tid, SYS_mmap, arg);
	if ((uint64_t)got != at)
		return false;
	m->slots = at;
	m->room = (int)(want / SLOTSIZE);
	m->nslot = 0;
	return true;
}

/* newslot - put a copy of an instruction into a new slot; returns its number, or NONE. */
static int
newslot(Space *sp, Mod *m, int owner, const uint8_t *code, int len, uint64_t addr, pid_t tid)
{
	static const uint8_t jump[6] = {0xff, 0x25}; /* jmp *0(%rip) */
	uint8_t out[SLOTSIZE] = {0};
	uint64_t at, back = addr + (uint64_t)len;
	int n;

	if (!m->slots && !makeroom(sp, m, tid))
		return NONE;
	if (m->nslot == m->room)
		return NONE;
	n = m->nslot;
	at = m->slots + (uint64_t)n * SLOTSIZE;
	if (!relocated(code, len, addr, at, out))
		return NONE;
	memcpy(out + len, jump, sizeof jump);
	memcpy(out + len + sizeof jump, &back, sizeof back);
	if (!writemem(sp, at, out, sizeof out))
		return NONE;
	apush(&sp->run, m->owner, n, m->capowner);
	m->owner[n] = owner;
	m->nslot++;
	return n;
}

uint64_t
slotof(Space *sp, Mod *m, int probe, pid_t tid)
{
	const Probe *p = &m->tg->probe[probe];
	size_t len;
	const uint8_t *code = codeof(m->tg->im, p->addr, &len);
	int n;

	while (m->nslotted <= probe) {
		apush(&sp->run, m->slot, m->nslotted, m->capslot);
		m->slot[m->nslotted++] = 0;
	}
	if (!m->slot[probe]) {
		n = newslot(sp, m, probe, code, p->in.len, m->bias + p->addr, tid);
		if (n == NONE)
			return 0;
		m->slot[probe] = n + 1;
	}
	return m->slots + (uint64_t)(m->slot[probe] - 1) * SLOTSIZE;
}

uint64_t
trapslot(Space *sp, Trap *t, pid_t tid)
{
	Mod *m = modat(sp, t->addr);
	int n;

	if (!m)
		m = sp->mod;
	if (!t->slot && sp->nmod) {
		n = newslot(sp, m, NONE - 1 - (int)(t - sp->trap), t->code, t->in.len, t->addr,
			    tid);
		t->slot = n == NONE ? 0 : m->slots + (uint64_t)n * SLOTSIZE;
	}
	return t->slot;
}

bool
unslot(const Space *sp, uint64_t *addr, int *probe, Mod **mod, bool *before)
{
	int i;

	for (i = 0; i < sp->nmod; i++) {
		Mod *m = &sp->mod[i];
		uint64_t off = *addr - m->slots, n = off / SLOTSIZE;
		uint64_t at;
		int len;

		if (!m->slots || off >= (uint64_t)m->nslot * SLOTSIZE)
			continue;
		*mod = m;
		*probe = m->owner[n];
		*before = off % SLOTSIZE == 0;
		at = *probe >= 0 ? m->bias + m->tg->probe[*probe].addr
				 : sp->trap[NONE - 1 - *probe].addr;
		len = *probe >= 0 ? m->tg->probe[*probe].in.len
				  : sp->trap[NONE - 1 - *probe].in.len;
		*addr = *before ? at : at + (uint64_t)len;
		return true;
	}
	return false;
}

/* Many probes are written with one write for each segment, a few one by one. */
void
putbreaks(Space *sp, Mod *m)
{
	Target *tg = m->tg;
	Arena tmp = {0};
	int i, k;

	for (k = 0; k < tg->im->ntext; k++) {
		const Text *t = &tg->im->text[k];
		uint8_t *now = aalloc(&tmp, t->size + 1, 1);
		bool any = false;

		for (i = m->planted; i < tg->nprobe; i++)
			any |= tg->probe[i].addr - t->addr < t->size;
		if (!any || !readmem(sp, m->bias + t->addr, now, t->size))
			continue;
		for (i = m->planted; i < tg->nprobe; i++) {
			const Probe *p = &tg->probe[i];
			uint64_t off = p->addr - t->addr;

			if (off >= t->size || p->off)
				continue;
			if (now[off] != t->code[off] && now[off] != BREAK) {
				tg->im->fn[p->fn].reason = "is not in memory as in the file";
				continue;
			}
			now[off] = BREAK;
		}
		if (tg->nprobe - m->planted > 16) {
			writemem(sp, m->bias + t->addr, now, t->size);
			continue;
		}
		for (i = m->planted; i < tg->nprobe; i++)
			if (tg->probe[i].addr - t->addr < t->size)
				writemem(sp, m->bias + tg->probe[i].addr,
					 now + (tg->probe[i].addr - t->addr), 1);
	}
	m->planted = tg->nprobe;
	areset(&tmp);
}

void
removeprobes(Space *sp)
{
	int i, k;

	for (k = 0; k < sp->nmod; k++) {
		Mod *m = &sp->mod[k];
		size_t len;

		for (i = 0; i < m->planted; i++) {
			const uint8_t *code = codeof(m->tg->im, m->tg->probe[i].addr, &len);

			writemem(sp, m->bias + m->tg->probe[i].addr, code, 1);
		}
		m->planted = 0;
	}
	for (i = 0; i < sp->ntrap; i++)
		if (sp->trap[i].addr)
			writemem(sp, sp->trap[i].addr, sp->trap[i].code, 1);
	sp->ntrap = 0;
}
