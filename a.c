volatile int ran_a; void a(void) { ran_a++; }
