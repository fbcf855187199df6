/* untold.c - frames of which the compiler tells nothing at run time, but debuggers or nobody.  roads: all
 * with: -O0, -O1, -O2, -O2 -fno-omit-frame-pointer, -O2 -static, -O2 -fno-pie -no-pie
 * always: -fno-asynchronous-unwind-tables -fno-unwind-tables */
#include <stdlib.h>
static volatile int n;
__attribute__((noinline)) static void last(int i) { n++; if (i == 3) exit(0); n++; } //= 4
__attribute__((noinline)) static void middle(int i) { n++; last(i); n++; } //= 4
int main(void) { for (int i = 0; i < 9; i++) middle(i); return 0; }
