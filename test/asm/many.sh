# many.sh - any number of counted libraries: linked, opened at once, in turn, again and again, by
# threads, for threads; each keeps its own counts.                           tally-test:slow
n=100
for ((i = 0; i < n; i++)); do
	echo "int f$i(int n) { int s = 0; while (n-- > 0) s += n & 1; return s; }" >f$i.c
	echo "int f$i(int);" >>all.h
	calls+=" f$i($i);"
done
echo "#define ALL$calls" >>all.h
# What every program here has: threads, and plugins by number.
cat >common.h <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define THREADS(n, f) do { pthread_t t_[n]; int k_; \
	for (k_ = 0; k_ < (n); k_++) if (pthread_create(&t_[k_], NULL, f, (void *)(long)k_)) exit(8); \
	for (k_ = 0; k_ < (n); k_++) pthread_join(t_[k_], NULL); } while (0)
typedef int (*F)(int);
static void *opened(int k, const char *how)
{
	char path[40];
	void *d;
	snprintf(path, sizeof path, "./lib%d%s.so", k, how);
	if (!(d = dlopen(path, RTLD_NOW | RTLD_LOCAL))) { puts(dlerror()); exit(9); }
	return d;
}
static F function(void *d, int k)
{
	char name[20];
	snprintf(name, sizeof name, "f%d", k);
	return (F)dlsym(d, name);
}
C
cat >linked.c <<'C'
#include "common.h"
#include "all.h"
static void *each(void *arg) { ALL return arg; }
int main(void) { each(0); THREADS(20, each); return 0; }
C
cp "$HERE/more/many.c" open.c
cat >threads.c <<'C'
#include "common.h"
int f1(int);
static pthread_barrier_t all;
static void *one(void *arg) { pthread_barrier_wait(&all); f1(7); return arg; }
int main(void) { pthread_barrier_init(&all, NULL, 1000); THREADS(1000, one); f1(0); return 0; }
C
tally build --quiet --counters=check bash -ec 'for ((i = 0; i < '$n'; i++)); do gcc -O1 -fPIC -shared f$i.c -o lib$i.so; done
gcc -O1 linked.c -o linked -pthread -L. $(seq -f -l%g 0 '$((n - 1))') -Wl,-rpath,"$PWD"
gcc -O1 open.c -o open -pthread -ldl
gcc -O1 threads.c -o threads -pthread -L. -l1 -Wl,-rpath,"$PWD"'

# counted WHAT HOW - function k was called as often as the awk expression HOW of k says, and no count is in doubt.
counted() {
	local status=$?
	[ $status = 0 ] || { echo "$1: status $status"; exit 1; }
	tally print -f 2>said | awk '$1 ~ /^f[0-9]+$/ && $2 != "-" { print substr($1, 2), $2 }' >got
	awk "{ k = \$1; if (\$2 != ($2)) { bad++; print \"f\" k, \$2, \"not\", ($2) } } END { exit bad || !NR }" got ||
		{ echo "$1:"; cat said; exit 1; }
	! grep -v 'functions are not counted' said || { echo "$1: this is in doubt"; exit 1; }
	tally print --compare | grep -q ' 0 differences' || { echo "$1: check"; exit 1; }
	rm -rf tally.out
}
for aslr in '' 'setarch -R'; do
	[ ! "$aslr" ] || setarch -R true 2>/dev/null || continue
	$aslr ./linked; counted "linked $aslr" 21
	$aslr ./open s; counted "open at once $aslr" k+1
	$aslr ./open t; counted "in turn $aslr" k+1
	$aslr ./open a; counted "again $aslr" 'k < 2 ? 100 : $2'
	$aslr ./open T; counted "by threads $aslr" 40
	$aslr ./threads; counted "a thousand threads $aslr" 1001
	$aslr ./open c; counted "while threads run $aslr" 'k == 50 ? $2 : k == 99 ? 20 : k % 10 ? 10 : 11'
done

# A module that must not be: its counters are more than there is between those of two threads.
{
	echo 'int f0(int n) { switch (n) {'
	for ((i = 0; i < 12000; i++)); do echo "case $((i * 3)): return $i + n;"; done
	echo '} return 0; }'
} >big.c
cat >move.c <<'C'
#include "common.h"
static volatile int stop, s;
static void *spin(void *arg) { for (int i = 0; i < 20000000 || !stop; i++) s += i & 1; return arg; }
int main(void)
{
	pthread_t t[4];
	F f;
	for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, spin, NULL);
	f = function(opened(0, "big"), 0);
	for (int i = 0; i < 1000; i++) f(i);
	stop = 1;
	for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
	return 0;
}
C
tally build --quiet --counters=check bash -ec 'gcc -O0 -fPIC -shared big.c -o lib0big.so; gcc -O1 move.c -o move -pthread'
for aslr in '' 'setarch -R'; do
	$aslr ./move; counted "a large one $aslr" 1000
done

# Threads go elsewhere because of a library whose copy of the runtime is gone when the next one comes.
cat >away.c <<'C'
#include "common.h"
static volatile int stop, s;
static void *spin(void *arg) { while (!stop) s += (int)(long)arg & 1; return arg; }
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, spin, (void *)1);
	for (int i = 0; i < 50; i++) {
		void *d = opened(0, "big"), *e;
		function(d, 0)(i);
		dlclose(d);
		e = opened(50 + i % 50, ""); /* where that was */
		d = opened(1, "big");
		function(d, 1)(i);
		dlclose(d);
		dlclose(e);
	}
	stop = 1;
	for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
	return 0;
}
C
sed 's/f0/f1/' big.c >big1.c
tally build --quiet --counters=check bash -ec 'gcc -O0 -fPIC -shared big1.c -o lib1big.so; gcc -O1 -fno-pie -no-pie away.c -o away -pthread'
for aslr in '' 'setarch -R'; do
	$aslr ./away; counted "large ones that go $aslr" 'k < 2 ? 50 : 0'
done

# A resolver that runs in a thread, before anything of its library is mapped.
cat >resolve.c <<'C'
static int one(void) { return 1; }
static int two(void) { return 2; }
__attribute__((noinline)) static int pick(int n) { int s = 0; while (n-- > 0) s += n; return s; }
static void *resolve(void) { volatile int x = 10; return pick(x) & 1 ? (void *)one : (void *)two; }
int chosen(void) __attribute__((ifunc("resolve")));
int f0(int n) { return n + chosen(); }
C
cat >thread.c <<'C'
#include "common.h"
static void *work(void *arg) { return (void *)(long)function(opened(0, "resolve"), 0)(arg != NULL); }
int main(void) { THREADS(3, work); return 0; }
C
tally build --quiet --counters=check bash -ec 'gcc -O1 -w -fPIC -shared resolve.c -o lib0resolve.so; gcc -O1 thread.c -o thread -pthread'
./thread; counted 'a resolver in a thread' 3
