/* folder.c - have compilers call us in the places of their parts.
 *
 * gcc and clang look for their parts in the directories of COMPILER_PATH first, Free Pascal and scripts in those
 * of PATH.  Both get a folder with links to this tally, named `as', `cc1' and so on:
 *
 *   PREFIX/libexec/tally             if tally is PREFIX/bin/tally and was installed with it, or
 *   ~/.cache/tally-build/HASH        of the path of this tally; $XDG_CACHE_HOME is obeyed, or
 *   a directory of this build        if the user has no place of his own
 *
 * Whoever can write there can run code as us, so a folder in which others can write is passed over, and
 * whoever wants to keep us from building cannot, for nobody else makes folders there.  What changes the
 * objects is not in the folder's name but in a second directory of COMPILER_PATH, which is not there: ccache
 * takes the value for part of what an object depends on. */

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

/* Those that main() knows. */
static const char *const part[] = {"as", "cc1", "cc1plus", "f951", "gnat1", "ld.gold"};
enum { NPART = sizeof part / sizeof *part };

/* splits - whether a list of directories would be cut within this path. */
static bool
splits(const char *path)
{
	return strpbrk(path, ":\n") != NULL;
}

/* installed - the folder that came with this tally; NULL if it has none. */
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

/* isours - whether that is a directory of ours in which only we can write; with shared, others may write
 * there if they cannot put something else in the place of what is ours. */
static bool
isours(const char *dir, bool shared)
{
	struct stat st;

	if ((shared ? stat(dir, &st) : lstat(dir, &st)) != 0 || !S_ISDIR(st.st_mode)
	    || st.st_uid != geteuid())
		return false;
	return shared ? !(st.st_mode & S_IWOTH) || (st.st_mode & S_ISVTX) : !(st.st_mode & 022);
}

/* private - the directory of that name, ours alone, made if it is not there; false if that cannot be. */
static bool private(const char *dir, bool shared)
{
	return (mkdir(dir, 0700) == 0 || errno == EEXIST) && isours(dir, shared);
}

/* putlinks - the parts, in a folder; false if they cannot be there.  Builds that run at the same time do
 * the same. */
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
		unlink(new.s); /* of one that was killed */
		if (symlink(self, new.s) != 0)
			return false;
		if (rename(new.s, link.s) != 0) {
			unlink(new.s);
			return false;
		}
	}
	return true;
}

/* sweep - remove folders of tallies that are no more. */
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

/* pascal - have Free Pascal call an assembler, which it does not by itself: a configuration that
 * says so and includes the usual one.  It is the same for all builds unless the user has his own. */
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

/* Variables that we change. */
static const char *const changed[NOLD] = {
	[COMPILERPATH] = "COMPILER_PATH",
	[OVERRIDE] = "CCC_OVERRIDE_OPTIONS",
	[PASCALPATH] = "PPC_CONFIG_PATH",
};

/* restore - what the user has there, not what a build around this one has; and keep it for the
 * stand-ins, and for builds within this one. */
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

/* putbefore - something before what is in a variable. */
static void
putbefore(const char *name, const char *first, const char *separator, Arena *run)
{
	const char *rest = getenv(name);
	Buf b = {.arena = run};

	bprintf(&b, "%s%s%s", first, rest ? separator : "", rest ? rest : "");
	setenv(name, b.s, 1);
}

/* override - options for clang: after the user's, for they may take others away.  In such a list a
 * space ends a word; -B is for the sake of a -B of the user's, which comes before COMPILER_PATH. */
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

/* newin - a new file in the directory of this build. */
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

/* putweights - what an earlier run counted, for those that place counters. */
static void
putweights(Settings *s, char *profile, const char *dir, Arena *run)
{
	FILE *f = newin(dir, "weights", &s->weights, run);
	Module *m;
	int n;

	m = readinput(&profile, 1, &n, run);
	if (!writeweights(f, m, n, run))
		fprintf(stderr, "tally: %s: no counts in it: weights are guessed\n", profile);
	if (fclose(f) != 0)
		syserr("write %s", s->weights);
}

/* places - have compilers look for their parts in a folder first. */
static void
places(const Settings *s, const char *self, Arena *run)
{
	Buf b = {.arena = run};

	bprintf(&b, "%s:%s/%016llx", s->folder, s->folder,
		(unsigned long long)stampsettings(s, self, run));
	putbefore("COMPILER_PATH", b.s, ":", run);
	putbefore("PATH", s->folder, ":", run); /* for those who call an assembler by name */
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
