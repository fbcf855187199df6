volatile int n;
void loop(int k) { __asm__ volatile("" : : "r"(k)); again: n++; if (--k > 0) goto again; }
