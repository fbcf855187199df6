#include "common.h"
static int threads = 1;
/* N plugins stay open */
static void stay(void) { for (int k = 0; k < 100; k++) for (int i = 0; i <= k; i++) function(opened(k, ""), k)(i); }
/* each is closed before the next */
static void turn(void) { for (int k = 0; k < 100; k++) { void *d = opened(k, ""); for (int i = 0; i <= k; i++) function(d, k)(i); dlclose(d); } }
/* two, again and again, other ones in between so that they are elsewhere */
static void again(void)
{
	void *between = NULL;
	for (int i = 0; i < 100; i++) {
		for (int k = 0; k < 2; k++) {
			void *d = opened(k, "");
			function(d, k)(3);
			if (between) dlclose(between);
			between = opened(2 + i % 50, "");
			dlclose(d);
		}
	}
}
static void *thread(void *arg)
{
	for (int i = 0; i < 5; i++)
		for (int k = 0; k < 20; k++) {
			void *d = opened(k, "");
			function(d, k)((int)(long)arg);
			dlclose(d);
		}
	return arg;
}
/* a thread counts all the time while libraries come for which it needs counters, too */
static volatile int stop;
static F volatile last;
static void *spin(void *arg)
{
	while (!stop) if (last) last(2);
	return arg;
}
static void come(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, spin, NULL);
	for (int k = 0; k < 100; k++) {
		F f = function(opened(k, ""), k);
		for (int i = 0; i < 10; i++) f(1);
		if (k == 50) last = f;
		if (k % 10 == 0 && fork() == 0) { f(1); function(opened(99, ""), 99)(1); exit(0); }
	}
	while (wait(NULL) > 0);
	stop = 1;
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
}
int main(int argc, char **argv)
{
	switch (argv[1][0]) {
	case 's': stay(); break;
	case 't': turn(); break;
	case 'a': again(); break;
	case 'T': THREADS(8, thread); break;
	case 'c': come(); break;
	}
	return argc - 2 + threads - 1;
}
