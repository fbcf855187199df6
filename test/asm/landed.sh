# landed.sh - blocks that an exception lands in: what -b, -s and -f say of them is the same wherever counters are.
cat >p.cc <<'C'
#include <cstdio>
static int caught;
static int thrower(int i) { if (i % 3 == 0) throw i; return i; }
static void catcher(int i) { try { thrower(i); } catch (int n) { caught += n >= 0; } }
struct Guard { int n; ~Guard() { caught += n; } };
static void cleaner(int i) { Guard g{100}; thrower(i); Guard h{i}; thrower(i + 1); }
static int chooser(int i) { try { cleaner(i); } catch (long) { return 1; } catch (int n) { return n % 2 ? 2 : 3; } return 0; }
int main()
{
	int sum = 0;
	for (int i = 0; i < 30; i++)
		catcher(i);
	for (int i = 0; i < 30; i++)
		try { sum += chooser(i); cleaner(i); } catch (...) { sum++; }
	std::printf("%d %d\n", caught, sum);
}
C
# blocks - their counts, without the stars that say where counters are, and without edges.
blocks() { tally print -b | sed '/->/d; s/\*/ /; s/ *$//'; }
for cc in g++ clang++; do for o in -O0 -O2; do
	for c in redundant optimal vertices vertices-by-edges; do
		rm -rf tally.out
		tally build --quiet --counters=$c $cc $o -w p.cc -o p
		./p >/dev/null
		blocks >$c.b
		tally print -s >$c.s
		tally print -f >$c.f
		for v in b s f; do
			diff -u redundant.$v $c.$v || { echo "$cc $o $c: -$v"; exit 1; }
		done
	done
done; done
