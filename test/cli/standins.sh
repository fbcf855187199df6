# standins.sh - the folder where compilers find the parts of them that tally build replaces: there is always
# one, nobody else can be in the way, nothing is left, and ccache knows builds that differ by it.
here=$PWD
mkdir tmp home
export HOME=$here/home TMPDIR=$here/tmp
unset XDG_CACHE_HOME TMP TEMP
echo 'int main(void) { return 0; }' >a.c
# built OPTIONS... - one file is counted, and nothing is left behind; COMPILER_PATH is in the file `path'.
built() {
	rm -f a path
	tally build "$@" sh -c 'echo "$COMPILER_PATH" >path; gcc a.c -o a' 2>said || { echo "$*: status $?"; cat said; exit 1; }
	grep -q '1 file counted' said || { echo "$*:"; cat said; exit 1; }
	nm a | grep -q tally || { echo "$*: not counted"; exit 1; }
	[ -z "$(ls -A "$here/tmp")" ] || { echo "$*: left behind:"; ls -A "$here/tmp"; exit 1; }
}
where() { cut -d : -f 1 path; }

# In the user's cache, one for all builds; but the value of the variable differs by what changes objects.
one=''
for o in --counters=edges --counters=redundant --lines=tables --threads=off --only=x --order; do
	built $o
	[ "$(where | cut -d / -f 1-5)" = "$(echo "$here/home/.cache/tally-build" | cut -d / -f 1-5)" ]
	case $(where) in "$here/home/.cache/tally-build/"*) ;; *) cat path; exit 1 ;; esac
	! grep -qxF "$(cat path)" paths 2>/dev/null || { echo "$o: the same as another"; cat path paths; exit 1; }
	cat path >>paths
	[ "${one:=$(where)}" = "$(where)" ] || { echo "$o: another folder"; cat paths; exit 1; }
done
built --counters=edges
[ "$(cat path)" = "$(head -n 1 paths)" ]
(mkdir sub && cp a.c sub && cd sub && built --counters=edges && ! cmp -s path ../path)
[ "$(ls -A home/.cache/tally-build | wc -l)" = 1 ]
XDG_CACHE_HOME=$here/cache built
case $(where) in "$here/cache/tally-build/"*) ;; *) cat path; exit 1 ;; esac
XDG_CACHE_HOME=cache built # is to be ignored
[ "$(where)" = "$one" ]

# ccache: each set of options has objects of its own, and finds them again.
export CCACHE_DIR=$here/ccache
unset CCACHE_DISABLE CCACHE_READONLY
cached() { # NAME OPTIONS...
	local name=$1
	shift
	tally build --quiet "$@" ccache gcc -O2 -c loop.c -o "$name.o"
}
hits() { ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ { n += $2 } END { print n + 0 }'; }
misses() { ccache --print-stats | awk '/^cache_miss/ { n += $2 } END { print n + 0 }'; }
printf 'int f(int n)\n{\n\tint s = 0;\n\twhile (n--)\n\t\ts += n & 1 ? n : 3;\n\treturn s;\n}\n' >loop.c
echo 'int f(int); int main(void) { return f(6) != 18; }' >main.c
ccache gcc -O2 -c loop.c -o plain.o
cached edges
cached redundant --counters=redundant
cached tables --lines=tables
gcc -c main.c
gcc main.o edges.o -o prog
./prog
cached weights --weights=prog
for name in edges redundant tables; do
	for other in plain edges redundant tables; do
		[ $name = $other ] || ! cmp -s $name.o $other.o || { echo "ccache: $name and $other are the same"; exit 1; }
	done
done
[ "$(misses)" = 5 ] # of five sets of options
cp edges.o kept.o
(cd sub && tally build --quiet ccache gcc -O2 -c ../loop.c -o loop.o)
! cmp -s sub/loop.o edges.o
before=$(hits)
cached edges
cached redundant --counters=redundant
cmp edges.o kept.o
[ "$(hits)" = $((before + 2)) ] || { echo "ccache: $before hits, then $(hits)"; exit 1; }

# What is not ours alone is passed over, and so is what cannot be had; links that are wrong are put right.
for how in 'touch' 'ln -s /nowhere' 'mkdir -m 777' 'ln -s /tmp'; do
	rm -rf home/.cache/tally-build
	$how home/.cache/tally-build
	built
	case $(where) in "$here/tmp/"*) ;; *) echo "$how: $(cat path)"; exit 1 ;; esac
