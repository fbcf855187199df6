# ways.sh - without any of the ways that make counting cheaper the counts are the same; each is
# good for something: guesses for fewer increments, and who avoids jumps may take more of them.
cat >prog.c <<'C'
#include <stdio.h>
#include <stdlib.h>

typedef struct Node Node;

struct Node {
	Node *next;
	long key, value;
};

static Node *table[64];

static void
fail(const char *why)
{
	fprintf(stderr, "%s\n", why);
	exit(1);
}

__attribute__((noinline)) static Node *
find(long key)
{
	Node *n;

	if (key < 0)
		fail("negative");
	for (n = table[key % 64]; n; n = n->next)
		if (n->key == key)
			return n;
	return NULL;
}

__attribute__((noinline)) static int
put(long key, long value)
{
	Node *n = find(key);

	if (n) {
		n->value += value;
		return 0;
	}
	n = malloc(sizeof *n);
	if (!n)
		fail("no memory");
	*n = (Node){table[key % 64], key, value};
	table[key % 64] = n;
	return 1;
}

__attribute__((noinline)) static long
sum(const Node *a, const Node *b, long most)
{
	long s;

	if (!a || !b)
		return -1;
	s = a->value + b->value;
	if (s < 0)
		fail("overflow");
	if (!a->next)
		s++;
	if (s > most)
		return printf("%ld\n", s);
	return s;
}

int
main(void)
{
	long i, new = 0;

	for (i = 0; i < 20000; i++) {
		new += put(i * 7919 % 1009, i);
		new += sum(find(i % 1009), find(0), 1L << 60) & 1;
	}
	printf("%ld\n", new);
	return 0;
}
C
# increments - that were executed.
increments() { tally print -b | sed -n 's/.* \([0-9]*\)\*.*/\1/p' | awk '{ s += $1 } END { print s + 0 }'; }
declare -A n
for cc in gcc clang; do
	for way in none guesses detours triples; do
		rm -rf tally.out
		without=''
		[ $way = none ] || without=--without=$way
		# shellcheck disable=SC2086
		tally build --quiet --lines=tables $without $cc -O2 -g prog.c -o prog
		./prog >out
		tally print -i -p >"lines.$way"
		cmp lines.none "lines.$way"
		n[$way]=$(increments)
	done
	echo "# $cc: ${n[none]} increments, without guesses ${n[guesses]}, without detours ${n[detours]}"
	[ "${n[none]}" -lt "${n[guesses]}" ]
	[ "${n[none]}" = "${n[triples]}" ]
	[ "${n[detours]}" -le "${n[none]}" ]
done
tally build --without=nosuch true 2>said && exit 1
grep -q -- '--without=nosuch: no such way' said
