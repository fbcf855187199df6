# needs.sh - without root and sudo, test/needs says in one line what to install.
mkdir bin
ln -s "$(command -v bash)" bin/bash
printf '#!%s\necho 1000\n' "$(command -v bash)" >bin/id
chmod +x bin/id
for what in test check; do
	status=0
	PATH=$PWD/bin bash "$ROOT/test/needs" $what >out 2>err || status=$?
	[ $status = 1 ] || { echo "status $status"; cat err; exit 1; }
	[ "$(wc -l <err)" = 1 ] && [ ! -s out ] || { cat out err; exit 1; }
	grep -q 'apt-get install .*clang' err || { cat err; exit 1; }
done
