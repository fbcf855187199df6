# ordered.sh - programs that csmith makes up behave and count the same if they record in what
# order files are used.
# tally-test:slow
OPTIONS=--order COUNT=20 FIRST=7000 bash -eu "$HERE/csmith.sh"
