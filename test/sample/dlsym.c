/* dlsym.c - who asks dlsym for pthread_create gets one that counts.  roads: asm c
 * with: -O1 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
static volatile int n;
static void *work(void *arg) { for (int i = 0; i < 100000; i++) n++; return arg; } //= 400004
int main(void)
{
	int (*create)(pthread_t *, void *, void *(*)(void *), void *);
	pthread_t t[4];
	*(void **)&create = dlsym(RTLD_DEFAULT, "pthread_create");   //= 1
	for (int i = 0; i < 4; i++) create(&t[i], NULL, work, NULL); //= 5
	for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);        //= 5
	return 0;                                                    //= 1
}
