/* zprof.h - what `zprof' writes before a text that counts its own blocks.  The library that
 * such a program is linked with is zprof.c.  ISO C, of any year; both are to be compiled with
 * the same ZPROF_ONE_THREAD or ZPROF_FREESTANDING, if any. */
#ifndef _BBPROF
#define _BBPROF
#if defined ZPROF_ONE_THREAD || defined ZPROF_FREESTANDING
#elif defined __STDC_HOSTED__ && !__STDC_HOSTED__
#elif defined __STDC_VERSION__ && __STDC_VERSION__ >= 201112L && !defined __STDC_NO_THREADS__
#define _BBTHREAD _Thread_local
#elif defined __GNUC__ && defined __has_include
#if __has_include(<threads.h>)
#define _BBTHREAD __thread
#endif
#endif
#ifdef _BBTHREAD
#define _BBTHREADS
#else
#define _BBTHREAD
#endif
#if defined __STDC_VERSION__ && __STDC_VERSION__ >= 199901L
typedef unsigned long long _BBCount;
#elif defined __GNUC__
__extension__ typedef unsigned long long _BBCount;
#else
typedef unsigned long _BBCount;
#endif
#if defined __GNUC__ && __GNUC__ >= 7
#define _BBFALL __attribute__((fallthrough));
#else
#define _BBFALL
#endif
#define _BBHIDE(x)
struct _BBPart {         /* of a file in a thread */
	_BBCount *count; /* by block */
	struct _BBFile *file;
	struct _BBPart *next;   /* of the file */
	struct _BBPart *sister; /* of the thread */
	int in;                 /* it is known to the library */
};
struct _BBFile {
	const char *const *name;    /* of files */
	const unsigned (*place)[2]; /* by block: file and line */
	_BBCount *total;            /* by block: of threads that have ended, less what is told */
	int n;                      /* blocks */
	int linked;
	struct _BBPart *part;
	struct _BBFile *next;
};
void _bbProfEnter(struct _BBFile *, struct _BBPart *, _BBCount *count);
void _bbProfOut(void);
void _bbProfEach(void (*show)(const char *file, unsigned line, _BBCount count));
#endif
