# plugins.sh - what leaves frames, makes threads and handles signals is seen in libraries that are
# opened later, too, and names mean there what they did.
cp "$HERE/more/plugins.c" plug.c
cat >host.c <<'C'
#include <dlfcn.h>
#include <stdio.h>

int
main(int argc, char **argv)
{
	int i, status = 0;

	for (i = 1; i < argc && !status; i++) {
		void *d = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		int (*act)(void) = d ? (int (*)(void))dlsym(d, "act") : 0;

		status = act ? act() : 9;
		if (d && i % 2 == 0)
			dlclose(d);
	}
	if (status)
		printf("status %d\n", status);
	return status;
}
C
gcc -O1 host.c -o plain -ldl
for cc in gcc clang; do for o in -O0 -O2 '-O2 -Wl,-z,now'; do
	# shellcheck disable=SC2086
	for so in a b; do
		$cc $o -fPIC -shared plug.c -o plain$so.so
		tally build --counters=check $cc $o -fPIC -shared plug.c -o $so.so
	done
	./plain ./plaina.so ./plainb.so
	tally build --counters=check $cc -O1 host.c -o host -ldl
	rm -rf tally.out
	./host ./a.so ./b.so ./a.so ./b.so
	exact "$cc $o"
	rm -rf tally.out
	./plain ./b.so ./a.so ./b.so ./a.so
	exact "$cc $o, only plugins"
done; done
