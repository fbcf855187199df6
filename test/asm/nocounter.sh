# nocounter.sh - a function that needs no counter, since it never returns, is no damage.
cat >p.c <<'C'
_Noreturn void leave(int);
__attribute__((noinline)) _Noreturn static void help(void) { leave(1); }
int main(int argc, char **argv) { (void)argv; if (argc > 1) help(); return 0; }
C
printf '#include <stdlib.h>\n_Noreturn void leave(int n) { exit(n); }\n' >q.c
for kind in edges vertices vertices-by-edges redundant check; do
	rm -rf tally.out
	tally build --counters=$kind gcc -O2 p.c q.c -o p
	./p
	[ "$(tally print -f | awk '$1 == "main" { print $2 }')" = 1 ]
done
