# errors.sh - what is not C is told by place and what was expected; nothing is written then.

# bad WANTED TEXT - zprof says that, its status is 1, and the file that was there stays.
bad() {
	local status=0
	printf "$2" >bad.c
	echo before >out.c
	zprof -P bad.c -o out.c >out 2>err || status=$?
	[ "$(cat err)" = "$1" ] && [ $status = 1 ] && [ ! -s out ] && [ "$(cat out.c)" = before ] || {
		echo "wanted: $1"
		echo "got:    $(cat err), status $status"
		exit 1
	}
}

bad "bad.c:2:12: expected an expression before \`;'" 'int f(int x) {\n\treturn x +;\n}\n'
bad "bad.c:2:8: expected ',' or ')' before \`y'" 'int f(int x) {\n\tif (x y;\n}\n'
bad "bad.c:2:3: expected a declaration before \`}'" 'int f(int x) {\n\t}}\n'
bad "bad.c:1:22: expected ',' or ';' before \`y'" 'int f(int x) { x = 1 y = 2; }\n'
bad "bad.c:3:2: expected the end of a comment" 'int f(int x) {\n\n\t/* \n\n}\n'
bad "bad.c:1:16: expected a closing quote" 'int f(int x) { "abc\n}\n'
bad "bad.c:1:20: expected a closing quote" "int f(int x) { x = 'a;\\n}\\n"
bad "bad.c:1:16: expected a statement before \`@'" 'int f(int x) { @ }\n'
bad "bad.c:1:1: expected a declaration" '\177ELF\002\001'
bad "bad.c:1:16: expected a statement before \`else'" 'int f(int x) { else }\n'
bad "bad.c:1:16: expected ',' or ';' before \`='" 'struct { int x = 5; } a;\n'
bad "bad.c:2:1: expected a statement before the end" 'int f(int x) { x++;\n'
bad "bad.c:1:5: expected a closing parenthesis" 'int __attribute__((x) f;\n'
bad "bad.c:1:25: expected '(' before \`x'" 'int f(int x) { {} while x; }\n'
bad "a b.h:41:1: expected a statement before \`)'" 'int f(int x) {\n# 41 "a b.h" 1\n); }\n'
bad "other.c:8:3: expected an expression before \`]'" 'int x;\n#line 7 "other.c"\nint a\n[+]\n'
bad "bad.c:1:27: expected an expression before \`int'" 'typedef int T; int x = (T)int;\n'
bad "bad.c:1:32: expected a declaration before \`='" 'typedef int T; int f(void) { T = 5; }\n'

# Too deep for what comes after us, or for the parser: an error or success, never a crash.
deep() { # COUNT BEFORE OPENING MIDDLE CLOSING BEHIND
	local status=0
	perl -e 'my ($n, $a, $o, $m, $c, $b) = @ARGV; print $a, $o x $n, $m, $c x $n, $b, "\n"' "$@" >deep.c
	timeout 100 zprof -P deep.c -o deep.out >out 2>err || status=$?
	case $status in
	0) echo ok ;;
	1) cat err ;;
	*) echo "status $status: $*"; exit 1 ;;
	esac
}
[ "$(deep 10000 'int x = ' '(' 1 ')' ';')" = ok ]
[ "$(deep 10000 'int f(int x) { return ' '(' x ')' '; }')" = ok ]
[ "$(deep 5000 'int f(int x) { ' 'if (x) x++; else ' ';' '' '}')" = ok ]
[ "$(deep 20000 'int f(int x) { ' 'if (x == 1) { x++; } else ' ';' '' '}')" = ok ]
[ "$(deep 2900 'int f(int x) ' '{' 'x++;' '}' '')" = ok ]
deep 3100 'int f(int x) ' '{' 'x++;' '}' '' | grep -qx 'deep.c:1:[0-9]*: statements are nested too deeply'
deep 100000 'int f(int x) ' '{' 'x++;' '}' '' | grep -q 'nested too deeply'
deep 100000 'int f(int x) { ' 'while (x) ' ';' '' '}' | grep -q 'nested too deeply'
[ "$(deep 1000 'int f(int x) { return ' '({' 'x;' ';})' '; }')" = ok ]
[ "$(deep 20000 'int f(int x) { return ' 'x ? 1 : ' 2 '' '; }')" = ok ]
[ "$(deep 20000 'int f(int x) { ' 'a: ' ';' '' '}')" = ok ]
[ "$(deep 20000 'int ' '*' 'x' '' ';')" = ok ]
deep 1000000 'int x = ' '(' 1 ')' ';' | grep -qx 'ok\|deep.c:1:[0-9]*: .*'

# A long line, and many lines.
perl -e 'print "int f(int x) { return 0", " + x" x 200000, " ? 1 : 2; }\n"' >long.c
zprof -P long.c -o long.out
[ "$(grep -c '+ x ? 1 : 2;' long.out)" = 0 ] && grep -q '+ x)?.*? 1 : 2; }$' long.out
perl -e 'print "int f$_(int x)\n{\n\tif (x)\n\t\treturn 1;\n\treturn 2;\n}\n" for 1 .. 50000' >huge.c
zprof -P huge.c -o huge.out
[ "$(grep -c 'if (x) { _BB' huge.out)" = 50000 ]

# The world.
status=0
zprof -P nowhere.c -o out.c 2>err || status=$?
[ $status = 1 ] && grep -q 'nowhere.c' err
for usage in '' '-P' '-P a.c b.c' '--nonsense a.c' '-std=c++17 a.c' '-o'; do
	status=0
	# shellcheck disable=SC2086
	zprof $usage >out 2>err || status=$?
	[ $status = 2 ] && grep -q '^usage: zprof' err || { echo "zprof $usage: $status"; cat err; exit 1; }
done
status=0
echo '#error never' >never.c
zprof never.c -o never.out 2>err || status=$?
[ $status = 1 ] && [ ! -e never.out ] && grep -q never err
status=0
echo 'int x;' >x.c
zprof -P x.c -o /dev/full 2>err || status=$?
[ $status = 1 ] && [ -c /dev/full ] && grep -q 'No space' err || { cat err; exit 1; }
