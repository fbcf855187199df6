/* plugins.c - threads open, call and close libraries, many at once, again and again; some calls
 * are in children.  Prints the calls of each library's function.
 *
 * usage: plugins SEED THREADS LIBRARIES    the libraries are PROGRAM.N.so */

#include "soak.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 60, MOST = 500 };

typedef int (*Call)(int);

struct Lib {
	void *handle;
	Call call;
	int n;
};

static const char *program;
static unsigned libraries;
static long *calls; /* of each library, shared with children */
static uint64_t start;

static void
get(struct Lib *l, unsigned n)
{
	char text[4096];

	snprintf(text, sizeof text, "%s.%u.so", program, n);
	l->handle = dlopen(text, RTLD_LOCAL | (n & 1 ? RTLD_NOW : RTLD_LAZY));
	if (!l->handle) {
		fprintf(stderr, "%s\n", dlerror());
		_exit(8);
	}
	snprintf(text, sizeof text, "plugin%u", n);
	l->call = (Call)dlsym(l->handle, text);
	l->n = (int)n;
}

static void
use(struct Lib *l, uint64_t *state)
{
	unsigned k = next(state, 8);

	__atomic_add_fetch(&calls[l->n], k, __ATOMIC_SEQ_CST);
	while (k-- > 0)
		sink = l->call((int)k);
}

/* child - uses what is open; it opens nothing, for another thread may be inside the loader. */
static void
child(struct Lib *open, unsigned nopen, uint64_t *state)
{
	pid_t pid = fork();
	int status = 0;
	unsigned i;

	if (pid == 0) {
		for (i = 0; i < nopen; i++)
			use(&open[i], state);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		_exit(7);
}

static void *
work(void *arg)
{
	uint64_t state = start + (uintptr_t)arg * 12345;
	struct Lib open[ROUNDS];
	unsigned nopen = 0, i, k;

	for (i = 0; i < ROUNDS; i++) {
		get(&open[nopen++], next(&state, libraries));
		use(&open[next(&state, nopen)], &state);
		if (next(&state, 30) == 0)
			child(open, nopen, &state);
		while (nopen > 0 && next(&state, 3) == 0) {
			k = next(&state, nopen);
			dlclose(open[k].handle);
			open[k] = open[--nopen];
		}
	}
	while (next(&state, 2) && nopen > 0)
		dlclose(open[--nopen].handle);
	return NULL;
}

int
main(int argc, char *argv[])
{
	pthread_t t[64];
	unsigned nthread, i;

	if (argc < 4)
		return 9;
	program = argv[0];
	start = strtoull(argv[1], NULL, 10);
	nthread = (unsigned)atoi(argv[2]);
	libraries = (unsigned)atoi(argv[3]);
	if (nthread > 64 || libraries > MOST)
		return 9;
	calls = mmap(NULL, MOST * sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < nthread; i++)
		if (pthread_create(&t[i], NULL, work, (void *)(uintptr_t)i) != 0)
			return 8;
	for (i = 0; i < nthread; i++)
		pthread_join(t[i], NULL);
	for (i = 0; i < libraries; i++)
		if (calls[i])
			printf("plugin%u %ld\n", i, calls[i]);
	return 0;
}
