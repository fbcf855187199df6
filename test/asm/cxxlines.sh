# cxxlines.sh - C++ without optimisation: a return after destructors, and virtual functions called through thunks.
set +e
cat >a.cc <<'C'
#include <mutex>
#include <cstdio>
static std::mutex m;
static int n;
static int get(int k)
{
	std::lock_guard<std::mutex> l(m);
	return n += k;
}
int main()
{
	int s = 0;
	for (int i = 0; i < 10; i++)
		s += get(i);
	printf("%d\n", s);
	return 0;
}
C
tally build --quiet g++ -g -O0 a.cc -o a || exit 1
./a >/dev/null || exit 1
tally print a 2>&1 | tee out | grep 'return n'
grep -Eq '^ *10 [[:space:]].*return n' out || exit 1

cat >a.cc <<'C'
#include <cstdio>
struct A {
	int a = 1;
	virtual int fa() { return a; }
};
struct B {
	int b = 2;
	virtual int fb() { return b; }
};
static int calls;
struct C : A, B {
	int fb() override
	{
		calls++;
		return b + a;
	}
};
static C c;
static B *volatile p = &c;
int main()
{
	int s = 0;
	for (int i = 0; i < 10; i++)
		s += p->fb();
	printf("%d\n", calls);
	return s != 30;
}
C
bad=0
for o in -O0 -O1 -O2; do
	tally build --quiet g++ -g $o a.cc -o a$o || exit 1
	test "$(./a$o)" = 10 || exit 1
	tally print a$o 2>&1 >out$o
	tally print a$o 2>/dev/null | tee out$o | grep 'int fb() override' | sed "s/^/$o: /"
	grep -Eq '^ *10 [[:space:]].*int fb\(\) override' out$o || bad=1
done
[ $bad = 0 ] || exit 1

# Without -g, too: the rows that we ask for are those that -g asks for.
cat >lambda.cc <<'C'
int main()
{
	int ok = 40; //= 1
	auto l = [&](int x) {
		ok += x; //= 7
		return ok > 50; //= 7
	};
	for (int i = 0; i < 7; i++) //= 8
		l(i); //= 7
	return 0; //= 1
}
C
for g in '' -g; do
	for cc in g++ clang++; do
		rm -rf tally.out
		tally build --quiet $cc -O0 $g lambda.cc -o lambda && ./lambda || exit 1
		answers "$cc -O0 $g" lambda.cc lambda
	done
done
