volatile int two = 2;
__attribute__((noinline)) int twice(int n) { int s = 0; while (n--) s += two; return s; }
static volatile int x;
__attribute__((constructor)) static void begin(void) { x += twice(3); }
__attribute__((destructor)) static void end(void) { x += twice(4); }
