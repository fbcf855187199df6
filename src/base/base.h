/* base.h - what every directory uses: memory, tables, sorting, messages, files.  Knows nothing of
 * profiling. */

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
#define VERSION "unknown" /* set by the Makefile */
#endif

#define PRINTF(f, a) __attribute__((format(printf, f, a)))

/* arena.c: memory with a lifetime.  There is no free(): a whole arena is freed at once.  Arenas are
 * named by their lifetime: `run` until the program ends, `fn` while one function is worked on,
 * `tmp` during one call. */

typedef struct Arena Arena;
typedef struct Chunk Chunk;

struct Arena {
	Chunk *small; /* shared by many objects; the first is being filled */
	Chunk *big;   /* of one object each */
	size_t left;  /* bytes free in the first of small */
};

void *aalloc(Arena *, size_t n, size_t size);
void *agrow(Arena *, void *old, size_t n, size_t *cap, size_t size);
char *astrndup(Arena *, const char *, size_t);
char *acopy(Arena *, const char *); /* NULL if that is NULL */
void areset(Arena *);

/* anew - n zeroed objects of type T. */
#define anew(a, T, n) ((T *)aalloc((a), (size_t)(n), sizeof(T)))

/* apush - room for one more in the growing array (T *p, n used, cap). */
#define apush(a, p, n, cap) ((p) = agrow((a), (p), (size_t)(n) + 1, &(cap), sizeof *(p)))

/* table.c: numbers by name. */

typedef struct Table Table;
typedef struct Entry Entry;

