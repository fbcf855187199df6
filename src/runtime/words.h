/* words.h - lead the program's calls to the stand-ins.
 *
 * Modules call each other's functions through words that the dynamic linker fills, such as those of
 * the GOT.  We make such a word lead to the stand-in, which belongs to one copy of the runtime, the
 * host:
 *
 *     call *word(%rip)	word: longjmp in libc	->	word: stub of LONGJMP, host
 *
 * The program's own names are left alone, and modules that are not counted are seen, too.  A static
 * program has no such words: there the assembly road makes counted code call stubs of its own,
 * which go where standins[] says.  Only words of data that hold the address of a function are
 * changed there. */

#ifndef WORDS_H
#define WORDS_H

#include "hooks.h"

/* standin - what is called in place of a function; NULL if nothing is. */
static void *
standin(int which)
{
#define STANDIN(number, name, how, before, after) STANDIN_##how(number, before, after)
#define STANDIN_OURS(number, before, after)           \
	case number:         return (void *)(before); \
	case OTHER + number: return (void *)(after);
#define STANDIN_FREE(number, before, after)
#define STANDIN_LOCKED(number, before, after)
#define STANDIN_LAST(number, before, after)
#define STANDIN_QUICKLY(number, before, after)
	switch (which) {
		HOOKS(STANDIN)
	default: return (void *)(stubs + 16 * which);
	}
}

/* isinside - whether an address is in a segment of a module. */
static int
isinside(const struct phdrinfo *info, uint64_t at)
{
	int i;

	for (i = 0; i < info->phnum; i++) {
		uint64_t begin = info->addr + info->phdr[i].p_vaddr;

		if (info->phdr[i].p_type == PT_LOAD && at >= begin
		    && at < begin + info->phdr[i].p_memsz)
			return 1;
	}
	return 0;
}

/* patch - change a word that the linker or the dynamic linker filled, and that may be
 * write-protected now; returns whether that was possible. */
static int
patch(const struct phdrinfo *info, void **slot, void *to)
{
	uint64_t page = (uint64_t)slot & ~(PAGE - 1);
	int i, guarded = 0, there = 0;

	for (i = 0; i < info->phnum; i++) {
		const Elf64_Phdr *ph = &info->phdr[i];
		uint64_t begin = info->addr + ph->p_vaddr;

		if ((uint64_t)slot < begin || (uint64_t)slot >= begin + ph->p_memsz)
			continue;
		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X) && !(ph->p_flags & PF_W))
			return 0;
		there |= ph->p_type == PT_LOAD;
		guarded |= ph->p_type == PT_GNU_RELRO /* protected up to the last whole page */
				   ? page + PAGE <= begin + ph->p_memsz
				   : ph->p_type == PT_LOAD && !(ph->p_flags & PF_W);
	}
	if (!there || (guarded && SYS(__NR_mprotect, page, PAGE, PROT_READ | PROT_WRITE) != 0))
		return 0;
	*slot = to;
	if (guarded)
		SYS(__NR_mprotect, page, PAGE, PROT_READ);
	return 1;
}

/* missed - flag that calls of a function may be missed, because something may hold its real
 * address. */
static void
missed(int which)
{
	if (!p->hdr)
		return;
	switch (which) {
	case PTHREAD_CREATE:
	case THRD_CREATE:
	case CLONE: p->hdr->flags |= PROFTHREADS; break;
	case LONGJMP:
	case _LONGJMP:
	case SIGLONGJMP:
	case LONGJMP_CHK:
	case PTHREAD_EXIT:
	case SWAPCONTEXT:
	case SETCONTEXT: p->hdr->flags |= PROFLOSTCUTS; break;
	default: break;
	}
}

/* A table of relocations, and what it refers to. */
typedef struct Relocs Relocs;

struct Relocs {
	const struct phdrinfo *info;
	const Elf64_Rela *rel, *end;
	const Elf64_Sym *sym;
	const char *names;
};

/* hookword - lead the word of one relocation to the stand-in of function i, or back.  If a program
 * takes the address of a function without asking the dynamic linker, that address is a PLT entry in
 * the program, which calls through a word of this kind: only that word is changed.  Otherwise all
 * words that lead to the function are changed, so that pointers to it stay equal.  A word through
 * which it is called may not have been filled yet. */
static void
hookword(const Relocs *t, const Elf64_Rela *rel, int i, int on)
{
	uint32_t type = (uint32_t)ELF64_R_TYPE(rel->r_info);
	const Elf64_Sym *sym = &t->sym[ELF64_R_SYM(rel->r_info)];
	void **slot = (void **)(t->info->addr + rel->r_offset), *is = *slot;

	if (on && is && (is == p->standin[i] || is == p->standin[OTHER + i]))
		return;
	if (!on) {
		if (is == p->standin[i])
			patch(t->info, slot, p->real[i]);
		else if (is && is == p->standin[OTHER + i])
			patch(t->info, slot, p->other[i]);
		return;
	}
	if (type == R_X86_64_JUMP_SLOT && is != p->real[i] && isinside(t->info, (uint64_t)is)
	    && (sym->st_shndx == 0 || (uint64_t)is != t->info->addr + sym->st_value))
		is = p->real[i];
	else if (is != p->real[i])
		is = standinfor(hookname[i], is);
	if (is == p->real[i])
		is = p->standin[i];
	if (is && is != *slot && !patch(t->info, slot, is))
		missed(i);
}

