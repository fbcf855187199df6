/* Eight threads in one function. */
#include <pthread.h>
#include <stdio.h>

static void *work(void *arg)
{
	long n = (long)arg, i, s = 0;

	for (i = 0; i < 1000; i++) {
		if (i % 3)
			s += n;
		else
			s -= 1;
	}
	return (void *)s;
}

int main(void)
{
	pthread_t t[8];
	long i, s = 0;
	void *r;

	for (i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (i = 0; i < 8; i++) {
		pthread_join(t[i], &r);
		s += (long)r;
	}
	printf("%ld\n", s);
	return 0;
}
