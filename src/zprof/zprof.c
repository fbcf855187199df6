/* zprof.c - the library of programs that `zprof' rewrote: counts go to zprof.out when the
 * program exits, as lines `file:line: count'.
 *
 * ISO C.  Every thread has counters of its own where <threads.h> is; they are added up when
 * it ends, or when the program does.  With ZPROF_FREESTANDING there is no file, no exit and no
 * memory to ask for: the program calls _bbProfEach() when it wants the counts. */

#include "zprof.h"

#ifndef ZPROF_FREESTANDING
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#endif

#ifdef _BBTHREADS
#include <threads.h>
static once_flag once = ONCE_FLAG_INIT;
static mtx_t mutex;
static tss_t mine;
static void start(void);
#define LOCK() (call_once(&once, start), mtx_lock(&mutex))
#define UNLOCK() mtx_unlock(&mutex)
#define MINE() tss_get(mine)
#define SETMINE(p) tss_set(mine, p)
#else
static struct _BBPart *mine;
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#define MINE() mine
#define SETMINE(p) (mine = (p))
#endif

static struct _BBFile *files; /* in inverse order of first use */
static int busy;              /* what is called now is called by us: the program's own fprintf */

/* each - show every count; or only what came since the last time that this was asked.  Other
 * threads go on counting meanwhile: their counters are only read. */
static void
each(void (*show)(const char *file, unsigned line, _BBCount count), int since)
{
	struct _BBFile *f;
	struct _BBPart *p;
	_BBCount sum;
	int i;

	for (f = files; f; f = f->next)
		for (i = 0; i < f->n; i++) {
			for (sum = 0, p = f->part; p; p = p->next)
				sum += p->count[i];
			show(f->name[f->place[i][0]], f->place[i][1], f->total[i] + sum);
			if (since)
				f->total[i] = 0 - sum;
		}
}

/* _bbProfEach - show every count. */
void
_bbProfEach(void (*show)(const char *file, unsigned line, _BBCount count))
{
	LOCK();
	each(show, 0);
	UNLOCK();
}

#ifndef ZPROF_FREESTANDING

/* leave - the library forgets the parts of this thread; what they have counted is kept. */
static void
leave(struct _BBPart *first)
{
	struct _BBPart *p, **q;
	int i;

	for (p = first; p; p = p->sister) {
		for (i = 0; i < p->file->n; i++) {
			p->file->total[i] += p->count[i];
			p->count[i] = 0;
		}
		for (q = &p->file->part; *q != p; q = &(*q)->next)
			;
		*q = p->next;
		p->in = 0;
	}
	SETMINE(0);
}

static FILE *out;
static size_t size;

static void
put(const char *file, unsigned line, _BBCount count)
{
	char digit[32];
	int n = sizeof digit - 1;

	digit[n] = 0;
	do
		digit[--n] = (char)('0' + count % 10);
	while ((count /= 10) > 0);
	fprintf(out, "%s:%u: %s\n", file, line, digit + n);
}

static void
measure(const char *file, unsigned line, _BBCount count)
{
	(void)line;
	(void)count;
	size += strlen(file) + 50;
}

/* _bbProfOut - append what was counted to zprof.out, and begin anew.  At once, since others may
 * be about to do the same. */
void
_bbProfOut(void)
{
	struct _BBFile *f, *all;
	char *buffer;

	LOCK();
	busy = 1;
	leave(MINE());
	size = 1;
	each(measure, 0);
	out = files ? fopen("zprof.out", "a") : 0;
	if (out) {
		buffer = malloc(size);
		if (buffer)
			setvbuf(out, buffer, _IOFBF, size);
		each(put, 1);
		if (fclose(out) != 0)
			perror("zprof.out");
		free(buffer);
	} else if (files) {
		perror("zprof.out");
	}
	all = files;
	files = 0;
	while ((f = all) != 0) { /* those where threads still count stay */
		all = f->next;
		f->linked = f->part != 0;
		f->next = files;
		if (f->linked)
			files = f;
	}
	busy = 0;
	UNLOCK();
}

static int registered;

static void
atend(void)
{
	registered = 0; /* functions may still be called */
	_bbProfOut();
}

#ifdef _BBTHREADS
/* ended - a thread: its counters go away with it. */
static void
ended(void *first)
{
	LOCK();
	leave(first);
	UNLOCK();
}

static void
start(void)
{
	mtx_init(&mutex, mtx_plain | mtx_recursive);
	tss_create(&mine, ended);
}
#endif

#endif

/* _bbProfEnter - a thread enters a file for the first time. */
void
_bbProfEnter(struct _BBFile *f, struct _BBPart *p, _BBCount *count)
{
	p->in = 1;
	LOCK();
	if (busy) {
		p->in = 0;
		UNLOCK();
		return;
	}
#ifndef ZPROF_FREESTANDING
	if (!registered)
		registered = atexit(atend) == 0;
#endif
	if (!f->linked) {
		f->linked = 1;
		f->next = files;
		files = f;
	}
	p->file = f;
	p->count = count;
	p->next = f->part;
	f->part = p;
	p->sister = MINE();
	SETMINE(p);
	UNLOCK();
}
