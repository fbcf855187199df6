# where.sh - where a program leaves its profiles whose objects were made in several places.
profiles() { find . -name '*.tally' | sed 's,/[^/]*$,,' | sort -u | paste -sd' '; }
mkdir -p x y top/bin lib
printf 'int f(int n)\n{\n\treturn n;\n}\n' >x/u.c
printf 'int g(int n)\n{\n\treturn n;\n}\n' >y/u.c
printf 'int f(int), g(int);\nint main(void) { return f(0) + g(0); }\n' >m.c
for cc in gcc clang; do
	for d in x y; do (cd $d && tally build --quiet $cc -ffunction-sections -c u.c); done
	tally build --quiet $cc -ffunction-sections -c m.c
	gcc -c -O1 m.c -o plain.o

	# Of the directories of its objects the nearest above the program.
	for order in 'x/u.o y/u.o m.o' 'm.o y/u.o x/u.o'; do
		# shellcheck disable=SC2086
		for with in '' -fuse-ld=gold -fuse-ld=lld '-fuse-ld=lld -Wl,--gc-sections' -Wl,--gc-sections -static -no-pie; do
			$cc $with $order -o top/bin/prog
			top/bin/prog
			is "$cc $with $order" "$(profiles)" ./tally.out
			rm -rf tally.out
		done
	done
	for d in x y; do (cd $d && tally build --quiet --road=c $cc -ffunction-sections -c u.c -o c.o); done
	tally build --quiet --road=c $cc -fuse-ld=lld -Wl,--gc-sections x/c.o y/c.o m.c -o prog
	./prog
	is "$cc, --road=c" "$(profiles)" ./tally.out
	rm -rf tally.out
	ld -r y/u.o x/u.o m.o -o all.o
	$cc all.o -o prog && ./prog
	is "$cc, ld -r" "$(profiles)" ./tally.out
	cp prog x/prog && x/prog
	is "$cc, in x" "$(profiles)" './tally.out ./x/tally.out'
	rm -rf tally.out x/tally.out

	# None above it: its own, if that is above them; or else that of the first.
	$cc x/u.o y/u.o plain.o -o prog && ./prog
	is "$cc, linked above" "$(profiles)" ./tally.out
	is 'calls of f' "$(calls f)" 1
	is 'calls of g' "$(calls g prog)" 1
	cp prog top/bin/prog && top/bin/prog
	is "$cc, elsewhere" "$(profiles)" './tally.out ./x/tally.out'
	rm -rf tally.out x/tally.out
	$cc y/u.o x/u.o plain.o -o top/bin/prog && top/bin/prog
	is "$cc, the first" "$(profiles)" ./y/tally.out
	rm -rf y/tally.out
	$cc x/u.o y/u.c plain.o -o prog
	./prog
	is "$cc, one place" "$(profiles)" ./x/tally.out
	rm -rf x/tally.out
done

# A library is made elsewhere, and starts first: the program decides.
(cd lib && tally build --quiet gcc -shared -fPIC ../x/u.c -o libu.so)
tally build --quiet gcc m.c y/u.c -Llib -lu -Wl,-rpath,"$PWD/lib" -o prog
./prog
is 'with a library' "$(profiles)" ./tally.out
is 'calls of f in it' "$(calls f lib/libu.so)" 1
rm -rf tally.out
gcc m.c y/u.c -Llib -lu -Wl,-rpath,"$PWD/lib" -o prog
./prog
is 'with a library alone' "$(profiles)" ./lib/tally.out
is 'calls of f there' "$(calls f lib/tally.out)" 1
rm -rf lib
