/* base.h - what every room uses: memory, tables, sorting, messages, files.
 * Knows nothing of profiling. */

#ifndef BASE_H
#define BASE_H

#include "base/hash.h"
#include <stdarg.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct stat;

#ifndef VERSION
#define VERSION "unknown" /* the Makefile knows it */
#endif

#define PRINTF(f, a) __attribute__((format(printf, f, a)))

/* arena.c: memory with a lifetime.  There is no free(): a whole arena goes at
 * once.  Arenas are named by what they outlive: `run` until the program ends,
 * `fn` while one function is worked on, `tmp` during one call. */

typedef struct Arena Arena;
typedef struct Chunk Chunk;

struct Arena {
	Chunk *small; /* shared by many objects; the first is being filled */
	Chunk *big;   /* one object each */
	size_t left;  /* bytes free in the first of small */
};

void *aalloc(Arena *, size_t n, size_t size);
void *agrow(Arena *, void *old, size_t n, size_t *cap, size_t size);
char *astrndup(Arena *, const char *, size_t);
char *acopy(Arena *, const char *); /* NULL of NULL */
void areset(Arena *);

/* anew - n zeroed objects of type T. */
#define anew(a, T, n) ((T *)aalloc((a), (size_t)(n), sizeof(T)))

/* apush - room for one more in the growing array (T *p, n used, cap). */
#define apush(a, p, n, cap) ((p) = agrow((a), (p), (size_t)(n) + 1, &(cap), sizeof *(p)))

/* table.c: names to numbers. */

typedef struct Table Table;
typedef struct Entry Entry;

struct Entry {
	char *key; /* NULL: free */
	size_t len;
	int value;
};

struct Table {
	Arena *arena;
	Entry *entry;
	size_t n;
	size_t cap; /* a power of two; at most half of it is used */
};

Entry *lookup(Table *, const char *key, size_t len);
Entry *intern(Table *, const char *key, size_t len, int value);

/* buf.c: text that grows.  Always ends with a NUL that does not count. */

typedef struct Buf Buf;

struct Buf {
	Arena *arena;
	char *s;
	size_t n;
	size_t cap;
};

void bput(Buf *, const char *, size_t);
void bprintf(Buf *, const char *fmt, ...) PRINTF(2, 3);
void asciz(Buf *, const char *);
const char *bunquote(Buf *, const char *s, const char *end);

/* argv.c: lists of words, such as command lines.  Once there is one, NULL stands after the last; that does not count.
 * argput - one more.  argputall - n of them.  argsplit - those of a text, which is cut at any of the letters between.
 * isamong - whether a word is in a list that NULL ends. */

typedef struct Argv Argv;

struct Argv {
	Arena *arena;
	char **v; /* NULL if there are none */
	int n;
	size_t cap;
};

void argput(Argv *, const char *);
void argputall(Argv *, char *const *, int n);
void argsplit(Argv *, const char *, const char *between);
bool isamong(const char *, const char *const *list);

/* demangle.c: put in the place of symbols of C++, Rust and D what they stand for.  isthunk - whether one of C++ is that
 * of code that adjusts an object, or what a function returns, and has the line of another function. */

void demangle(char **name, int n, Arena *);
bool isthunk(const char *symbol);

/* glob.c: whether a name matches one of n patterns, or is one; a path by itself or its
 * last parts. */

bool matches(char *const *glob, int n, const char *name);
bool matchespath(char *const *glob, int n, const char *path);

/* proc.c: other programs.  endas - end as one did, by what waitpid() says of it: the exit status, if it was not by a
 * signal. */

int runwith(char *const *argv, const char *input, size_t len, bool *said);
int runinto(char *const *argv, const char *input, size_t len, Buf *out, bool *said);
int runfor(char *const *argv, const char *input, size_t len, Buf *out, Buf *words);
char *capture(char *const *argv, size_t *len, Arena *);
int endas(int status);

/* sort.c: order without comparing; linear in n. */

void rank(const double *key, int *id, int n, Arena *tmp);

/* msg.c: the voices.  All of them write one line on standard error:
 *   usage   the command line is wrong                        exit 2
 *   err     the input is wrong: says where and what          exit 1
 *   errat   the same, with a line number                     exit 1
 *   syserr  the world is wrong: says what failed and errno   exit 1
 *   noerr   what openfile() could not open                   exit 1
 *   remark  what is shown may be less than exact             goes on
 * A fault of our own is an assert().
 *
 * keepremarks - write them there, too, from now on. */

