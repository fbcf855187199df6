/* twice.c - a signal comes while frames are being left because of another.  roads: all
 * with: -O1 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static volatile int came, sink;
static sigjmp_buf back;
static void on(int sig) { if (came++ < 3) raise(sig); siglongjmp(back, 1); } //= 4
__attribute__((noinline)) static void deep(int n) { if (n) deep(n - 1); else raise(SIGUSR1); sink++; } //= 6
int main(void) { signal(SIGUSR1, on); if (sigsetjmp(back, 1) == 0) deep(5); printf("%d\n", came); return 0; } //= 1
