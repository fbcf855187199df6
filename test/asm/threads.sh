# threads.sh - threads that come and go, of libraries, in children, in static programs, joined.  That no count is lost are
# samples: threads, together, dlsym.
tally build --quiet --counters=check clang -O1 -Wl,-z,lazy -pthread "$ROOT/test/sample/threads.c" -o p

# Thousands that come and go share a few sets of counters.
rm -rf tally.out
./p 8 300 10 &
while kill -0 $! 2>/dev/null; do
	size=$(stat -c %s tally.out/p.*.tally 2>/dev/null || echo 0)
	[ "$size" -lt 400000 ] || { echo "the profile grew to $size bytes"; exit 1; }
	sleep 0.02
done
wait $!
is 'thousands of threads' "$(calls hot)" $((10 * (9 * 300 + 1)))

# Threads of a library, of a constructor, in a child, detached, and alive at the end.
cat >lib.c <<'C'
#include <pthread.h>
int twice(int n) { int s = 0; while (n-- > 0) s += 2; return s; }
static void *body(void *arg) { int i; for (i = 0; i < 1000; i++) twice(2); return arg; }
void spawn(int n) { pthread_t t[16]; int i; for (i = 0; i < n; i++) pthread_create(&t[i], 0, body, 0); for (i = 0; i < n; i++) pthread_join(t[i], 0); }
__attribute__((constructor)) static void early(void) { spawn(4); }
C
cat >q.c <<'C'
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>
void spawn(int);
int twice(int);
static sem_t done;
static void *once(void *arg) { twice(1); sem_post(&done); return arg; }
static void *forever(void *arg) { twice(1); sem_post(&done); for (;;) pause(); return arg; }
static void *forks(void *arg)
{
	pid_t pid = fork();
	if (pid == 0) { spawn(3); twice(1); _exit(0); }
	waitpid(pid, 0, 0);
	twice(1);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_attr_t a;
	sem_init(&done, 0, 0);
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	pthread_create(&t, &a, once, 0);
	sem_wait(&done);
	spawn(8);
	pthread_create(&t, 0, forks, 0);
	pthread_join(t, 0);
	pthread_create(&t, 0, forever, 0);
	sem_wait(&done);
	return 0;
}
C
want=$((4000 + 1 + 8000 + 3000 + 1 + 1 + 1))
for what in both library program; do
	rm -rf tally.out
	case $what in program) t= ;; *) t='tally build --quiet' ;; esac
	$t gcc -O1 -fPIC -shared -pthread lib.c -o libl.so
	case $what in library) t= ;; *) t='tally build --quiet' ;; esac
	$t gcc -O1 -pthread q.c -o q -L. -ll -Wl,-rpath,"$PWD"
	./q
	[ $what = program ] || is "$what" "$(calls twice)" $want
done
! tally print -f 2>&1 | grep 'while threads ran'

# Without a dynamic linker, too, where counted code makes them; where a library does, that is
# said.
for pie in -static -static-pie; do
	tally build --quiet --counters=check gcc $pie -O1 -pthread "$ROOT/test/sample/threads.c" -o s
	rm -rf tally.out
	./s 4 1 1000 >/dev/null
	exact "$pie"
done
cat >t.cc <<'C'
#include <thread>
static volatile long n;
static void work() { for (int i = 0; i < 1000; i++) n++; }
int main() { std::thread a(work), b(work); a.join(); b.join(); }
C
tally build --quiet g++ -static -pthread t.cc -o t -Wl,--whole-archive -lpthread -Wl,--no-whole-archive
rm -rf tally.out
./t
tally print -f 2>&1 | grep -q 'threads or processes shared counters'

# A thread that was joined exists for a while, here until its tracer has had a look at it; but it does not run.
cat >j.c <<'C'
#include <pthread.h>
#include <tally.h>
#include <unistd.h>
static volatile int n;
static void *work(void *arg) { n++; return arg; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return tally_snapshot("joined") != 0 || write(3, "", 1) != 1;
}
C
cat >tracer.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int end[2], status = 0, w, result = 1;
	long thread;
	pid_t pid, p;
	char c;

	(void)argc;
	if (pipe(end) != 0 || (pid = fork()) < 0)
		return 2;
	if (pid == 0) {
		if (dup2(end[1], 3) < 0 || ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
			_exit(77);
		raise(SIGSTOP);
		execv(argv[1], argv + 1);
		_exit(77);
	}
	close(end[1]);
	waitpid(pid, &status, 0);
	if (!WIFSTOPPED(status))
		return WEXITSTATUS(status);
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACECLONE);
	do {
		ptrace(PTRACE_CONT, pid, 0, 0);
		waitpid(pid, &status, __WALL);
	} while (WIFSTOPPED(status) && status >> 16 != PTRACE_EVENT_CLONE);
	ptrace(PTRACE_GETEVENTMSG, pid, 0, &thread);
	waitpid((pid_t)thread, &status, __WALL);
	ptrace(PTRACE_CONT, thread, 0, 0);
	ptrace(PTRACE_CONT, pid, 0, 0);
	if (read(end[0], &c, 1) != 1)
		return 3;
	while ((p = waitpid(-1, &w, __WALL)) > 0)
		if (WIFSTOPPED(w))
			ptrace(PTRACE_CONT, p, 0, 0);
		else if (p == pid)
			result = WEXITSTATUS(w);
	return result;
}
C
gcc -w tracer.c -o tracer
tally build --quiet gcc -O1 -w -pthread "-I$ROOT/include" j.c -o j
status=0
./tracer ./j || status=$?
if [ $status = 77 ]; then
	echo 'no tracing here'
else
	[ $status = 0 ] && tally export --json joined >out && ! grep -q '"midway"' out || { echo "joined: $status"; cat out; exit 1; }
fi