_Noreturn void usage(const char *text, const char *fmt, ...) PRINTF(2, 3);
_Noreturn void err(const char *where, const char *fmt, ...) PRINTF(2, 3);
_Noreturn void errat(const char *path, int line, const char *fmt, ...) PRINTF(3, 4);
_Noreturn void syserr(const char *fmt, ...) PRINTF(1, 2);
_Noreturn void noerr(const char *path);
void remark(const char *fmt, ...) PRINTF(1, 2);
void keepremarks(FILE *);

/* term.c: manners on a terminal.  progress - what is being done, and how much of it is; shown only on a
 * terminal, and if it takes more than a second.  progressed - it is done, or something else is to
 * be said. */

void progress(const char *what, int done, int of);
void progressed(void);

/* startpager - what is printed on a terminal goes through TALLY_PAGER, PAGER or less, and so does what is
 * said there.  endpager - wait for its end; nothing can be printed behind it. */

void startpager(void);
void endpager(void);

/* trap.c: one bad input among many.
 *
 * attempt - do something; false if it came to err(), errat() or syserr(), which print their message and then
 * come back here.  With `quiet' nothing is printed.  What was at work may be half done.
 * endattempt - what they end with: back to attempt(), or exit.  isquiet - whether they print.
 * anyfailed - whether an attempt failed that was not quiet, so that less is shown than was asked for: status 1. */

bool attempt(void (*)(void *), void *arg, bool quiet);
_Noreturn void endattempt(void);
bool isquiet(void);
bool anyfailed(void);

/* file.c: whole files in and out, standard output.
 *
 * openfile - a regular file, to be read; -1 with errno, which is 0 if it is something else, such as a
 * named pipe: nobody waits for its writer.  whynot - that errno in words.  canread - whether openfile() would open it; errno
 * likewise.  lastpart - of a path: what follows the last slash.
 *
 * stampof - how long a file is, and a hash of it: FNV-1a by words of 8 bytes, the last one filled with zeros; false if
 * it cannot be read.
 *
 * newfile - open a file that takes the place of what is at path when endfile() is called, and not
 * before; a device or a pipe is written as it is, and a link stays one.  ownfile - the same, but whatever is at
 * path is replaced, a link, too.  A process that exits in between leaves nothing there. */

typedef struct Newfile Newfile;

struct Newfile {
	FILE *f;
	const char *path; /* where it will be */
	char *tmp;        /* where it is; NULL if it is there already */
};

int openfile(const char *path, struct stat *);
const char *whynot(void);
bool canread(const char *path);
const char *lastpart(const char *path);
char *readfile(Arena *, const char *path, size_t *len);
bool stampof(const char *path, uint64_t *size, uint64_t *hash);
char *readslice(Arena *, const char *path, uint64_t at, size_t *len);
void flushout(void);
FILE *newfile(Newfile *, const char *path, Arena *);
FILE *ownfile(Newfile *, const char *path, Arena *);
void endfile(Newfile *);

/* temp.c: what is gone when the work is done.  tempfile, tempdir - make one where TMPDIR says, or, if that is no place to
 * write, where gcc would; its absolute path, without the letters to avoid.  NULL, with errno, if there is no such place.
 * tempbeside - one with a path that begins so; dies if there can be none.  All are removed when we exit, with all that is in
 * them; endtemp - before that.  keeptemp - not any more: it is what it was to become. */

char *tempfile(Arena *);
char *tempdir(const char *avoid, Arena *);
char *tempbeside(const char *path, bool isdir, Arena *);
void endtemp(const char *path);
void keeptemp(const char *path);

/* tree.c: newdir - a new directory that takes the place of what is at path, a directory or
 * nothing, when enddir() is called, and not before; then that is removed with all that is in it.
 * Who exits in between leaves nothing behind.
 * makedirs - a directory and those above it, as far as they are missing; false with errno.  makeabove - those above
 * a path; dies if they cannot be made. */

typedef struct Newdir Newdir;

struct Newdir {
	const char *path; /* where it will be */
	char *tmp;        /* where it is; NULL if it is there already */
};

void newdir(Newdir *, const char *path, Arena *);
void enddir(Newdir *, Arena *);
bool makedirs(const char *path);
void makeabove(const char *path);

/* removetree - a directory and all that is in it; 0, or -1 with errno. */
int removetree(const char *path);

#endif
