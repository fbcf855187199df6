/* folder.c - have compilers call us in place of their parts.
 *
 * gcc and clang look for their parts in the directories of COMPILER_PATH first, Free Pascal and
 * scripts in those of PATH.  Both variables get a folder with links to this tally, named `as',
 * `cc1' and so on:
 *
 *   PREFIX/libexec/tally             if tally is PREFIX/bin/tally and was installed with it, or
 *   ~/.cache/tally-build/HASH        a hash of tally's path; $XDG_CACHE_HOME is obeyed, or
 *   a directory of this build        if the user has no cache
 *
 * Whoever can write in the folder can run code as the user, so a folder in which others can write
 * is not used.  It is the user's own, so nobody else can block a build by making it first.
 *
 * Settings that change objects are not in the folder's name.  A second directory in COMPILER_PATH,
 * which does not exist, is named after a hash of them: ccache takes the variable for a part of what
 * an object depends on. */

#include "standin.h"

#include "profile/profile.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The names that main() knows. */
static const char *const part[] = {"as", "cc1", "cc1plus", "f951", "gnat1", "ld.gold"};
enum { NPART = sizeof part / sizeof *part };

/* splits - whether a path would be split in a list of directories. */
static bool
splits(const char *path)
{
	return strpbrk(path, ":\n") != NULL;
}

/* installed - the folder that was installed with this tally; NULL if there is none. */
static char *
installed(const char *self, Arena *run)
{
	char *copy = astrndup(run, self, strlen(self));
	Buf dir = {.arena = run};
	struct stat own, st;
	char *real;
	int i;

	bprintf(&dir, "%s/../libexec/tally", dirname(copy));
	real = realpath(dir.s, NULL);
	if (!real)
		return NULL;
	dir.n = 0;
	bprintf(&dir, "%s", real);
	free(real);
	for (i = 0; i < NPART; i++) {
		Buf link = {.arena = run};

		bprintf(&link, "%s/%s", dir.s, part[i]);
		if (stat(self, &own) != 0 || stat(link.s, &st) != 0 || st.st_ino != own.st_ino
		    || st.st_dev != own.st_dev)
			return NULL;
	}
	return splits(dir.s) ? NULL : dir.s;
}

/* isours - whether a directory is ours and only we can write there.  If `shared', others may write
 * there if they cannot replace what is ours. */
static bool
isours(const char *dir, bool shared)
{
	struct stat st;

	if ((shared ? stat(dir, &st) : lstat(dir, &st)) != 0 || !S_ISDIR(st.st_mode)
	    || st.st_uid != geteuid())
		return false;
	return shared ? !(st.st_mode & S_IWOTH) || (st.st_mode & S_ISVTX) : !(st.st_mode & 022);
}

/* private - make a directory if it is missing; whether it is ours (isours). */
static bool private(const char *dir, bool shared)
{
	return (mkdir(dir, 0700) == 0 || errno == EEXIST) && isours(dir, shared);
}

/* putlinks - the links, in a folder; false if they cannot be made.  Builds that run at the same
 * time make the same ones. */
static bool
putlinks(const char *dir, const char *self, Arena *run)
{
	char old[4096];
	int i;

	for (i = 0; i < NPART; i++) {
		Buf link = {.arena = run}, new = {.arena = run};
		ssize_t n;

		bprintf(&link, "%s/%s", dir, part[i]);
		n = readlink(link.s, old, sizeof old - 1);
		if (n >= 0 && (size_t)n == strlen(self) && memcmp(old, self, (size_t)n) == 0)
			continue;
		bprintf(&new, "%s.%ld", link.s, (long)getpid());
		unlink(new.s); /* left by a process that was killed */
		if (symlink(self, new.s) != 0)
			return false;
		if (rename(new.s, link.s) != 0) {
			unlink(new.s);
			return false;
		}
	}
	return true;
}

/* sweep - remove the folders of tallies that do not exist any more. */
static void
sweep(const char *cache, Arena *run)
{
	DIR *d = opendir(cache);
	struct dirent *e;
	struct stat st;

	while (d && (e = readdir(d))) {
		Buf dir = {.arena = run}, link = {.arena = run};

		bprintf(&dir, "%s/%s", cache, e->d_name);
		bprintf(&link, "%s/%s", dir.s, part[0]);
		if (e->d_name[0] != '.' && lstat(link.s, &st) == 0 && S_ISLNK(st.st_mode)
		    && stat(link.s, &st) != 0 && errno == ENOENT)
			removetree(dir.s);
	}
	if (d)
		closedir(d);
}

/* cached - the folder in the user's cache; NULL if there can be none. */
static char *
cached(const char *self, Arena *run)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	uint64_t h = hashbytes(HASHBEGIN, self, strlen(self));
	Buf cache = {.arena = run}, dir = {.arena = run};
	bool isnew;

	if (xdg && xdg[0] == '/')
		bprintf(&cache, "%s", xdg);
	else if (home && home[0] == '/')
		bprintf(&cache, "%s/.cache", home);
	else
		return NULL;
	if (splits(cache.s) || !private(cache.s, true))
		return NULL;
	bprintf(&cache, "/tally-build");
	if (!private(cache.s, false))
		return NULL;
	bprintf(&dir, "%s/%016llx", cache.s, (unsigned long long)h);
	isnew = access(dir.s, F_OK) != 0;
	if (!private(dir.s, false) || !putlinks(dir.s, self, run))
		return NULL;
	if (isnew)
		sweep(cache.s, run);
	return dir.s;
}