/* hookcopy - the same for the words of a variable that the dynamic linker copied from a library. */
static void
hookcopy(const Relocs *t, const Elf64_Rela *rel, int on)
{
	void **word = (void **)(t->info->addr + rel->r_offset);
	uint64_t n = t->sym[ELF64_R_SYM(rel->r_info)].st_size / 8;
	int i;

	for (; n && (uint64_t)word % 8 == 0; n--, word++)
		for (i = 0; *word && i < NHOOK; i++) {
			if (on && *word == p->real[i])
				patch(t->info, word, p->standin[i]);
			else if (!on && *word == p->standin[i])
				patch(t->info, word, p->real[i]);
			else
				continue;
			break;
		}
}

/* hookwords - the same for all words of one table. */
static void
hookwords(const Relocs *t, int on)
{
	const Elf64_Rela *rel;
	int i;

	for (rel = t->rel; rel && rel < t->end; rel++) {
		uint32_t type = (uint32_t)ELF64_R_TYPE(rel->r_info);
		const char *name = t->names + t->sym[ELF64_R_SYM(rel->r_info)].st_name;

		if (type == R_X86_64_COPY)
			hookcopy(t, rel, on);
		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT
		    && (type != R_X86_64_64 || rel->r_addend))
			continue;
		for (i = 0; i < NHOOK; i++)
			if (name[0] == hookname[i][0] && p->real[i]
			    && same(name, hookname[i], length(hookname[i]) + 1))
				hookword(t, rel, i, on);
	}
}

/* canonical - find the real function where the address of its name is that of a PLT entry in the
 * program. */
static void
canonical(const Relocs *t)
{
	void *real = p->real[DLSYM] ? p->real[DLSYM] : (void *)dlsym;
	const Elf64_Rela *rel;
	int i;

	for (rel = t->rel; rel && rel < t->end; rel++) {
		const Elf64_Sym *sym = &t->sym[ELF64_R_SYM(rel->r_info)];
		uint64_t at = t->info->addr + sym->st_value, from;

		if (ELF64_R_TYPE(rel->r_info) != R_X86_64_JUMP_SLOT || sym->st_shndx
		    || !sym->st_value)
			continue;
		for (i = 0; i < NHOOK; i++)
			if ((uint64_t)p->real[i] == at && (from = returnin(at)))
				p->real[i] = askfrom((const void *)~0ull /* RTLD_NEXT */,
						     hookname[i], NULL, real, from);
	}
}

/* tableof - the address of a table that .dynamic refers to: most loaders have put addresses there,
 * others leave what the linker wrote. */
static const void *
tableof(const struct phdrinfo *info, uint64_t at)
{
	if (at && !isinside(info, at))
		at += info->addr;
	return (const void *)at;
}

/* tablesof - a module's two tables of relocations: those of calls, and the others. */
static void
tablesof(const struct phdrinfo *info, Relocs t[2])
{
	const Elf64_Dyn *d = NULL;
	uint64_t at[DT_JMPREL + 1] = {0};
	int i;

	for (i = 0; i < info->phnum; i++)
		if (info->phdr[i].p_type == PT_DYNAMIC)
			d = (const Elf64_Dyn *)(info->addr + info->phdr[i].p_vaddr);
	for (; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag >= 0 && d->d_tag <= DT_JMPREL)
			at[d->d_tag] = d->d_un.d_val;
	t[0] = (Relocs){.info = info};
	if (at[DT_SYMTAB] && at[DT_STRTAB]) {
		t[0].sym = tableof(info, at[DT_SYMTAB]);
		t[0].names = tableof(info, at[DT_STRTAB]);
		t[0].rel = tableof(info, at[DT_JMPREL]);
		t[0].end = (const void *)((const char *)t[0].rel + at[DT_PLTRELSZ]);
	}
	t[1] = t[0];
	if (t[0].sym) {
		t[1].rel = tableof(info, at[DT_RELA]);
		t[1].end = (const void *)((const char *)t[1].rel + at[DT_RELASZ]);
	}
}

/* hookmodule - lead the words of a module to the stand-ins, or back if `on' is NULL. */
static int
hookmodule(struct phdrinfo *info, size_t size, void *on)
{
	Relocs t[2];

	(void)size;
	tablesof(info, t);
	hookwords(&t[0], on != NULL);
	hookwords(&t[1], on != NULL);
	return 0;
}

static int
canonicalmodule(struct phdrinfo *info, size_t size, void *with)
{
	Relocs t[2];

	(void)size;
	(void)with;
	tablesof(info, t);
	canonical(t);
	return 0;
}

