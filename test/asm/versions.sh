# versions.sh - code that two versions of tally counted, whose runtimes do not agree on anything but the page's head: in one
# link, and in one process, with threads that are there before the other's code comes, and later ones. The program does what
# it would do, what the first runtime counts is exact, and the other's modules are reported as uncounted.
# tally-test:slow
make -s -C "$ROOT" ABI=77 BUILD="$PWD/other" CFLAGS=-O0 "$PWD/other/tally" >log 2>&1 || { cat log; exit 1; }
other=$PWD/other/tally
cat >lib.c <<'C'
static volatile long sum;
__attribute__((noinline)) static void add(int k) { sum += k; }
int NAME(int n) { for (int i = 0; i < n; i++) add(i); return n; }
C
cat >main.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static sem_t go;
static volatile long sum;
#ifdef LINKED
int f(int);
#else
static int (*f)(int);
#endif
__attribute__((noinline)) static void own(int k) { sum += k; }
static void *
body(void *early)
{
	int i;

	for (i = 0; i < 500; i++)
		own(i);
	if (early)
		sem_wait(&go);
	for (i = 0; i < 10; i++)
		f(100);
	for (i = 0; i < 500; i++)
		own(i);
	return NULL;
}
static void *
alone(void *arg)
{
	int i;

	for (i = 0; i < 500; i++)
		own(i);
	return arg;
}
int
main(int argc, char **argv)
{
	int before = atoi(argv[1]), after = atoi(argv[2]), i, status;
	pthread_t t[64];

	sem_init(&go, 0, 0);
	for (i = 0; i < before; i++)
		pthread_create(&t[i], NULL, body, &go);
#ifndef LINKED
	void *d = dlopen(argv[3], RTLD_NOW);

	*(void **)&f = d ? dlsym(d, "f") : NULL;
	if (!f)
		return puts(dlerror()), 9;
#endif
	for (i = 0; i < before; i++)
		sem_post(&go);
	for (i = before; i < before + after; i++)
		pthread_create(&t[i], NULL, body, NULL);
	for (i = 0; i < before + after; i++)
		pthread_join(t[i], NULL);
	body(NULL);
	fflush(stdout);
	if (fork() == 0) {
		body(NULL);
		exit(7);
	}
	wait(&status);
	printf("%ld %d\n", (long)f(3), WEXITSTATUS(status));
	fflush(stdout);
#ifndef LINKED
	/* It goes and comes again, and threads, too. */
	for (i = 0; i < 3; i++) {
		dlclose(d);
		pthread_create(&t[0], NULL, alone, NULL);
		pthread_join(t[0], NULL);
		d = dlopen(argv[3], RTLD_NOW);
		*(void **)&f = dlsym(d, "f");
		pthread_create(&t[0], NULL, body, NULL);
		pthread_join(t[0], NULL);
	}
#endif
	return argc > 9;
}
C
# is WHAT FUNCTION CALLS
is() {
	got=$(tally print -f 2>/dev/null | awk -v f="$2" '$1 == f { print $2 }' | paste -sd+)
	[ "$got" = "$3" ] || { echo "$1: $2 was called $got times, not $3"; tally print -f; exit 1; }
}
# runs WHAT COMMAND... - as the plain program.
runs() {
	rm -rf tally.out
	said=$(timeout 60 "${@:2}") && [ "$said" = '3 7' ] || { echo "$1: $said"; exit 1; }
	tally print -f >/dev/null 2>said
	grep -q 'built by another version\|counts with another' said || { echo "$1: nothing is said of what is not counted"; cat said; exit 1; }
}
for cc in gcc clang; do for o in -O0 -O2; do
	"$other" build --quiet $cc $o -DNAME=f -fPIC -shared lib.c -o lib77.so
	"$other" build --quiet $cc $o -DNAME=f -c lib.c -o lib77.o
	tally build --quiet $cc $o -DNAME=f -fPIC -shared lib.c -o lib.so
	tally build --quiet $cc $o -pthread main.c -o main -ldl
	"$other" build --quiet $cc $o -pthread main.c -o main77 -ldl
	tally build --quiet $cc $o -pthread -DLINKED -c main.c -o linked.o
	$cc linked.o lib77.o -pthread -o first
	$cc lib77.o linked.o -pthread -o second
	for threads in '0 0' '3 0' '0 3' '3 3' '20 20'; do
		# shellcheck disable=SC2086
		set -- $threads
		n=$((1000 * ($1 + $2 + 2)))
		runs "$cc $o, $threads, a library of another" ./main $threads ./lib77.so
		is "$cc $o, $threads" own $((n + 4500))
		runs "$cc $o, $threads, a program of another" ./main77 $threads ./lib.so
		runs "$cc $o, $threads, in one link" ./first $threads
		is "$cc $o, $threads, in one link" own $n
		runs "$cc $o, $threads, in one link, the other first" ./second $threads
	done
done; done