/* pascal - have Free Pascal call an assembler, which it does not do by default, by a configuration
 * that includes the usual one.  All builds share it unless the user has one of his own. */
static void
pascal(const char *cache, const char *tmp, Arena *run)
{
	const char *old = getenv("PPC_CONFIG_PATH"), *dir = cache && !old ? cache : tmp;
	Buf path = {.arena = run}, new = {.arena = run}, own = {.arena = run};
	FILE *f;

	bprintf(&own, "%s/fpc.cfg", old ? old : "/etc");
	bprintf(&path, "%s/fpc.cfg", dir);
	bprintf(&new, "%s.%ld", path.s, (long)getpid());
	f = fopen(new.s, "w");
	if (!f)
		syserr("open %s", new.s);
	fprintf(f, "%s%s\n-Aas\n-g\n", access(own.s, R_OK) == 0 ? "#INCLUDE " : "# no ", own.s);
	if (fclose(f) != 0 || rename(new.s, path.s) != 0)
		syserr("write %s", path.s);
	setenv("PPC_CONFIG_PATH", dir, 1);
}

/* The variables that we change. */
static const char *const changed[NOLD] = {
	[COMPILERPATH] = "COMPILER_PATH",
	[OVERRIDE] = "CCC_OVERRIDE_OPTIONS",
	[PASCALPATH] = "PPC_CONFIG_PATH",
};

/* restore - undo what a build around this one has put into these variables, and keep the user's
 * values for the stand-ins and for builds within this one. */
static void
restore(Settings *s, Arena *run)
{
	const Settings outer = getsettings(run);
	int i;

	for (i = 0; i < NOLD; i++) {
		char *old = acopy(run, outer.folder ? outer.old[i] : getenv(changed[i]));

		s->old[i] = old && *old ? old : NULL;
		putvar(changed[i], outer.folder ? s->old[i] : old);
	}
	setenv("PATH", acopy(run, oldpath(&outer)), 1);
}

/* putbefore - put something before the value of a variable. */
static void
putbefore(const char *name, const char *first, const char *separator, Arena *run)
{
	const char *rest = getenv(name);
	Buf b = {.arena = run};

	bprintf(&b, "%s%s%s", first, rest ? separator : "", rest ? rest : "");
	setenv(name, b.s, 1);
}

/* override - options for clang, after the user's own, since those may remove others.  A space ends
 * a word in this list, so a folder with a space gets no -B; it is only needed if the user has a -B,
 * which would come before COMPILER_PATH. */
static void
override(const char *folder, Arena *run)
{
	const char *old = getenv("CCC_OVERRIDE_OPTIONS");
	Buf b = {.arena = run};

	bprintf(&b, "# %s ^-gline-tables-only ^-Qunused-arguments +-fno-integrated-as",
		old ? old + (*old == '#') : "");
	if (!strpbrk(folder, " "))
		bprintf(&b, " ^-B%s", folder);
	setenv("CCC_OVERRIDE_OPTIONS", b.s, 1);
}

/* newin - a new file in a directory. */
static FILE *
newin(const char *dir, const char *name, const char **path, Arena *run)
{
	Buf b = {.arena = run};
	FILE *f;

	bprintf(&b, "%s/%s", dir, name);
	*path = b.s;
	f = fopen(b.s, "wb");
	if (!f)
		syserr("open %s", b.s);
	return f;
}

/* putweights - what an earlier run counted, for placing counters. */
static void
putweights(Settings *s, char *profile, const char *dir, Arena *run)
{
	FILE *f = newin(dir, "weights", &s->weights, run);
	Module *m;
	int n;

	m = readinput(&profile, 1, &n, run);
	if (!writeweights(f, m, n, run))
		notice("%s: has no counts: weights are guessed", profile);
	if (fclose(f) != 0)
		syserr("write %s", s->weights);
}

/* places - have compilers look for their parts in our folder first. */
static void
places(const Settings *s, const char *self, Arena *run)
{
	Buf b = {.arena = run};

	bprintf(&b, "%s:%s/%016llx", s->folder, s->folder,
		(unsigned long long)stampsettings(s, self, run));
	putbefore("COMPILER_PATH", b.s, ":", run);
	putbefore("PATH", s->folder, ":", run); /* for programs that call an assembler by name */
	override(s->folder, run);
}

void
standin(Settings *s, char *weights, Arena *run)
{
	char self[4096], cwd[4096], *cache, *tmp = tempdir(":\n", run);
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	Buf out = {.arena = run};

	if (n < 0)
		syserr("readlink /proc/self/exe");
	self[n] = 0;
	if (!getcwd(cwd, sizeof cwd))
		syserr("getcwd");
	if (!tmp)
		syserr("no directory for temporary files");
	bprintf(&out, "%s/tally.out", cwd);
	s->dir = out.s;
	if (weights)
		putweights(s, weights, tmp, run);
	fclose(newin(tmp, "log", &s->log, run));
	cache = cached(self, run);
	s->folder = installed(self, run);
	if (!s->folder)
		s->folder = cache;
	if (!s->folder && putlinks(tmp, self, run))
		s->folder = tmp;
	if (!s->folder)
		syserr("link %s/as", tmp);
	restore(s, run);
	pascal(cache, tmp, run);
	places(s, self, run);
	putsettings(s, run);
}