/* know - note where the stubs of this copy are. */
static void
know(void)
{
	int k;

	p->stubs = stubs;
	p->jumping = jumping;
	p->jumped = jumped;
	p->answered = answered;
	p->ran = ran;
	for (k = 0; k < NSTUB; k++)
		p->standin[k] = k < NHOOK || k >= OTHER ? standin(k) : NULL;
}

/* isneeded - whether we need to see calls of that function: some events we learn in other ways. */
static int
isneeded(int which, void *f)
{
	switch (which) {
	case CATCH: return p->isstatic;
	case FORK: return !__register_atfork;
	case EXIT:
	case ABORT: return !entryfor((uint64_t)f);
	default: return 1;
	}
}

/* Where the stubs of counted code in this module go; NULL is the function itself. */
__attribute__((visibility("hidden"))) void *standins[NHOOK] __asm__(GUEST("standins"));

/* hookcalls - set where the stubs of counted code go: in static programs all of them lead to us,
 * else only those of functions that the module defines itself, though not in counted code. */
static void
hookcalls(void)
{
	uint32_t own[NHOOK] = {0};
	const struct Called *c;

	for (c = firstcall; c < lastcall; c++) {
		uint32_t k = c->which & ~OWNNAME;
		void *f = (char *)&c->real + c->real;

		if (c->which == OWNCALLS && p->hdr)
			p->hdr->flags |= PROFOWNCALLS;
		if (k >= NHOOK || own[k])
			continue;
		own[k] = c->which & OWNNAME;
		if (p->isstatic)
			p->real[k] = own[k] || !isneeded((int)k, f) ? NULL : f;
		standins[k] = !own[k] && p->real[k] == f ? p->standin[k] : NULL;
	}
}

/* hookpointers - change words of data in a static program that hold the address of a function.  If
 * code takes the address, too, they stay as they are, because pointers must stay equal. */
static void
hookpointers(void)
{
	struct phdrinfo self = selfinfo();
	uint8_t taken[NHOOK] = {0};
	const struct Called *c;
	int i;

	for (c = firstcall; c < lastcall; c++)
		if ((c->which & TAKEN) && (c->which & ~TAKEN) < NHOOK)
			taken[c->which & ~TAKEN] = 1;
	for (c = firstcall; c < lastcall; c++)
		if ((c->which & OWNNAME) && (c->which & ~OWNNAME) < NHOOK)
			taken[c->which & ~OWNNAME] = 0;
	for (c = firstcall; c < lastcall; c++) {
		uint32_t k = c->which & ~POINTER;
		void **word = (void **)((char *)&c->real + c->real);

		if (!(c->which & POINTER) || k >= NHOOK || !p->real[k] || *word != p->real[k])
			continue;
		if (!taken[k])
			taken[k] = !patch(&self, word, p->standin[k]);
	}
	for (i = 0; i < NHOOK; i++)
		if (taken[i])
			missed(i);
}

/* findall - find the functions that lead to us, and others that we call.  A failed dlsym must not
 * show in the program's dlerror(). */
static void
findall(void)
{
	void *(*find)(void *, const char *) =
		p->real[DLSYM] ? p->real[DLSYM] : (void *)dlsym; /* dlsym itself may lead here */
	char *(*forget)(void);
	int i;

	for (i = 0; i < NHOOK; i++) {
		void *f = find(NULL, hookname[i]);

		p->real[i] = f && isneeded(i, f) ? f : NULL;
	}
	p->getcfa = (uint64_t(*)(void *))find(NULL, "_Unwind_GetCFA");
	p->dlclose = find(NULL, "dlclose");
	p->push = (void (*)(Cleanup *, void *, void *))find(NULL, "_pthread_cleanup_push");
	p->pop = (void (*)(Cleanup *, int))find(NULL, "_pthread_cleanup_pop");
	p->library = moduleat((uint64_t)find(NULL, "__errno_location")).phdr;
	forget = (char *(*)(void))find(NULL, "dlerror");
	if (forget)
		forget();
}

/* watchforks - have this copy called in the child of a fork, until its module is unloaded.  Only
 * the host does that: with glibc 2.36 a thread that forks while another one adds a handler reads
 * the list of handlers when it may be gone (__run_postfork_handlers releases its lock before it
 * reads an entry).  The C library allocates memory for it, so it is called without our lock. */
static void
watchforks(void)
{
	if (__register_atfork)
		__register_atfork(NULL, NULL, (void (*)(void))(stubs + 16 * FORKED),
				  &__dso_handle ? __dso_handle : NULL);
}

/* hookall - lead calls to this copy: it becomes the host. */
static void
hookall(void)
{
	if (!p->isstatic && (!dl_iterate_phdr || !dlsym)) {
		if (p->hdr) /* nothing can be found */
			p->hdr->flags |= PROFLOSTCUTS;
		return;
	}
	p->host = note;
	p->watch = watchforks;
	p->join = joined;
	know();
	if (!p->isstatic) {
		findall();
		dl_iterate_phdr(canonicalmodule, NULL);
		dl_iterate_phdr(hookmodule, p);
	}
	hookcalls();
	if (p->isstatic)
		hookpointers();
	guardall();
	if (p->hdr)
		p->hdr->flags |= PROFHASCUTS;
}

#endif
