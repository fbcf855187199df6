/* zprof.h - what `zprof' writes before a text that counts its own blocks.  The library that
 * such a program is linked with is zprof.c.  ISO C, of any year. */
#ifndef _BBPROF
#define _BBPROF
#if defined __STDC_VERSION__ && __STDC_VERSION__ >= 201112L && !defined __STDC_NO_THREADS__ \
	&& !defined ZPROF_ONE_THREAD
#define _BBTHREAD _Thread_local
#else
#define _BBTHREAD
#endif
#if defined __STDC_VERSION__ && __STDC_VERSION__ >= 199901L
typedef unsigned long long _BBCount;
#else
typedef unsigned long _BBCount;
#endif
#if defined __GNUC__ && __GNUC__ >= 7
#define _BBFALL __attribute__((fallthrough));
#else
#define _BBFALL
#endif
struct _BBFile {
	const char *const *name;    /* of files */
	const unsigned (*place)[2]; /* by block: file and line */
	_BBCount *total;            /* by block: of threads that have ended */
	int n;                      /* blocks */
	int linked;
	struct _BBFile *next;
};
void _bbProfEnter(struct _BBFile *, _BBCount *count, char *in);
void _bbProfOut(void);
void _bbProfEach(void (*put)(const char *file, unsigned line, _BBCount count));
#endif
