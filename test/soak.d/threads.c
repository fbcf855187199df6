/* threads.c - threads that come and go by thousands, 16 at a time at most.
 *
 * usage: threads SEED COUNT [FILE]
 *
 * They are made by several at once and end in every way.  What was called how often is known,
 * and printed; then the process ends in one way of several. */

#include "soak.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { LIVE = 16 };
enum { RETURNS, LEAVES, WAITS, ASKS, SPINS, DETACHED, RUNSON, NWAY };

typedef struct Job Job;
typedef struct Maker Maker;

struct Job { /* of one thread */
	pthread_t thread;
	int way, depth, n;
	sem_t ready; /* it has called whatever it will */
};

struct Maker {
	pthread_t thread;
	uint64_t seed;
	int count, live;
	long leaf, down; /* calls */
};

static volatile uint64_t *made; /* how many; NULL if nobody wants to know */

static void
clean(void *arg)
{
	sink += *(int *)arg;
}

/* stay - until the thread ends by itself or somebody ends it. */
COUNTED void
stay(Job *job)
{
	int way = job->way;
	unsigned i;

	leaves(job->n);
	if (way == SPINS)
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	sem_post(&job->ready); /* and job may be gone */
	switch (way) {
	case LEAVES: pthread_exit(NULL);
	case WAITS:
		for (;;)
			pause();
	case ASKS:
		for (;;) {
			sink++;
			pthread_testcancel();
			sched_yield();
		}
	case SPINS:
	case RUNSON:
		for (i = 0;; i++) {
			if (i % 3)
				sink++;
			else
				sink--;
			if (i % 500 == 0)
				sched_yield();
		}
	default: break;
	}
}

COUNTED void
down(int n, Job *job)
{
	int k = n;

	if (n & 1) {
		pthread_cleanup_push(clean, &k);
		down(n - 1, job);
		pthread_cleanup_pop(k & 2);
	} else if (n) {
		down(n - 1, job);
	} else {
		stay(job);
	}
	sink--;
}

static void *
thread(void *arg)
{
	Job *job = arg;

	down(job->depth, job);
	return NULL;
}

/* finish - a thread, once it has called what it will. */
static void
finish(Job *job)
{
	sem_wait(&job->ready);
	if (job->way == WAITS || job->way == ASKS || job->way == SPINS)
		pthread_cancel(job->thread);
	if (job->way != DETACHED && job->way != RUNSON)
		pthread_join(job->thread, NULL);
	free(job);
}

static void
begin(Maker *m, Job **job)
{
	Job *new = calloc(1, sizeof *new);

	/* Some run on, but not many. */
	new->way = (int)next(&m->seed, m->count % 200 == 1 ? NWAY : NWAY - 1);
	new->depth = (int)next(&m->seed, 12);
	new->n = (int)next(&m->seed, 100);
	sem_init(&new->ready, 0, 0);
	if (pthread_create(&new->thread, NULL, thread, new) != 0) {
		perror("pthread_create");
		exit(9);
	}
	if (made)
		++*made;
	m->leaf += new->n;
	m->down += new->depth + 1;
	if (new->way == DETACHED)
		pthread_detach(new->thread);
	*job = new;
}

static void *
make(void *arg)
{
	Maker *m = arg;
	Job *job[LIVE] = {NULL};
	int i;

	for (; m->count > 0; m->count--) {
		Job **j = &job[next(&m->seed, (unsigned)m->live)];

		if (*j)
			finish(*j);
		begin(m, j);
	}
	for (i = 0; i < m->live; i++)
		if (job[i])
			finish(job[i]);
	return NULL;
}

/* end - the process, whatever its threads do. */
static void *
end(void *arg)
{
	switch (*(int *)arg) {
	case 0: exit(0);
	case 1: exit(5);
	case 2: _exit(0);
	case 3: abort();
	case 4: raise(SIGTERM); return NULL;
	default: return NULL;
	}
}

int
main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	int count = argc > 2 ? atoi(argv[2]) : 1000, makers = 1 << next(&seed, 4), i;
	int way = (int)next(&seed, 7);
	Maker m[8];
	long leaf = 0, down = 0;
	pthread_t ender;

	made = argc > 3 ? progress(argv[3]) : NULL;
	for (i = 0; i < makers; i++) {
		m[i] = (Maker){
			.seed = seed + (uint64_t)i, .count = count / makers, .live = LIVE / makers};
		pthread_create(&m[i].thread, NULL, make, &m[i]);
	}
	for (i = 0; i < makers; i++) {
		pthread_join(m[i].thread, NULL);
		leaf += m[i].leaf;
		down += m[i].down;
	}
	printf("leaf %ld\ndown %ld\n", leaf, down);
	fflush(stdout);
	if (next(&seed, 2)) {
		end(&way);
	} else {
		pthread_create(&ender, NULL, end, &way);
		pthread_join(ender, NULL);
	}
	return 0;
}
