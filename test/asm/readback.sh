# readback.sh - what sigaction says of a handler is what the program said.
set +e
cat >a.c <<'C'
#include <signal.h>
#include <stdio.h>
static void h(int s) { (void)s; }
int main(void)
{
	struct sigaction sa = { .sa_handler = h }, old;
	sigaction(SIGUSR1, &sa, 0);
	sigaction(SIGUSR1, 0, &old);
	printf("%x\n", old.sa_flags);
	sigaction(SIGCHLD, &sa, 0);
	sigaction(SIGCHLD, 0, &old);
	printf("%x\n", old.sa_flags);
	return 0;
}
C
gcc a.c -o plain && tally build --quiet gcc a.c -o counted || exit 1
./plain >p; ./counted >c
diff p c || exit 1
