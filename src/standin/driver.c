/* driver.c - the options of the compiler that calls an assembler: gcc's, or another's. */

#include "standin.h"

#include <string.h>
#include <unistd.h>

/* options - each followed by a NUL; NULL if they cannot be found. */
static char *
options(Arena *run, size_t *len)
{
	char *opts = gccoptions(run, len);
	Buf path = {.arena = run};

	if (opts)
		return opts;
	bprintf(&path, "/proc/%d/cmdline", (int)getppid());
	return access(path.s, R_OK) == 0 ? readfile(run, path.s, len) : NULL;
}

static const char *
after(const char *s, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(s, prefix, n) == 0 ? s + n : NULL;
}

bool
asksdebug(const char *option)
{
	return strncmp(option, "-g", 2) == 0 && option[2] != '0' && strncmp(option, "-gno-", 5) != 0
	       && strncmp(option, "-gnat", 5) != 0;
}

Driver
askdriver(const Settings *s, Arena *run)
{
	size_t len = 0, i;
	char *opts = options(run, &len);
	Driver d = {.lines = !opts, .plain = opts != NULL};

	for (i = 0; opts && i < len; i += strlen(opts + i) + 1) {
		const char *o = after(opts + i, "-O");

		d.lines |= asksdebug(opts + i);
		if (after(opts + i, "-gno-statement-frontiers"))
			d.nofrontiers = true;
		else if (after(opts + i, "-gstatement-frontiers"))
			d.nofrontiers = false;
		if (o)
			d.plain = *o == '0' || *o == '-'; /* -O- is Free Pascal's */
		if (after(opts + i, "-mcmodel="))
			d.faraway = !after(opts + i, "-mcmodel=small")
				    && !(s->bare && after(opts + i, "-mcmodel=kernel"));
	}
	return d;
}
