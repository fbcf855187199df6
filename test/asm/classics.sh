# classics.sh - the programs printed in Weinberger's papers (1982, 1984), compiled by lcomp, and
# what lprint prints of them.
#
# Each text below is a listing as it is in the papers: a count, a tab, the line.  Where the code of
# today's compiler has another count there, it comes behind a slash: because
#   - their compiler put what a loop does at the end of a round on the line behind its body, a brace;
#     gcc has it on the line of the `for';
#   - a `while' or the test of a `for' is entered by a jump to the loop's end, so the first code of
#     the line ran once, or as often as the loop's end was reached;
#   - what they had behind a return, or where a function begins by a jump to its end, is not there.
# `*' is any number, `-' none.

# program NAME - its source, from the listing on standard input, which goes to NAME.want.
program() {
	cat >"$1.want"
	cut -f2- "$1.want" >"$1"
}

# counts NAME - what lprint prints is as in NAME.want.
counts() {
	lprint >listing 2>err || { cat err; exit 1; }
	cut -f2- listing | diff -u "$1" - || exit 1
	paste <(cut -f1 "$1.want" | sed 's,.*/,,; s/^-$//') <(cut -f1 listing) |
		awk -F'\t' '$1 != $2 && !($1 == "*" && $2 ~ /^[0-9]+$/) { printf "line %d: %s, not %s\n", NR, $2, $1; bad = 1 } END { exit bad }' || {
		echo "$1:"
		cat listing
		exit 1
	}
}

# sums - instructions executed are the same by line, function, file and one by one.
sums() {
	local n
	n=$(lprint -s 2>/dev/null | awk '{ s += $1 } END { print s }')
	is "$1, by function" "$(lprint -f 2>/dev/null | awk '{ s += $1 } END { print s }')" "$n"
	is "$1, by line" "$(lprint -i 2>/dev/null | awk '/^[0-9]+i\t/ { s += $1 } END { print s }')" "$n"
	is "$1, one by one" "$(lprint -a 2>/dev/null | awk -F'\t' '/^[0-9]+\t/ { s += $1 } END { print s }')" "$n"
}

# 1984, section VIII.
program max.c <<'L'
1	#define	N	100000
1	int x[N];
1	
1	main()
1	{ int i;
1	  srand(getpid());
1	  for(i = 0; i < N; i++)
100000	    x[i] = lrand();
1	  max(x, N);
1	}
1	
1	max(v, n)
1	int v[];
1	{ int i, j;
1	  j = 0;
1	  for(i = 1; i < n; i++){
99999	    if(v[i] > v[j])
*	      j = i;
99999/1	  }
1	  return(j);
0/1	}
L
lcomp -std=gnu89 -w -Dlrand=lrand48 -Dsrand=srand48 max.c
./a.out || true # whatever main leaves
counts max.c
sums max.c
[ "$(awk 'NR == 18 { print $1 }' listing)" -lt 100 ] # about 12
lprint -f >table
grep -qx '[0-9]*ie 1calls [0-9]*i 0ine max' table
is functions "$(sed 's/.* //' table | tr '\n' ' ')" 'main max '

# 1982, the abstract and section 1.
program mod.c <<'L'
1	main()
1	{	int i;
1		for(i = 0; i < 100; i++)
67			if(i % 3 == 0)
34				i++;
67/1	}
L
lcomp -std=gnu89 -w mod.c
./a.out || true
counts mod.c
sums mod.c
gcc -std=gnu89 -w mod.c -o plain
"$ROOT/test/callgrind" a.out plain
program exit.c <<'L'
1	main(argc)
1	{	int i;
1		if(argc > 3)
0			exit(1);
1		for(i = 0; i < 100; i++)
67			if(i % 3 == 0)
34				i++;
67/1	}
L
lcomp -std=gnu89 -w exit.c
./a.out || true
counts exit.c
sums exit.c
is 'one call of exit never executed' "$(lprint -a | grep -c '^0	')" 2
lprint -s | grep -q '^[0-9]*ie [0-9]*i 2ine [0-9]*bbe [0-9]*bb 1bbne /.*/exit.c$'

# 1982, section 4: 80 characters, and 110.
program copy.c <<'L'
1	#include "stdio.h"
1	main()
1	{	int n;
81/1		while((n = getchar()) != EOF) putchar(n);
1	}
L
lcomp -std=gnu89 -w copy.c
head -c 80 /dev/zero | ./a.out >/dev/null || true
counts copy.c
program for.c <<'L'
1	#include "stdio.h"
1	main()
1	{	int n, i;
1		for(
1		i = 0;	/* line 5 */
1/110		(n = getchar()) != EOF; i++)
110			putchar(n);
1		exit(0);
1/-	}
L
lcomp -std=gnu89 -w for.c
head -c 110 /dev/zero | ./a.out >/dev/null
counts for.c
sums for.c
lprint -i >listing
is 'lines without code' "$(grep -c '^0i	' listing)" 3 # and theirs; the brace, but not `for(' and `i = 0'
is 'putchar' "$(sed -n 7p listing)" "$(printf '330i\t\t\tputchar(n);')" # three instructions each
lprint -i -p >both
paste <(lprint | cut -f1) listing | diff - both
lprint -p | diff - <(lprint)
lprint -s >summary
grep -qx '891ie 15i 0ine 223bbe 4bb 0bbne /.*/for.c' summary || { cat summary; exit 1; }

