# Completion of tally for bash: verbs and options are those that its help names.

_tally() {
	local cur=${COMP_WORDS[COMP_CWORD]} verb=''
	[ "$COMP_CWORD" -lt 2 ] || verb=${COMP_WORDS[1]}
	COMPREPLY=()
	if [ -z "$verb" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(tally --help 2>/dev/null |
			sed -n 's/^  \([a-z]*\) .*/\1/p') --help --version" -- "$cur")
	elif [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(tally "$verb" --help 2>/dev/null | sed -n '/^  -/{ s/^  //; s/  .*//; p }' |
			grep -oE -- '(^|[ ,])--?[a-zA-Z][-a-z]*=?' | tr -d ' ,') --help" -- "$cur")
		[[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
	fi
}
complete -o default -F _tally tally
