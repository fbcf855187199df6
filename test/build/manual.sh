# manual.sh - every verb and every name of old has a page with all options that its help names, and with no others;
# and groff is content with the page.
pages=$ROOT/doc/man

# helped COMMAND... - its options: a value is only a `=', or nothing where it is a word of its own.
helped() { "$@" --help | sed -n '/^  -/{ s/^  //; s/  .*//; s/=.*/=/; s/ .*//; p }' | LC_ALL=C sort -u; }

# described PAGE - those that have a text of their own there.  --help is everywhere.
described() {
	perl -ne 'next unless s/^\.It (?=Fl )//; s/ \([^)]*\)//g; for (split / , /) {
		print "--$1", / Ns = /  ? "=" : "", "\n" if /^Fl Fl (\S+)/;
		print "-$1", / Ns = /  ? "=" : "", "\n" if /^Fl (?!Fl)(\S+)/ }' "$1" | grep -vx -- --help |
		LC_ALL=C sort -u
}

# synopsis PAGE - those that stand there.
synopsis() {
	groff -Tutf8 -mandoc -P-cbou "$1" | sed -n '/^SYNOPSIS/,/^DESCRIPTION/p' | grep -oE -- '(^|[][ |])--?[a-zA-Z][-a-z]*=?' | tr -d '][ |' |
		LC_ALL=C sort -u
}

# agree PAGE COMMAND... - its help and its page.
agree() {
	local page=$pages/$1.1 opt
	shift
	[ -e "$page" ] || { echo "no manual page for $*"; exit 1; }
	grep -q "Xr $(basename "$page" .1) 1" "$pages/tally.1" || { echo "tally(1) does not name $*"; exit 1; }
	helped "$@" >help
	described "$page" >page
	diff help page || { echo "$*: its help (<) and its page (>) have other options"; exit 1; }
	for opt in $(synopsis "$page"); do # letters stand together there, or with a value
		grep -qxF -e "$opt" -e "${opt:0:2}" help || { echo "$page: $opt in its synopsis"; exit 1; }
	done
}

for name in lcomp lprint bb zprof ctrace; do
	agree "$name" "$name"
done
n=0
for verb in $(tally --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	agree "tally-$verb" tally "$verb"
	n=$((n + $(wc -l <help)))
done
[ "$n" -gt 60 ] || { echo "only $n options"; exit 1; }
for page in "$pages"/*.[17]; do
	groff -Tutf8 -mandoc -ww "$page" 2>err >/dev/null
	[ ! -s err ] || { cat err; exit 1; }
done
