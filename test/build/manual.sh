# manual.sh - every verb and every name of old has a page, every option of its help is on it,
# and groff is content with the page.
pages=$ROOT/doc/man
for name in lcomp lprint bb; do
	grep -q "Xr $name 1" "$pages/tally.1" || { echo "tally(1) does not name $name"; exit 1; }
	groff -Tutf8 -mandoc -P-cbou "$pages/$name.1" >text
	for opt in $("$name" --help | grep -o -- '^  -[-a-z]*' | sort -u); do
		grep -q -- "$opt" text || { echo "$name(1) does not describe $opt"; exit 1; }
	done
done
for verb in $(tally --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	page=$pages/tally-$verb.1
	[ -e "$page" ] || { echo "no manual page for tally $verb"; exit 1; }
	grep -q "tally-$verb" "$pages/tally.1" || { echo "tally(1) does not name $verb"; exit 1; }
	groff -Tutf8 -mandoc -P-cbou "$page" >text
	for opt in $(tally "$verb" --help | grep -o -- '^  -[-a-z]*' | sort -u); do
		grep -q -- "$opt" text || { echo "tally-$verb(1) does not describe $opt"; exit 1; }
	done
done
groff -Tutf8 -mandoc -P-cbou "$pages/zprof.1" >text
for opt in $(zprof --help | grep -o -- '^  -[-a-z]*' | sort -u); do
	grep -q -- "$opt" text || { echo "zprof(1) does not describe $opt"; exit 1; }
done
for page in "$pages"/*.[17]; do
	groff -Tutf8 -mandoc -ww "$page" 2>err >/dev/null
	[ ! -s err ] || { cat err; exit 1; }
done
