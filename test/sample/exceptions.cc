// exceptions.cc - exceptions through frames with and without cleanups, caught, thrown again, thrown in
// threads, caught by nobody; pthread_exit and exit with objects alive.  roads: asm live
// run: exceptions 0 | exceptions 1 | exceptions 2 | exceptions 3 | exceptions 4
// with: -O0, -O1, -O2, -O2 -fno-pie -no-pie, -O3, -Os
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <vector>
#include <thread>
#include <memory>
static volatile int sink;
struct Guard { int n; Guard(int k) : n(k) { sink += k; } ~Guard() { sink -= n; if (n > 3) sink++; } }; //= 1724
__attribute__((noinline)) static int plain(int n, int (*f)(int)) { int r = f(n); sink++; return r + 1; } //= 862
__attribute__((noinline)) static int thrower(int n) { if (n % 3 == 0) throw std::runtime_error("three"); if (n % 5 == 0) throw n; return n; } //= 431
__attribute__((noinline)) static int cleans(int n) { Guard g(n); std::string s(n, 'x'); int r = plain(n, thrower); return r + (int)s.size(); } //= 635
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
__attribute__((noinline)) static void thrower_exits() { try { thrower(6); } catch (...) { Guard g(7); exit(6); } } //= 0
static void *ends(void *arg) { Guard g(8); { Guard h(1); pthread_exit(arg); } return arg; } //= 0
int main(int argc, char **argv)
{
	int s = 0;                                     //= 1
	for (int i = 0; i < 31; i++) s += outer(i);    //= 32
	std::vector<std::thread> t;                    //= 1
	for (int i = 0; i < 4; i++) t.emplace_back([i] { for (int k = 0; k < 100; k++) outer(i + k); });
	for (auto &x : t) x.join();                    //= 5
	try { std::vector<int> v; v.at(3); } catch (std::out_of_range &) { s++; } //= 2
	std::unique_ptr<int> p(new int(s));            //= 1
	printf("%d\n", *p);                            //= 1
	int how = argc > 1 ? atoi(argv[1]) : 0;        //= 1
	if (how == 1) cleans(3);                       //= 1
	if (how == 2) { Guard g(4); exit(5); }         //= 1
	if (how == 3) { Guard g(5); thrower_exits(); } //= 1
	if (how == 4) { pthread_t t; pthread_create(&t, nullptr, ends, nullptr); pthread_join(t, nullptr); } //= 1
	return 0;                                      //= 1
}
