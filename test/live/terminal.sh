# terminal.sh - job control: ^Z stops a program under tally run, and the shell sees it; fg goes on,
# ^C ends it, and the counts are there; standard input is the terminal.
cat >slow.c <<'C'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	char line[80];
	int i;
	if (fgets(line, sizeof line, stdin))
		printf("got %s", line);
	for (i = 0; i < 100000; i++) {
		printf("tick %d\n", i);
		fflush(stdout);
		usleep(20000);
	}
	return 0;
}
C
gcc -g slow.c -o slow
cat >shell.py <<'P'
import os, pty, re, select, sys, time

pid, fd = pty.fork()
if pid == 0:
    os.environ['PS1'] = 'ready> '
    os.execvp('bash', ['bash', '--norc', '--noediting', '-i'])
text = ''

def until(pattern):
    global text
    end = time.time() + 60
    while not re.search(pattern, text):
        if time.time() > end:
            sys.exit('no ' + pattern + ' in ' + repr(text[-400:]))
        if select.select([fd], [], [], 0.2)[0]:
            text += os.read(fd, 4096).decode(errors='replace')
    text = text[re.search(pattern, text).end():]

def say(line):
    os.write(fd, line.encode())

until('ready> ')
say('tally run ./slow\n')
time.sleep(0.5)
say('hello\n')
until('got hello')
until('tick 3\r')
say('\x1a')
until(r'Stopped +tally run ./slow')
until('ready> ')
say('fg\n')
until(r'tick \d+')
until(r'tick \d+')
say('\x03')
until('ready> ')
say('echo status=$?\n')
until('status=130')
say('exit\n')
P
python3 shell.py
tally print >list 2>remarks || true
grep -q 'SIGINT in main' remarks || { cat remarks; exit 1; }
awk '/got/ { got = $1 } /usleep/ { n = $1 } /return 0/ { r = $1 } END { exit !(got == 1 && n > 3 && r == 0) }' list || { cat list; exit 1; }
