# install.sh - what make install puts where, into a directory with a space in it.
make -s -C "$ROOT" BUILD="${BUILD#"$ROOT"/}" DESTDIR="$PWD/a b" PREFIX=/opt install >log 2>&1 || { cat log; exit 1; }
(cd 'a b' && find . ! -type d | LC_ALL=C sort) >got
{
	for name in bb ctrace lcc lcomp lprint tally zprof; do echo ./opt/bin/$name; done
	echo ./opt/include/tally.h
	echo ./opt/lib/libzprof.a
	for name in as cc1 cc1plus f951 gnat1 ld.gold; do echo ./opt/libexec/tally/$name; done
	echo ./opt/share/bash-completion/completions/tally
	echo ./opt/share/fish/vendor_completions.d/tally.fish
	echo ./opt/share/zsh/site-functions/_tally
	echo ./opt/share/tally/zprof.c
	echo ./opt/share/tally/zprof.h
	cd "$ROOT/doc/man" && ls | sed 's,.*\.\(.\)$,./opt/share/man/man\1/&,'
} | LC_ALL=C sort | diff - got
'a b/opt/bin/tally' --version >/dev/null
for name in bb ctrace lcc lcomp lprint zprof; do
	"a b/opt/bin/$name" --help | grep -q "^usage: $name "
done

# Compilers find its parts there, and nothing is written elsewhere: nobody else can be in the way.
mkdir -m 555 none
mkdir tmp
echo 'int main(void) { return 0; }' >a.c
env -u XDG_CACHE_HOME HOME="$PWD/none" TMPDIR="$PWD/tmp" "$PWD/a b/opt/bin/tally" build sh -c 'echo "$COMPILER_PATH" >path; gcc a.c -o a' 2>said
grep -q '1 file counted' said || { cat said; exit 1; }
[ "$(cut -d : -f 1 path)" = "$PWD/a b/opt/libexec/tally" ] || { cat path; exit 1; }
[ -z "$(ls -A tmp)" ] || { ls -A tmp; exit 1; }
