# trouble.sh - whatever the world does, the program runs as it would; and counts that
# were made are not lost.
cat >p.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int n;

static void
work(void)
{
	n++;
}

int
main(int argc, char **argv)
{
	int i;

	for (i = 0; i < 1000; i++)
		work();
	if (argc > 1 && strcmp(argv[1], "kill") == 0)
		raise(SIGKILL);
	if (argc > 1 && strcmp(argv[1], "_exit") == 0)
		_exit(3);
	if (argc > 1 && strcmp(argv[1], "wait") == 0) {
		puts("ready");
		fflush(stdout);
		getchar();
	}
	printf("done %d\n", n);
	return 7;
}
C
tally build gcc -O0 p.c -o p
runs() { # as it would: its words, its status, and nothing else
	local status=0
	"$@" >out 2>err || status=$?
	[ $status = 7 ] && [ "$(cat out)" = 'done 1000' ] && [ ! -s err ] ||
		{ echo "$*: status $status"; cat out err; exit 1; }
}

runs ./p
[ "$(calls work)" = 1000 ]
runs ./p
[ "$(calls work)" = 2000 ] # runs add up

# Killed, or gone without a word: the counts are there, and marked.
rm -rf tally.out
./p kill 2>/dev/null || [ $? = 137 ]
[ "$(calls work)" = '~1000' ] # whatever was active
tally print -f 2>&1 | grep -q 'were killed'
rm -rf tally.out
./p _exit || [ $? = 3 ]
[ "$(calls work)" = 1000 ]

# While it runs.
rm -rf tally.out
mkfifo to from
./p wait <to >from &
exec 3>to 4<from
read -r line <&4
[ "$line" = ready ] && [ "$(calls work)" = '~1000' ]
echo >&3
read -r line <&4
exec 3>&- 4<&-
wait $! || [ $? = 7 ]
[ "$line" = 'done 1000' ]

# A directory that cannot be made, written or found; no room; no descriptors.
rm -rf tally.out
TALLY_DIR=/proc/nothing runs ./p
cp p long$$
TALLY_DIR=$(printf 'x%.0s' $(seq 5000)) runs ./long$$
[ -z "$(find / -maxdepth 1 -name "long$$*")" ]
chmod 755 . && mkdir ro && chmod 555 ro
if [ "$(id -u)" = 0 ]; then
	runs setpriv --reuid=65534 --clear-groups env TALLY_DIR="$PWD/ro" ./p
	mkdir full && mount -t tmpfs -o size=4k none full 2>/dev/null && {
		dd if=/dev/zero of=full/x bs=4k count=1 2>/dev/null || true
		TALLY_DIR=$PWD/full runs ./p
		umount full
	}
else
	TALLY_DIR=$PWD/ro runs ./p
fi
[ "$( (ulimit -f 0; ./p) 2>err)" = 'done 1000' ] && [ ! -s err ]
[ ! -e tally.out ] || [ -z "$(ls tally.out)" ] || { ls -l tally.out; exit 1; }
./p 0<&- 1>&- 2>&- || [ $? = 7 ]
[ "$(calls work)" = 1000 ]

# Elsewhere: TALLY_DIR, another current directory, a program that was moved.
rm -rf tally.out
TALLY_DIR=$PWD/other runs ./p
[ "$(calls work other/*)" = 1000 ] && [ ! -e tally.out ]
mkdir 'a b' && mv p 'a b/q' && cd 'a b'
runs ./q
[ ! -e tally.out ] && [ "$(calls work ../tally.out/*)" = 1000 ]

# TALLY_DIR is made, with the directories above it.
cd ..
for dir in deep/er/still deep/er/still/ "$PWD/deep//down"; do
	TALLY_DIR=$dir runs 'a b/q'
	TALLY_DIR=$dir runs 'a b/q'
	[ "$(calls work "$dir")" = 2000 ] || { echo "TALLY_DIR=$dir"; find deep; exit 1; }
	rm -rf deep
done
[ "$(calls work tally.out)" = 1000 ]

# Where the directory of the build is gone, profiles go where the program runs.
mkdir gone here
(cd gone && echo 'int main(void) { return 0; }' >m.c && tally build --quiet gcc m.c -o ../here/moved)
rm -rf gone
(cd here && ./moved && [ -d tally.out ] && tally print -f >/dev/null)
