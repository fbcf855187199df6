# sources.sh - sources that have moved are found: by --prefix-map, from where the program is, or as
# the one file that fits below the current directory; what is not is said, once.
mkdir -p proj/src/lib proj/build work
printf 'int\ntwice(int x)\n{\n\treturn 2 * x;\n}\n' >proj/src/lib/util.c
printf 'int twice(int);\n\nint\nmain(void)\n{\n\treturn twice(3) != 6;\n}\n' >proj/src/main.c
(cd proj/build && tally build --quiet gcc ../src/main.c ../src/lib/util.c -o p && ./p)
here=$PWD
export TALLY_DIR=$here/proj/build/tally.out
sf() { tally export --lcov "$@" 2>err | sed -n 's/^SF://p' | sed "s,$here/,," | tr '\n' ' '; }

# Where it was.
[ "$(sf)" = 'proj/build/../src/lib/util.c proj/build/../src/main.c ' ]
[ ! -s err ]

# Moved: nothing, once, with the option that helps; then with the option.
mv proj/src "$here/moved"
cd work
[ "$(sf)" = 'proj/build/../src/lib/util.c proj/build/../src/main.c ' ]
[ "$(wc -l <err)" = 1 ] && grep -q 'util.c: not found, nor were others: tell where the sources are with --prefix-map=OLD=NEW' err
[ "$(sf --prefix-map="$here/proj/build/../src=$here/moved")" = 'moved/lib/util.c moved/main.c ' ]
[ ! -s err ]
tally print 2>err | grep -q '^ *1  line 4$'
grep -q 'not found, nor' err
tally print --prefix-map="$here/proj/build/../src=$here/moved" 2>err | grep -q 'return 2 \* x;'
[ ! -s err ]

# Below the current directory: of two the one that fits better; of two that fit alike none.
mkdir -p x/lib y/other .hidden
cp ../moved/lib/util.c x/lib/util.c
echo other >y/other/util.c
cp ../moved/main.c x/main.c
cp ../moved/main.c .hidden/main.c
[ "$(sf)" = 'x/lib/util.c x/main.c ' ]
[ "$(wc -l <err)" = 1 ] && grep -q 'util.c: not found; using x/lib/util.c instead, and others likewise' err
tally print 2>/dev/null | grep -q '^ *1  	return 2 \* x;$'
cp ../moved/main.c y/other/main.c
[ "$(sf)" = "x/lib/util.c proj/build/../src/main.c " ]
[ "$(wc -l <err)" = 2 ] && grep -q '^/.*main.c: not found: tell where the sources are with --prefix-map' err
ln -s "$here/moved" z # links are not followed
[ "$(sf)" = "x/lib/util.c proj/build/../src/main.c " ]
cd ..

# Paths that are relative since the build made them so.
mkdir -p rel/out rel/src && cp moved/main.c moved/lib/util.c rel/src
unset TALLY_DIR
(cd rel/out && tally build --quiet gcc -ffile-prefix-map="$here/rel=." ../src/main.c ../src/util.c -o q && ./q)
export TALLY_DIR=$here/rel/out/tally.out
cd work
[ "$(sf)" = 'rel/./out/../src/main.c rel/./out/../src/util.c ' ] || { sf; exit 1; }
[ ! -s err ]
tally print 2>err | grep -q '^ *1  	return 2 \* x;$'
[ ! -s err ]
