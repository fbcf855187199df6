# atfork.sh - one copy of the runtime has a handler for fork, however many modules are counted: a C library may run
# handlers while others come and go (glibc 2.36 crashes).  When the module of that copy is closed, another one has it.
cat >main.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void Handler(void);
static int n;

/* In the place of the C library's, as an allocator of the program's own would be. */
int
__register_atfork(Handler *prepare, Handler *parent, Handler *child, void *dso)
{
	static int (*real)(Handler *, Handler *, Handler *, void *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "__register_atfork");
	n++;
	return real(prepare, parent, child, dso);
}

static void *
load(int i, int *sum)
{
	char path[32];
	void *lib;

	snprintf(path, sizeof path, "./lib%d.so", i);
	lib = dlopen(path, RTLD_NOW);
	if (!lib)
		abort();
	*sum += ((int (*)(int))dlsym(lib, "f"))(i);
	return lib;
}

int
main(int argc, char **argv)
{
	int i, sum = 0, status;
	void *lib[4];
	pid_t child;

	for (i = 0; i < 4; i++)
		lib[i] = load(i, &sum);
	dlclose(lib[0]);
	child = fork();
	if (child == 0) {
		load(1, &sum);
		exit(sum != 1 + 2 + 3 + 4 + 2);
	}
	waitpid(child, &status, 0);
	printf("%d %d\n", sum, status);
	return argc > 1 && n != atoi(argv[1]) ? n : 0;
}
C
echo 'int f(int x) { return x + 1; }' >lib.c
for i in 0 1 2 3; do tally build --quiet gcc -O1 -shared -fPIC -DN=$i lib.c -o lib$i.so || exit 1; done
gcc -O1 -w -rdynamic main.c -o plain || exit 1
tally build --quiet gcc -O1 -w -rdynamic main.c -o counted || exit 1
./counted 1 >got || { echo "the program counts, and $? handlers"; exit 1; }
grep -qx '10 0' got || { cat got; exit 1; }
rm -rf tally.out
./plain 2 >got || { echo "plugins count, and $? handlers: of the first, and of the second when that is closed"; exit 1; }
grep -qx '10 0' got || { cat got; exit 1; }
tally print -f lib1.so | grep -q '^f  *2 ' || { tally print -f lib1.so; exit 1; }
