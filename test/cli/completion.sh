# completion.sh - the shells offer the verbs that there are, and for each of them the options that it takes: of all
# that any verb knows each is tried.
verbs=$(tally --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$verbs" | wc -l)" -gt 5 ]
for verb in $verbs; do tally "$verb" --help; done | sed -n 's/^  \(--[-a-z]*\).*/\1/p' | LC_ALL=C sort -u >known
[ "$(wc -l <known)" -gt 30 ]
mkdir none
# real VERB - its options, as the program takes them.  An option that is only the begin of another is not one.
real() {
	local opt
	for opt in $(cat known) $(printf -- '-%s\n' {a..g} {i..z} {A..Z}); do
		TALLY_DIR=$PWD/none timeout 20 tally "$1" "$opt" </dev/null >out 2>err || true
		if grep -q -- ": no such option" err; then
			continue
		elif grep -q 'needs a value' err && [[ $opt == --* ]]; then
			TALLY_DIR=$PWD/none timeout 20 tally "$1" "$opt=1" </dev/null >out 2>err || true
			grep -q ": no such option" err || echo "$opt="
		else
			echo "$opt"
		fi
	done >taken
	(
		echo --help
		while read -r opt; do
			! grep -q -- "^${opt%=}[-a-z]" taken || grep -qE -- "[ ,]${opt%=}([=, ]|\$)" <(tally "$1" --help) || continue
			echo "$opt"
		done <taken
	) | LC_ALL=C sort -u
}

cat >bash.sh <<'B'
. "$1"
COMP_WORDS=(tally "${@:2}") COMP_CWORD=$(($# - 1))
compopt() { :; }
_tally
printf '%s\n' "${COMPREPLY[@]}"
B
inbash() { bash bash.sh "$ROOT/completion/tally.bash" "$@"; }
# zsh has no way to ask; what it would be given is printed.
cat >zsh.sh <<'Z'
_describe() { print -l ${${(P)2}%%:*} }
compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- $@ }
_files() { : }
words=(tally "${@:2}") CURRENT=$#
PREFIX=${@[-1]}
source $1
Z
inzsh() { zsh -f zsh.sh "$ROOT/completion/_tally" "$@"; }
infish() { HOME=$PWD fish --no-config -c "source '$ROOT/completion/tally.fish'; complete -C 'tally $*'" 2>fish.err | cut -f1; }

shells=inbash
! command -v zsh >/dev/null || shells="$shells inzsh"
! command -v fish >/dev/null || shells="$shells infish"
for sh in $shells; do
	$sh '' | grep -v '^-' | LC_ALL=C sort >got
	echo "$verbs" | LC_ALL=C sort | diff - got || { echo "$sh: verbs"; exit 1; }
done
for verb in $verbs; do
	real "$verb" >want
	[ -s want ]
	for sh in $shells; do
		$sh "$verb" - | grep . | LC_ALL=C sort -u >got
		diff want got || { echo "$sh: options of tally $verb"; exit 1; }
	done
done
echo "# $shells"
[ "$(inbash pri)" = print ]
[ "$(inbash print --by | tr '\n' ' ')" = '--by-label ' ]
