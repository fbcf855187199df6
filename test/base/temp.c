/* temp.c - what is temporary goes when its process exits, in the middle of things, too, and not with a child of it; what was
 * kept stays. */

#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static Arena run;
static int failed;

static void
expect(bool holds, const char *what)
{
	if (!holds) {
		printf("%s\n", what);
		failed = 1;
	}
}

/* status - of a child that does something; _exit()s are not ours. */
static int
status(void (*work)(void))
{
	int s = -1;
	pid_t pid = fork();

	if (pid == 0) {
		work();
		exit(0);
	}
	waitpid(pid, &s, 0);
	return WEXITSTATUS(s);
}

static void
nothing(void)
{
}

/* entries - of the current directory. */
static int
entries(void)
{
	char *argv[] = {"ls", NULL};
	const char *s = capture(argv, NULL, &run);
	int n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

/* leave - some of each kind, and exit with a message while two files are being written. */
static void
leave(void)
{
	char *dir = tempdir("", &run), *file = tempfile(&run),
	     *kept = tempbeside("kept", false, &run);
	Newfile one, two;
	Newdir site;
	Buf inner = {.arena = &run};

	if (!dir || !file || status(nothing) != 0 || entries() != 3)
		exit(9);
	bprintf(&inner, "%s/deep/er", dir);
	if (!makedirs(inner.s))
		exit(9);
	if (rename(kept, "kept") != 0)
		exit(9);
	keeptemp(kept);
	newfile(&one, "one", &run);
	newdir(&site, "site", &run);
	newfile(&two, "two", &run);
	fputs("all of it\n", two.f);
	endfile(&two);
	endtemp(file);
	if (entries() != 5 || access(file, F_OK) == 0)
		exit(8);
	usage("", "that is all");
}

int
main(void)
{
	char here[4096];
	struct stat st;

	if (!getcwd(here, sizeof here))
		syserr("getcwd");
	setenv("TMPDIR", here, 1);
	expect(!freopen("said", "w", stderr) ? false : true, "standard error");
	unlink("said");
	expect(status(leave) == 2, "a child that leaves things behind");
	expect(entries() == 2 && stat("kept", &st) == 0 && stat("two", &st) == 0
		       && st.st_size == 10,
	       "what it left");
	areset(&run);
	return failed;
}