struct Entry {
	char *key; /* NULL if free */
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

/* buf.c: text that grows.  It always ends with a NUL, which n does not count. */

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

/* argv.c: lists of words, such as command lines.  A list that is not empty ends with a NULL, which
 * n does not count.
 * argput - add a word.
 * argputall - add n words.
 * argsplit - add the words of a text that is split at any of the characters in between.
 * isamong - whether a word is in a list that ends with NULL. */

typedef struct Argv Argv;

struct Argv {
	Arena *arena;
	char **v; /* NULL if empty */
	int n;
	size_t cap;
};

void argput(Argv *, const char *);
void argputall(Argv *, char *const *, int n);
void argsplit(Argv *, const char *, const char *between);
bool isamong(const char *, const char *const *list);

/* demangle.c:
 * demangle - replace symbols of C++, Rust and D by the names in their sources.
 * isthunk - whether a symbol is that of a C++ thunk, which adjusts an object or a return value and
 * has the line of another function. */

void demangle(char **name, int n, Arena *);
bool isthunk(const char *symbol);

/* glob.c:
 * matches - whether a name matches one of n patterns, or equals one.
 * matchespath - whether a path, or its last parts, does. */

bool matches(char *const *glob, int n, const char *name);
bool matchespath(char *const *glob, int n, const char *path);

/* proc.c: other programs.
 * runfor, runinto, runwith - run a program; see there.
 * capture - what a program prints.
 * endas - end as another program did, by its wait status: return its exit status, or die of its
 * signal. */

int runwith(char *const *argv, const char *input, size_t len, bool *said);
int runinto(char *const *argv, const char *input, size_t len, Buf *out, bool *said);
int runfor(char *const *argv, const char *input, size_t len, Buf *out, Buf *words);
char *capture(char *const *argv, size_t *len, Arena *);
int endas(int status);

/* sort.c: a stable radix sort; linear in n. */

void rank(const double *key, int *id, int n, Arena *tmp);

/* msg.c: the voices.  Each writes one line to standard error:
 *   usage   the command line is wrong                        exit 2
 *   err     the input is wrong: says where and what          exit 1
 *   errat   the same, with a line number                     exit 1
 *   syserr  a system call failed: says what, and errno       exit 1
 *   noerr   openfile() could not open a file                 exit 1
 *   remark  what is shown may be less than exact             returns
 *   notice  anything else, after the name of the program     returns
 * A fault of our own is an assert().
 *
 * usage, err, syserr and notice begin with the name of the program, which is tally unless
 * callself() gave another; selfname - that name.
 * keepremarks - from now on, write messages to this file, too. */

_Noreturn void usage(const char *text, const char *fmt, ...) PRINTF(2, 3);
_Noreturn void err(const char *where, const char *fmt, ...) PRINTF(2, 3);
_Noreturn void errat(const char *path, int line, const char *fmt, ...) PRINTF(3, 4);
_Noreturn void syserr(const char *fmt, ...) PRINTF(1, 2);
_Noreturn void noerr(const char *path);
void remark(const char *fmt, ...) PRINTF(1, 2);
void notice(const char *fmt, ...) PRINTF(1, 2);
void callself(const char *name);
const char *selfname(void);
void keepremarks(FILE *);

/* term.c: terminals.
 * progress - show what is being done, and how much of it; only on a terminal, and only if it takes
 * more than a second.
 * progressed - remove that: it is done, or something else is to be printed. */

void progress(const char *what, int done, int of);
void progressed(void);

/* startpager - if standard output is a terminal, send it and standard error through TALLY_PAGER,
 * PAGER or less.
 * endpager - wait for the end of the pager; nothing can be printed after that. */

void startpager(void);
void endpager(void);

/* trap.c: one bad input among many.
 *
 * attempt - call a function; false if that ended in err(), errat() or syserr(), which print their
 * message and return here.  If `quiet', nothing is printed.  What it was working on may be half
 * done.
 * endattempt - how these end: by returning to attempt(), or else by exit(1).
 * isquiet - whether they print nothing.
 * anyfailed - whether an attempt failed that was not quiet, so that less is shown than was asked
 * for: exit status 1. */

bool attempt(void (*)(void *), void *arg, bool quiet);
_Noreturn void endattempt(void);
bool isquiet(void);
bool anyfailed(void);

/* file.c: whole files in and out, and standard output.
 *
 * openfile - open a regular file for reading; -1 with errno, which is 0 if it is something else,
 * such as a named pipe: never wait for its writer.
 * whynot - that errno in words.
 * canread - whether openfile() can open it; sets errno likewise.
 * lastpart - what follows the last slash of a path.
 *
 * stampof - a file's length and a hash: FNV-1a by words of 8 bytes, the last one padded with zeros.
 * False if it cannot be read.
 *
 * newfile - open a file that replaces what is at path only when endfile() is called.  A device or a
 * pipe is written directly; of a link, the target is replaced.
 * ownfile - the same, but replaces whatever is at path, also a link.  If the process exits before
 * endfile(), nothing remains. */

typedef struct Newfile Newfile;

struct Newfile {
	FILE *f;
	const char *path; /* final path */
	char *tmp;        /* present path; NULL if it is final */
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

/* temp.c: temporary files and directories, which are removed with all their contents when we exit.
 *
 * tempfile, tempdir - make one in TMPDIR or, if that cannot be written, where gcc would; returns
 * the absolute path, which has none of the characters to avoid, or NULL with errno.
 * tempbeside - make one whose path begins with `path'; dies if that is impossible.
 * endtemp - remove it now.
 * keeptemp - never remove it. */

char *tempfile(Arena *);
char *tempdir(const char *avoid, Arena *);
char *tempbeside(const char *path, bool isdir, Arena *);
void endtemp(const char *path);
void keeptemp(const char *path);

/* tree.c:
 * newdir - a new directory that replaces what is at path, a directory or nothing, only when
 * enddir() is called; then the old one is removed with all its contents.  If the process exits
 * before, nothing remains.
 * makedirs - make a directory and its parents as far as they are missing; false with errno.
 * makeabove - make the parents of a path; dies if that is impossible. */

typedef struct Newdir Newdir;

struct Newdir {
	const char *path; /* final path */
	char *tmp;        /* present path; NULL if it is final */
};

void newdir(Newdir *, const char *path, Arena *);
void enddir(Newdir *, Arena *);
bool makedirs(const char *path);
void makeabove(const char *path);

/* removetree - remove a directory and all its contents; 0, or -1 with errno. */
int removetree(const char *path);

#endif
