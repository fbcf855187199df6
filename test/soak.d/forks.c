/* forks.c - a tree of processes that end in every way.
 *
 * usage: forks SEED DEPTH [KILLS]
 *
 * What will be called how often, and how many processes will end how, is printed first: a node
 * of the tree is told by its seed.  With KILLS some end by SIGKILL. */

#include "soak.h"
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RETURNS, EXITS, FAILS, LEAVES, ABORTS, DIES, EXECS, KILLED, NWAY };

typedef struct Node Node;
typedef struct Plan Plan;

struct Node {
	uint64_t seed;
	int depth;
	int kids, n, down, way;
	int waits;   /* for its children */
	int threads; /* that work, too */
	int spawns;  /* its children by posix_spawn */
	int fails;   /* to exec something */
};

struct Plan { /* calls, and processes by end */
	long leaf, down, zero, other, signal, exec, gone;
};

extern char **environ;
static int kills;
static char self[] = "/proc/self/exe";

static Node
nodeof(uint64_t seed, int depth)
{
	Node d = {.seed = seed, .depth = depth};

	next(&seed, 2);
	d.kids = depth ? 1 + (int)next(&seed, 4) : 0;
	d.n = (int)next(&seed, 200);
	d.down = (int)next(&seed, 6);
	d.way = (int)next(&seed, kills ? NWAY : NWAY - 1);
	d.waits = next(&seed, 3) > 0;
	d.threads = next(&seed, 4) ? 0 : (int)next(&seed, 4);
	d.spawns = next(&seed, 5) == 0;
	d.fails = next(&seed, 4) == 0;
	if (d.way == EXECS && !depth)
		d.way = RETURNS;
	return d;
}

static uint64_t
kid(const Node *d, int i)
{
	return d->seed * 31 + (uint64_t)i + 1;
}

static void
plan(Plan *p, uint64_t seed, int depth)
{
	Node d = nodeof(seed, depth);
	int i;

	for (i = 0; i < d.kids; i++)
		plan(p, kid(&d, i), depth - 1);
	p->leaf += (long)d.n * (1 + d.threads);
	p->down += d.down + 1;
	switch (d.way) {
	case RETURNS:
	case EXITS: p->zero++; break;
	case FAILS:
	case LEAVES: p->other++; break;
	case ABORTS:
	case DIES: p->signal++; break;
	case KILLED: p->gone++; break;
	case EXECS:
		p->exec++;
		plan(p, kid(&d, d.kids), depth - 1);
		break;
	}
}

static char **
command(uint64_t seed, int depth)
{
	static char text[2][24], kill[] = "kills", node[] = "node";
	static char *argv[] = {self, text[0], text[1], kill, node, NULL};

	snprintf(text[0], sizeof text[0], "%llu", (unsigned long long)seed);
	snprintf(text[1], sizeof text[1], "%d", depth);
	if (!kills)
		kill[0] = 0;
	return argv;
}

/* end - of a process. */
COUNTED void
end(const Node *d)
{
	switch (d->way) {
	case EXITS: exit(0);
	case FAILS: exit(3);
	case LEAVES: _exit(4);
	case ABORTS: abort();
	case DIES: raise(SIGTERM); break;
	case KILLED: raise(SIGKILL); break;
	case EXECS: execv(self, command(kid(d, d->kids), d->depth - 1)); abort();
	default: break;
	}
}

COUNTED int
down(int n, const Node *d)
{
	int r = 0;

	if (n)
		r = down(n - 1, d);
	else
		end(d);
	sink++;
	return r + (sink > 0);
}

static void *
work(void *arg)
{
	leaves(((Node *)arg)->n);
	return NULL;
}

/* node - be one.  It returns through the frames of the processes that forked it. */
COUNTED int
node(uint64_t seed, int depth)
{
	Node d = nodeof(seed, depth);
	pthread_t t[4];
	pid_t pid;
	int i;

	for (i = 0; i < d.threads; i++)
		pthread_create(&t[i], NULL, work, &d);
	for (i = 0; i < d.kids; i++) {
		if (d.spawns) {
			if (posix_spawn(&pid, self, NULL, NULL, command(kid(&d, i), depth - 1),
					environ)
			    != 0)
				exit(9);
		} else {
			pid = fork();
			if (pid < 0)
				exit(9);
			if (pid == 0)
				return node(kid(&d, i), depth - 1);
		}
	}
	work(&d);
	if (d.fails)
		execl("/nowhere", "nowhere", (char *)NULL);
	for (i = 0; i < d.threads; i++)
		pthread_join(t[i], NULL);
	while (d.waits && wait(NULL) > 0)
		;
	down(d.down, &d);
	return 0;
}

int
main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	int depth = argc > 2 ? atoi(argv[2]) : 3;
	Plan p = {0};

	kills = argc > 3 && argv[3][0];
	if (argc < 5) {
		plan(&p, seed, depth);
		printf("leaf %ld\nzero %ld\nother %ld\nsignal %ld\nexec %ld\ngone %ld\n", p.leaf,
		       p.zero, p.other, p.signal, p.exec, p.gone);
		if (!kills) /* which leaves frames of it */
			printf("down %ld\n", p.down);
		fflush(stdout);
	}
	return node(seed, depth);
}