# 1984, section 10.3: a square root modulo a prime.  The numbers are the paper's; so were, perhaps,
# the roots.
program modsqrt.c <<'L'
8	extern short primetab[];
8	modsqrt(a, p)
8	{	short *x;
8		int i, j, s, t, e, u;
8		a %= p;
8		if(a < 0)
0			a += p;
8		if(a == 0)
0			return(0);
8		if(p % 4 == 3)
5			return(mpow(a, (p+1)/4, p));
3		u = p - 1;
3		for(e = 0; (u & 1) == 0; e++)
10			u >>= 1;
3		s = mpow(a, u, p);
3		if(s == 1)
0			return(mpow(a, (u+1)/2, p));
3		for(x = primetab + 1; legendre(*x, p) != -1;
5			x++);
3		for(j = 0; j < e; j++)
5			if(s == p-1)
3				break;
2			else
2				s = (s*s)%p;
3		s = mpow(*x, u, p);
3		for(i = 0; i < e-j-2; i++)
2			s = (s*s)%p;
3		i = (1-u)/2;
3		i %= p - 1;
3		if(i < 0)
3			i += p - 1;
3		t = mpow(a, i, p);
3		t = (s*t)%p;
3		s = (s*s)%p;
3		while((t*t)%p != a)
0			t = (t*s)%p;
3		return(t);
8	}
L
cat >roots.c <<'C'
short primetab[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 0};

mpow(a, n, p)
{	int r;
	for(r = 1; n > 0; n /= 2) {
		if(n % 2)
			r = (r*a)%p;
		a = (a*a)%p;
	}
	return(r);
}

legendre(a, p)
{	int r;
	r = mpow(a % p, (p-1)/2, p);
	return(r == p-1 ? -1 : r);
}

main()
{	static int in[] = {4, 7, 3, 11, 5, 19, 8, 23, 2, 31, 4, 109, 25, 73, 6, 97};
	int i, t;
	for(i = 0; i < 16; i += 2) {
		t = modsqrt(in[i], in[i+1]);
		if((t*t) % in[i+1] != in[i])
			return(1);
	}
	return(0);
}
C
gcc -std=gnu89 -w -c roots.c
lcomp -std=gnu89 -w modsqrt.c roots.o
./a.out || { echo 'a root is wrong'; exit 1; }
counts modsqrt.c
sums modsqrt.c
lprint -f | grep -q '^[0-9]*ie 8calls '

# 1982, section 9.2, in Fortran.
program a.f <<'L'
1	      real a(100), b(100), x
1	      integer i
1	      do 10 i = 1, 100
100	         a(i) = i
100	         b(i) = i
100/1	 10   continue
1	      x = 0
1	      do 20 i = 1, 100
100	         x = x + a(i) * b(i)
100/1	 20   continue
1	      stop 12
0/1	      end
L
lcomp a.f
status=0
./a.out 2>/dev/null || status=$?
is 'its status' $status 12
counts a.f
sums a.f
lprint -a >insns
for n in 1 3 4 5 6 7 8 9 10 11 12; do grep -qx "a.f: $n" insns || { cat insns; exit 1; }; done
! grep -v '^a\.f: [0-9]*$\|^[0-9]*	[a-z]' insns
# The code of lines 4, 5 and 9 ran 100 times, and that of 1, 7 and 11 once.
awk -F'\t' '/^a\.f: / { line = substr($0, 6) + 0; next }
	line == 4 || line == 5 || line == 9 { n100 += $1 == 100; other += $1 != 100 }
	line == 1 || line == 7 || line == 11 { n1 += $1 == 1; other += $1 != 1 }
	END { exit !(n100 > 20 && n1 > 5 && other == 0) }' insns || { cat insns; exit 1; }

# 1984, section 10.1: declarations, blank lines and braces take the count of what follows.
program next.c <<'L'
1	/* a comment */
1	
1	static n;
1	main(argc)
1	{
1		int i;
1	
1	loop:
1		for(i = 0; i < 3; i++) {
3			if(i == 1)
1	
1				n++;
3	
3			n--;
1		}
1		if(argc > 9) {
0	
0			goto loop;
1		}
1		return(0);
1	}
-	/* no code
-	 * follows */
L
lcomp -std=gnu89 -w next.c
./a.out
counts next.c
sums next.c
