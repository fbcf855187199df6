# modules.sh - shared libraries and plugins count, beside a program that counts or does not.
cp "$ROOT/test/sample/parts/doubles.c" so.c
cp "$ROOT/test/sample/modules.c" um.c
cat >plug.c <<'C'
int value(int n) { return n > 2 ? n * 2 : n; }
C
cat >host.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int
use(const char *path, int times)
{
	void *d = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*f)(int) = d ? (int (*)(int))dlsym(d, "value") : 0, s = 0;

	if (!f)
		exit(9);
	while (times-- > 0)
		s += f(times);
	dlclose(d);
	return s;
}

int
main(int argc, char **argv)
{
	int i, s = 0;

	for (i = 1; i < argc; i++)
		s += use(argv[i], 10);
	printf("%d\n", s);
	return 0;
}
C
was() { is "$1: $2" "$(calls "$2")" "$3"; }
count='tally build --counters=check'

for cc in gcc clang; do for pie in '-fPIE -pie' '-fno-pie -no-pie'; do for o in -O0 -O2; do
	what="$cc $pie $o"
	rm -rf tally.out
	# shellcheck disable=SC2086
	{
		$count $cc $o -fPIC -shared so.c -o libso.so
		$count $cc $o $pie um.c -o um -L. -lso -Wl,-rpath,"$PWD"
		$cc $o $pie um.c -o plain -L. -lso -Wl,-rpath,"$PWD"
	}
	./um
	was "$what" twice 5
	was "$what" main 1
	exact "$what"
	[ "$(find tally.out -name '*.tally' | wc -l)" = 1 ]
	setarch -R ./um 2>/dev/null && was "$what" twice 10
	# Only the library counts.
	rm -rf tally.out
	./plain
	was "$what, only the library" twice 5
	# Only the program.
	rm -rf tally.out
	$cc $o -fPIC -shared so.c -o libso.so
	./um
	was "$what, only the program" main 1
	exact "$what, only the program"
done; done; done

# Plugins, each opened and closed several times, by a host that counts or does not.
$count gcc -O1 -fPIC -shared plug.c -o a.so
$count gcc -O2 -fPIC -shared plug.c -o b.so
$count gcc -O1 host.c -o host -ldl
gcc -O1 host.c -o plainhost -ldl
rm -rf tally.out
[ "$(./host ./a.so ./b.so)" = "$(TALLY_DIR=elsewhere ./plainhost ./a.so ./b.so)" ]
rm -rf tally.out
./host ./a.so ./b.so ./a.so "$PWD/a.so" ./b.so >/dev/null
exact plugins
was plugins use 5
was plugins value 50
rm -rf tally.out
./plainhost ./a.so ./b.so ./a.so >/dev/null
was 'plugins alone' value 30

# The same static library in two modules; hidden symbols; a function that chooses another
# (its resolver runs before anything is mapped).
cat >lib.c <<'C'
int shared(int n) { return n & 1 ? n : -n; }
C
cat >l1.c <<'C'
int shared(int);
static int fast(void) { return 7; }
static int (*pick(void))(void) { return fast; }
int chosen(void) __attribute__((ifunc("pick")));
__attribute__((visibility("default"))) int value(int n) { return shared(n) + (chosen() == 7 ? 0 : 100); }
C
cat >l2.c <<'C'
int shared(int);
int value(int);
int main(void) { return value(3) + shared(2) == 1 ? 0 : 1; }
C
rm -rf tally.out
$count gcc -O1 -fPIC -fvisibility=hidden -c lib.c -o lib.o && ar rcs lib.a lib.o
$count gcc -O1 -fPIC -fvisibility=hidden -shared l1.c lib.a -o libone.so
$count gcc -O1 l2.c lib.a -o two -L. -lone -Wl,-rpath,"$PWD"
./two
exact 'a library in two modules'
was 'a library in two modules' shared 2
cp libone.so c.so
./host ./c.so >/dev/null
exact 'a resolver in a plugin'

# A library from which nothing is left at the end, and one that is replaced meanwhile.
rm -rf tally.out
mkdir d && cp a.so d/p.so
./host ./d/p.so ./b.so >/dev/null
rm -r d
tally print -f >out 2>err
grep -q 'd/p.so: No such file' err
awk '$1 == "value" { s += $2 } END { exit s != 10 }' out

# The last that counted is gone when the program forks.
cat >gone.c <<'C'
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	void *d = dlopen("./a.so", RTLD_NOW);
	int status = 1;
	((int (*)(int))dlsym(d, "value"))(1);
	dlclose(d);
	if (fork() == 0)
		_exit(0);
	wait(&status);
	return status;
}
C
gcc gone.c -o gone
./gone
tally build --quiet gcc gone.c -o gone
./gone

# Threads that were there before the first library that counts: what they count is not lost.  One has
# the counters that nobody else uses; several share them, and there is a remark.
cat >late.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static sem_t go, done;
static int (*f)(int);
static void *waits(void *arg)
{
	sem_wait(&go);
	for (int i = 0; i < 1000; i++) f(i);
	sem_post(&done);
	sem_wait(&go);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	void *d;
	sem_init(&go, 0, 0);
	sem_init(&done, 0, 0);
	for (int i = 0; i < THREADS; i++) pthread_create(&t, 0, waits, 0);
	d = dlopen(argv[argc - 1], RTLD_NOW);
	*(void **)&f = d ? dlsym(d, "value") : NULL;
	if (!f) return 9;
	for (int i = 0; i < 500; i++) f(i);
	for (int i = 0; i < THREADS; i++) { sem_post(&go); sem_wait(&done); }
	return 0;
}
C
for threads in 1 2; do
	gcc -DTHREADS=$threads late.c -o late -pthread -ldl
	rm -rf tally.out
	./late ./a.so
	[ $threads = 1 ] && mark='' || mark='~' # two that were there first share counters
	was 'threads before' value "$mark$((1000 * threads + 500))"
	tally print -f >/dev/null 2>said
	[ "$(grep -c 'threads or processes shared counters' said)" = $((threads - 1)) ] || { cat said; exit 1; }
done
