# cxx.sh - C++: exceptions through frames with and without cleanups, caught, thrown again,
# thrown in threads, caught by nobody; pthread_exit and exit with objects alive.
cat >p.cc <<'C'
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <vector>
#include <thread>
#include <memory>
static volatile int sink;
struct Guard { int n; Guard(int k) : n(k) { sink += k; } ~Guard() { sink -= n; if (n > 3) sink++; } };
__attribute__((noinline)) static int plain(int n, int (*f)(int)) { int r = f(n); sink++; return r + 1; }
__attribute__((noinline)) static int thrower(int n) { if (n % 3 == 0) throw std::runtime_error("three"); if (n % 5 == 0) throw n; return n; }
__attribute__((noinline)) static int cleans(int n) { Guard g(n); std::string s(n, 'x'); int r = plain(n, thrower); return r + (int)s.size(); }
__attribute__((noinline)) static int nested(int n)
{
	try { Guard g(2 * n); return plain(n, cleans); }
	catch (int k) { if (k == 10) throw; sink += k; return k; }
}
__attribute__((noinline)) static int outer(int n)
{
	try { return nested(n); }
	catch (const std::exception &e) { sink += e.what()[0]; return -1; }
	catch (...) { return -2; }
}
__attribute__((noinline)) static void thrower_exits() { try { thrower(6); } catch (...) { Guard g(7); exit(6); } }
static void *ends(void *arg) { Guard g(8); { Guard h(1); pthread_exit(arg); } return arg; }
int main(int argc, char **argv)
{
	int s = 0;
	for (int i = 0; i < 31; i++) s += outer(i);
	std::vector<std::thread> t;
	for (int i = 0; i < 4; i++) t.emplace_back([i] { for (int k = 0; k < 100; k++) outer(i + k); });
	for (auto &x : t) x.join();
	try { std::vector<int> v; v.at(3); } catch (std::out_of_range &) { s++; }
	std::unique_ptr<int> p(new int(s));
	printf("%d\n", *p);
	int how = argc > 1 ? atoi(argv[1]) : 0;
	if (how == 1) cleans(3);
	if (how == 2) { Guard g(4); exit(5); }
	if (how == 3) { Guard g(5); thrower_exits(); }
	if (how == 4) { pthread_t t; pthread_create(&t, nullptr, ends, nullptr); pthread_join(t, nullptr); }
	return 0;
}
C
for cc in g++ clang++; do for o in -O0 -O1 -O2 '-O2 -fno-pie -no-pie' -O3 -Os; do
	# shellcheck disable=SC2086
	$cc $o -w -pthread p.cc -o plain
	# shellcheck disable=SC2086
	tally build --quiet --counters=check $cc $o -w -pthread p.cc -o p
	for how in 0 1 2 3 4; do
		rm -rf tally.out
		was=0 is=0
		./plain $how >want 2>/dev/null || was=$?
		./p $how >got 2>/dev/null || is=$?
		[ $was = $is ] && cmp want got || { echo "$cc $o $how: status $was and $is"; cat got; exit 1; }
		exact "$cc $o $how"
		! grep 'not counted' compared || { echo "$cc $o $how"; exit 1; }
	done
done; done
# Line tables are added where nobody asked for any.
tally build --quiet g++ -O0 p.cc -o p -pthread
rm -rf tally.out
./p >/dev/null
tally print --only=p.cc | grep -q '^ *32  .*s += outer(i)' || { tally print --only=p.cc; exit 1; }
