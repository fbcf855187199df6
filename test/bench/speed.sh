# speed.sh - bench/speed: a table with a row for each program and a column for each way, raw figures and a
# picture that is XML; a way that counts nothing or prints something else is found out.
speed=$ROOT/bench/speed
"$speed" --rounds=1 --programs=recursion --ways=tables,weights,gcov,clang-cov --raw=raw --svg=picture.svg >table 2>said ||
	{ cat table said; exit 1; }

# words PATTERN - the words of the lines that match.
words() { sed -n "/$1/{s/  */ /g;s/^ //;p}" table; }
[ "$(words ' plain ms ')" = 'plain ms tables weights gcov' ] && [ "$(words ' clang ms ')" = 'clang ms clang-cov' ] || { cat table; exit 1; }
number='[0-9][0-9.]*'
[ "$(words '^recursion ' | grep -cx "recursion $number $number $number $number\|recursion $number $number")" = 2 ]
[ "$(words '^geomean ' | grep -cx "geomean $number $number $number\|geomean $number")" = 2 ]
grep -q '^gcov  *gcc --coverage$' table
# Every way has a least time, a median, and one round.
[ "$(grep -c "^recursion	worst	[a-z-]*	ok	-	\($number\)	\1	 \1$" raw)" = 6 ] || { cat raw; exit 1; }
grep -q '^# machine	.' raw && grep -q '^# versions	.*gcc [0-9].*clang [0-9]' raw
"$ROOT/bench/show" raw | diff table -
# Of medians: tables takes twice as long by that alone.
awk -F '\t' -v OFS='\t' '$3 == "tables" { $7 = 2 * $6 } { print }' raw >twice
"$ROOT/bench/show" twice | diff table -
"$ROOT/bench/show" --median twice >medians
awk '/^recursion/ && !(FILENAME in is) { is[FILENAME] = $3 } END { exit is["medians"] < 1.5 * is["table"] }' table medians || { cat table medians; exit 1; }
xmllint --noout picture.svg
[ "$(xmllint --xpath 'count(//*[local-name()="circle"]/*[starts-with(., "recursion: ")])' picture.svg)" = 4 ]

# Tools that fail, that leave nothing, and that change what the program prints.
mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/llvm-bolt
printf '#!/bin/sh\nfor a; do shift; case $a in -f*) ;; *) set -- "$@" "$a" ;; esac; done\nexec %s "$@"\n' "$(command -v gcc)" >bin/clang
printf '#!/bin/sh\necho something else\nshift\ntouch callgrind.out.1\n"$@"\n' >bin/valgrind
chmod +x bin/*
status=0
PATH=$PWD/bin:$PATH "$speed" --rounds=1 --programs=recursion --ways=bolt,clang-cov,callgrind --raw=raw >table 2>said || status=$?
[ $status = 1 ] || { cat table said; exit 1; }
for w in 'bolt	fails' 'clang-cov	none' 'callgrind	differs' 'plain	ok' 'clang	ok'; do
	grep -q "^recursion	worst	$w	" raw || { cat raw said; exit 1; }
done
[ "$(words '^recursion ' | sed "s/ $number / /")" = "recursion differs fails
recursion none" ] || { cat table; exit 1; }

# What is wrong is named.
status=0
"$speed" --ways=nosuch 2>said || status=$?
[ $status = 2 ] && grep -q '^bench/speed: nosuch: no such way' said
status=0
"$speed" --programs=nosuch 2>said || status=$?
[ $status = 2 ] && grep -q '^bench/speed: nosuch: no such program' said
status=0
"$speed" --threads=2 --programs=lua 2>said || status=$?
[ $status = 2 ] && grep -q '^bench/speed: lua: has no threads' said
