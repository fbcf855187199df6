/* zprof.c - the library of programs that `zprof' rewrote: counts go to zprof.out when the
 * program exits, as lines `file:line: count'.
 *
 * ISO C.  Every thread has counters of its own where <threads.h> is; they are added up when
 * it ends, or when the program does.  With ZPROF_FREESTANDING there is no file, no exit and no
 * memory to ask for: the program calls _bbProfEach() when it wants the counts. */

#include "zprof.h"

#ifdef ZPROF_FREESTANDING

static struct _BBFile *files;

void
_bbProfEnter(struct _BBFile *f, _BBCount *count, char *in)
{
	*in = 1;
	if (f->linked)
		return;
	f->linked = 1;
	f->total = count;
	f->next = files;
	files = f;
}

#else

#include <stdio.h>
#include <stdlib.h>

#if defined __STDC_VERSION__ && __STDC_VERSION__ >= 201112L && !defined __STDC_NO_THREADS__ \
	&& !defined ZPROF_ONE_THREAD
#include <threads.h>
#define THREADS
static once_flag once = ONCE_FLAG_INIT;
static mtx_t mutex;
static tss_t mine;
#define LOCK() mtx_lock(&mutex)
#define UNLOCK() mtx_unlock(&mutex)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

/* The counters of one file in one thread. */
struct Part {
	struct _BBFile *file;
	_BBCount *count;
	struct Part *next;   /* of all */
	struct Part *sister; /* of this thread */
};

static struct _BBFile *files; /* in inverse order of first use */
static struct Part *parts;

/* add - what a part has counted to the total. */
static void
add(struct Part *p)
{
	int i;

	for (i = 0; i < p->file->n; i++) {
		p->file->total[i] += p->count[i];
		p->count[i] = 0;
	}
}

#ifdef THREADS
/* ended - a thread: its counters go away with it. */
static void
ended(void *first)
{
	struct Part *p, *next, **q;

	LOCK();
	for (p = first; p; p = next) {
		next = p->sister;
		add(p);
		for (q = &parts; *q != p; q = &(*q)->next)
			;
		*q = p->next;
		free(p);
	}
	UNLOCK();
}

static void
start(void)
{
	mtx_init(&mutex, mtx_plain);
	tss_create(&mine, ended);
}
#endif

void
_bbProfEnter(struct _BBFile *f, _BBCount *count, char *in)
{
	struct Part *p;

	*in = 1;
#ifdef THREADS
	call_once(&once, start);
#endif
	p = malloc(sizeof *p);
	if (!p) {
		*in = 0; /* perhaps later */
		return;
	}
	LOCK();
	if (!files)
		atexit(_bbProfOut);
	if (!f->linked) {
		f->linked = 1;
		f->next = files;
		files = f;
	}
	p->file = f;
	p->count = count;
	p->next = parts;
	parts = p;
	p->sister = 0;
#ifdef THREADS
	p->sister = tss_get(mine);
	tss_set(mine, p);
#endif
	UNLOCK();
}

static FILE *out;

static void
put(const char *file, unsigned line, _BBCount count)
{
#if defined __STDC_VERSION__ && __STDC_VERSION__ >= 199901L
	fprintf(out, "%s:%u: %llu\n", file, line, count);
#else
	fprintf(out, "%s:%u: %lu\n", file, line, count);
#endif
}

/* _bbProfOut - append what was counted to zprof.out; and begin anew. */
void
_bbProfOut(void)
{
	struct Part *p;
	struct _BBFile *f;
	int i;

	LOCK();
	for (p = parts; p; p = p->next)
		add(p);
	out = fopen("zprof.out", "a");
	if (out) {
		_bbProfEach(put);
		fclose(out);
	} else {
		perror("zprof.out");
	}
	for (f = files; f; f = f->next)
		for (i = 0; i < f->n; i++)
			f->total[i] = 0;
	UNLOCK();
}

#endif

/* _bbProfEach - show every count. */
void
_bbProfEach(void (*show)(const char *file, unsigned line, _BBCount count))
{
	struct _BBFile *f;
	int i;

	for (f = files; f; f = f->next)
		for (i = 0; i < f->n; i++)
			show(f->name[f->place[i][0]], f->place[i][1], f->total[i]);
}
