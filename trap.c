void a(void), loop(int), hand(int);
int main(void) { __asm__("int3"); for (;;) { loop(2); hand(2); a(); } }
