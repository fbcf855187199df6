/* parts.c - tally in the place of other parts of compilers. */

#include "standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* lookfor - the first program of a name in a list of directories that is not ourselves, or NULL. */
static char *
lookfor(const char *list, const char *name, const struct stat *self, Arena *run)
{
	Buf b = {.arena = run};
	const char *end;
	struct stat st;

	for (; *list; list = *end ? end + 1 : end) {
		end = strchrnul(list, ':');
		b.n = 0;
		bprintf(&b, "%.*s/%s", (int)(end - list), list, name);
		if (access(b.s, X_OK) == 0 && stat(b.s, &st) == 0 && !S_ISDIR(st.st_mode)
		    && (st.st_ino != self->st_ino || st.st_dev != self->st_dev))
			return b.s;
	}
	return NULL;
}

char *
realtool(const char *name, Arena *run)
{
	const char *first = getenv("TALLY_OLD_COMPILER_PATH");
	Buf b = {.arena = run};
	struct stat self;
	char *found;

	if (stat("/proc/self/exe", &self) != 0)
		syserr("stat /proc/self/exe");
	found = lookfor(first ? first : "", name, &self, run);
	if (!found)
		found = lookfor(oldpath(), name, &self, run);
	bprintf(&b, "/usr/bin/%s", name);
	return found ? found : b.s;
}

/* askgcc - what gcc, called as it was, answers to an option when we are not in its way; NULL if it does not. */
static char *
askgcc(const char *option, const char *value, Arena *run)
{
	const char *old = getenv("TALLY_OLD_COMPILER_PATH");
	Buf word = {.arena = run}, out = {.arena = run}, words = {.arena = run};
	char *ask[] = {getenv("COLLECT_GCC"), NULL, NULL}, parent[4096];
	ssize_t n;

	bprintf(&word, "/proc/%ld/exe", (long)getppid());
	n = readlink(word.s, parent, sizeof parent - 1);
	parent[n < 0 ? 0 : n] = 0;
	if (!ask[0]) /* something has cleared the environment; or somebody else calls us */
		ask[0] = n > 0 && strstr(parent, "gcc") ? parent : "gcc";
	word.n = 0;
	bprintf(&word, "%s%s", option, value);
	ask[1] = word.s;
	if (old)
		setenv("COMPILER_PATH", old, 1);
	else
		unsetenv("COMPILER_PATH"); /* or it would name us */
	if (runfor(ask, NULL, 0, &out, &words) != 0)
		return NULL;
	out.s[strcspn(out.s, "\n")] = 0;
	return out.s;
}

char *
gccpart(const char *name, Arena *run)
{
	char *path = askgcc("-print-prog-name=", name, run);
	struct stat self, st;

	if (!path || !strchr(path, '/') || stat(path, &st) != 0
	    || (stat("/proc/self/exe", &self) == 0 && st.st_ino == self.st_ino
		&& st.st_dev == self.st_dev))
		return realtool(name, run);
	return path;
}

char *
gccmachine(Arena *run)
{
	return askgcc("-dumpmachine", "", run);
}

bool
iscountable(const char *machine)
{
	static const char *const other[] = {"windows", "mingw", "cygwin", "msys",  "darwin",
					    "macos",   "apple", "uefi",   "gnux32"};
	size_t i;

	if (strncmp(machine, "x86_64-", 7) != 0 && strncmp(machine, "amd64-", 6) != 0)
		return false;
	for (i = 0; i < sizeof other / sizeof *other; i++)
		if (strstr(machine, other[i]))
			return false;
	return getenv("TALLY_BARE") || strstr(machine, "linux");
}

/* recover - take our part of the environment of the nearest process above us that tally build has called; how far above.  Only
 * what it was when that began can be seen. */
static int
recover(Arena *run)
{
	long pid = getppid();
	int depth;

	for (depth = 1; pid > 1 && depth < 64; depth++) {
		Buf env = {.arena = run}, stat = {.arena = run};
		char *s, *field, *end;
		bool ours = false;
		size_t len;

		bprintf(&env, "/proc/%ld/environ", pid);
		bprintf(&stat, "/proc/%ld/stat", pid);
		if (access(env.s, R_OK) != 0 || access(stat.s, R_OK) != 0)
			return 0;
		s = readfile(run, env.s, &len);
		for (end = s + len; s < end; s += strlen(s) + 1)
			ours |= strncmp(s, "TALLY_BUILD_DIR=", 16) == 0;
		for (s = end - len; ours && s < end; s += strlen(s) + 1) {
			char *eq = strchr(s, '=');

			if (!eq
			    || (strncmp(s, "TALLY_", 6) != 0 && strncmp(s, "PATH=", 5) != 0
				&& strncmp(s, "TMPDIR=", 7) != 0))
				continue;
			*eq = 0;
			setenv(s, eq + 1, 0);
		}
		if (ours)
			return depth;
		s = readfile(run, stat.s, &len);
		field = strrchr(s,
				')'); /* "pid (name) state ppid"; a name may have anything in it */
		pid = field && strlen(field) > 4 ? strtol(field + 4, NULL, 10) : 0;
	}
	return 0;
}

int
inbuild(Arena *run)
{
	int depth;

	if (getenv("TALLY_BUILD_DIR"))
		return 0;
	depth = recover(run);
	return depth ? depth : -1;
}

bool
asksdebug(const char *option)
{
	return strncmp(option, "-g", 2) == 0 && option[2] != '0' && strncmp(option, "-gno-", 5) != 0
	       && strncmp(option, "-gnat", 5) != 0;
}

const char *
builddir(void)
{
	const char *dir = getenv("TALLY_BUILD_DIR");

	return dir ? dir : "tally.out";
}
