/* modules.c - a program and a library, with constructors and destructors in both.  roads: all
 * library: doubles.c
 * with: -O0, -O2, -O0 -fno-pie -no-pie, -O2 -fno-pie -no-pie */
int twice(int);
static volatile int y;
__attribute__((constructor)) static void first(void) { y = twice(5); } //= 1
__attribute__((destructor)) static void last(void) { y = twice(6); }   //= 1
int main(void) { return twice(21) == 42 ? 0 : 1; }                     //= 1
