# shared.sh - threads that share counters (--threads=off), each with calls of exec that fail: each returns to its own caller.
cat >execs.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static char *const args[] = {"nowhere", NULL};
static int failed[4];

#define FAILING(n)                                          \
	static void *fails##n(void *arg)                    \
	{                                                   \
		for (int i = 0; i < 3000; i++) {            \
			int mine = n * 10000 + i;           \
			execv("/nowhere/" #n, args);        \
			if (mine != n * 10000 + i)          \
				_exit(9);                   \
			failed[n]++;                        \
		}                                           \
		return arg;                                 \
	}
FAILING(0)
FAILING(1)
FAILING(2)
FAILING(3)

int
main(void)
{
	void *(*const f[])(void *) = {fails0, fails1, fails2, fails3};
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, f[i], NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%d %d %d %d\n", failed[0], failed[1], failed[2], failed[3]);
	return 0;
}
C
for opt in '' -static; do
	rm -rf tally.out
	tally build --quiet --threads=off gcc -O1 -w execs.c -o execs -pthread $opt || exit 1
	./execs >said
	s=$?
	{ [ $s = 0 ] && [ "$(cat said)" = '3000 3000 3000 3000' ]; } || { echo "$opt: status $s"; cat said; exit 1; }
done
exit 0
