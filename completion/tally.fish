# Completion of tally for fish: verbs and options are those that its help names.

function __tally_options
    set -l verb (commandline -opc)[2]
    tally $verb --help 2>/dev/null | sed -n '/^  -/{ s/^  //; s/  .*//; p }' | grep -oE -- '(^|[ ,])--?[a-zA-Z][-a-z]*=?' | tr -d ' ,'
    echo -- --help
end

function __tally_verbs
    tally --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end

function __tally_first
    test (count (commandline -opc)) = 1
end

complete -c tally -n __tally_first -f -a '(__tally_verbs)'
complete -c tally -n __tally_first -f -a '--help --version'
complete -c tally -n 'not __tally_first; and string match -q -- "-*" (commandline -ct)' -f -a '(__tally_options)'