done
rm -rf home/.cache
built
chmod 775 "$one"
built
[ "$(where)" != "$one" ]
chmod 755 "$one"
ln -sf /bin/false "$one/as"
rm "$one/cc1"
built
[ "$(where)" = "$one" ]
for h in '' "$here/nosuch" relative "$here/a:b" "$here/a.c"; do
	mkdir -p 'a:b'
	HOME=$h built
	case $(where) in "$here/tmp/"*) ;; *) echo "HOME=$h: $(cat path)"; exit 1 ;; esac
done
(unset HOME && built)
(HOME="$here/a b" && export HOME && mkdir "$HOME" && built)

# Folders of tallies that are no more go when there is a new one.
mkdir -m 700 home/.cache/tally-build/0123456789abcdef
ln -s /no/such/tally home/.cache/tally-build/0123456789abcdef/as
built
[ -e home/.cache/tally-build/0123456789abcdef ]
rm -r "$one"
built
[ ! -e home/.cache/tally-build/0123456789abcdef ] && [ "$(where)" = "$one" ]

# Another user, who was there first.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	rm -rf home/.cache/tally-build
	mkdir -m 777 home/.cache/tally-build
	chown 65533 home/.cache/tally-build
	built
	rm -rf home/.cache
	mkdir -m 755 home/.cache
	chown 65533 home/.cache
	built
	case $(where) in "$here/tmp/"*) ;; *) cat path; exit 1 ;; esac
	[ -z "$(ls -A home/.cache)" ]
	chown -R 0 home
fi

# TMPDIR may be anything that gcc takes; and without a home that is where we are.
mkdir -p 'tmp dir' 't:m' sub
echo 'all: ; gcc -c ../a.c -o a.o' >sub/Makefile
for h in "$here/home" ''; do
	for dir in tmp "$here/tmp dir" "$here/t:m" "$here/nosuch" "$here/a.c" ''; do
		HOME=$h TMPDIR=$dir tally build make -s -C sub 2>said || { echo "TMPDIR=$dir: status $?"; cat said; exit 1; }
		grep -q '1 file counted' said || { echo "TMPDIR=$dir, HOME=$h:"; cat said; exit 1; }
		for d in tmp 'tmp dir' 't:m'; do
			[ -z "$(ls -A "$here/$d")" ] || { echo "TMPDIR=$dir: left behind:"; ls -A "$here/$d"; exit 1; }
		done
	done
done

# The user's own: what he has in these variables goes on to work, also in a build within a build.
mkdir own
printf '#!/bin/sh\necho own >>%s/used\nexec %s "$@"\n' "$here" "$(command -v as)" >own/as
chmod +x own/as
COMPILER_PATH=$here/own CCC_OVERRIDE_OPTIONS='# +-DN=7' tally build --quiet tally build sh -c \
	'gcc a.c -o a; echo "int n(void) { return N; }" >n.c; clang -c n.c' 2>said
[ "$(wc -l <used)" -ge 4 ] && grep -q '2 files counted' said || { cat said; exit 1; }
tally build tally build sh -c 'echo "$PATH"' >path 2>said
tally build sh -c 'echo "$PATH"' 2>said | diff - path

# Killed: nothing stays, and the command ends, too.
for sig in TERM HUP; do
	status=0
	tally build sh -c 'echo $$ >started; exec sleep 100' 2>said &
	while [ ! -s started ]; do sleep 0.01; done
	kill -$sig $!
	wait $! || status=$?
	kill -0 "$(cat started)" 2>/dev/null && { echo "$sig: the command goes on"; exit 1; }
	rm started
	[ -z "$(ls -A tmp)" ] || { echo "$sig: left behind:"; ls -A tmp; exit 1; }
	[ $status = $((128 + $(kill -l $sig))) ] || { echo "$sig: status $status"; exit 1; }
done
