/* c23new - what gcc 13 and 14 have of it.   std: gnu2x   cc: none */
enum E : unsigned char { A, B = 3 ? 1 : 2 };
enum F : int;
typedef unsigned int word;
enum : word { C };
constexpr int n = sizeof(int) > 2 ? 4 : 5;
thread_local int t;
bool yes = true;
typeof(n) m;
typeof_unqual(n) o;
alignas(16) char buf[4];
unsigned _BitInt(17) bits = 1wb ? 2 : 3;
int first(...);
int *nothing = nullptr;

auto
f(int x, [[maybe_unused]] void *p)
{
	auto y = x ? 1 : 2;
	constexpr int z = n ? 3 : 4;
	static_assert(z == 3);
	int *q = (static int[]){1 ? 2 : 3};
	switch (x) {
	case 1: int w = y;
		y += w;
	lab:
	}
	bool (*g)(bool) = p;
	return g && g(true) ? y : z + *q;
}
