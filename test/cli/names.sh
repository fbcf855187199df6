# names.sh - messages begin with the name that was called, and say how another program ended.
try() { # NAME ARGS...
	timeout 20 "$@" >/dev/null 2>err </dev/null || true
	[ -s err ] || { echo "$*: no message"; exit 1; }
	head -n 1 err | grep -q "^$1: " || { echo "$*: $(cat err)"; exit 1; }
}
echo 'int main(void) { return 0; }' >ok.c
try lprint
try lprint nosuch
try lprint -x
try lcomp
try lcc
try zprof
try zprof -P nosuch.c
try zprof --cpp=false nosuch.c
try zprof --cpp=./nosuch ok.c
try bb nosuch.s
try ctrace
try ctrace ./nosuch
try ctrace --nosuch ./prog
try tally run ./nosuch
try tally frob

# ended COMMAND WORDS - what zprof says of a preprocessor that ends so.
ended() {
	printf '#!/bin/sh\n%s\n' "$1" >cpp
	chmod +x cpp
	status=0
	zprof --cpp=./cpp ok.c >out 2>err || status=$?
	[ $status = 1 ] && [ "$(cat err)" = "zprof: ./cpp: $2" ] || { echo "$1: $status: $(cat err)"; exit 1; }
}
ended 'exit 1' 'ended with status 1'
ended 'exit 77' 'ended with status 77'
ended 'kill -SEGV $$' 'was killed by SIGSEGV'
ended 'kill -TERM $$' 'was killed by SIGTERM'
