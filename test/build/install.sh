# install.sh - what make install puts where, into a directory with a space in it.
make -s -C "$ROOT" BUILD="${BUILD#"$ROOT"/}" DESTDIR="$PWD/a b" PREFIX=/opt install >log 2>&1 || { cat log; exit 1; }
(cd 'a b' && find . -type f | sort) >got
{
	echo ./opt/bin/tally
	echo ./opt/include/tally.h
	cd "$ROOT/doc/man" && ls | sed 's,^,./opt/share/man/man1/,'
} | diff - got
'a b/opt/bin/tally' --version >/dev/null
