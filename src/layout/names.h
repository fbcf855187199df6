/* names.h - the functions in whose place the runtime is called, and what is done there.  Calls are led to it by the
 * words that the dynamic linker fills; a static program has none, so calls in counted code go
 * through a stub, __tally_NAME_N, which the assembler's wrapper adds.  Their numbers are in the names of such stubs and
 * in what the copies of the runtime share: who changes the order changes the ABI.
 *
 *	OURS	a function of ours is called, which calls that one; what is in the last column instead, where
 *		something else of that name stands in front of the C library's
 *	FREE	a stub is called and does `before', without the lock
 *	LOCKED	the same with the lock, and only in the process that counts
 *	LAST	also in a child that has its parent's memory, by vfork: its frames end there
 *	QUICKLY	in any process, and without system calls if possible, for it is done often
 *
 * Then the function goes on as if nobody had come in between.  Where something is done after it, too, `after' is the
 * event by which it returns to us.  All of that is in hooks.h but for OURS, which are in threads.h and signals.h. */

#ifndef NAMES_H
#define NAMES_H

/* clang-format off */

/*	number, name, how, before, after */
#define HOOKS(X)                                                                                                        \
	X(PTHREAD_CREATE,            "pthread_create",                      OURS,    create,            createother)    \
	X(THRD_CREATE,               "thrd_create",                         OURS,    thrd,              thrdother)      \
	X(DLSYM,                     "dlsym",                               FREE,    beforelookup,      0)              \
	X(DLVSYM,                    "dlvsym",                              FREE,    beforelookup,      0)              \
	X(SIGACTION,                 "sigaction",                           OURS,    setaction,         setactionother) \
	X(SIGNAL,                    "signal",                              OURS,    setbsd,            setbsdother)    \
	X(BSD_SIGNAL,                "bsd_signal",                          OURS,    setbsd,            NULL)           \
	X(SYSV_SIGNAL,               "__sysv_signal",                       OURS,    setsysv,           NULL)           \
	X(SIGSET,                    "sigset",                              OURS,    setsigset,         NULL)           \
	X(_EXIT,                     "_exit",                               LAST,    beforeexit,        0)              \
	X(_EXIT_C99,                 "_Exit",                               LAST,    beforeexit,        0)              \
	X(QUICK_EXIT,                "quick_exit",                          LOCKED,  beforequick,       0)              \
	X(LONGJMP,                   "longjmp",                             QUICKLY, beforejump,        0)              \
	X(_LONGJMP,                  "_longjmp",                            QUICKLY, beforejump,        0)              \
	X(SIGLONGJMP,                "siglongjmp",                          QUICKLY, beforejump,        0)              \
	X(LONGJMP_CHK,               "__longjmp_chk",                       QUICKLY, beforejump,        0)              \
	X(REGISTER_CANCEL,           "__pthread_register_cancel",           OURS,    registercancel,    NULL)           \
	X(REGISTER_CANCEL_DEFER,     "__pthread_register_cancel_defer",     OURS,    registerdefer,     NULL)           \
	X(UNREGISTER_CANCEL,         "__pthread_unregister_cancel",         OURS,    unregistercancel,  NULL)           \
	X(UNREGISTER_CANCEL_RESTORE, "__pthread_unregister_cancel_restore", OURS,    unregisterrestore, NULL)           \
	X(PTHREAD_EXIT,              "pthread_exit",                        LOCKED,  beforethreadexit,  0)              \
	X(PTHREAD_CANCEL,            "pthread_cancel",                      LOCKED,  beforecancel,      0)              \
	X(SWAPCONTEXT,               "swapcontext",                         LOCKED,  beforeswap,        SWAPPED)        \
	X(SETCONTEXT,                "setcontext",                          LOCKED,  beforeset,         0)              \
	X(MAKECONTEXT,               "makecontext",                         LOCKED,  beforemake,        0)              \
	X(EXECVE,                    "execve",                              LAST,    beforeexec,        EXECFAILED)     \
	X(EXECV,                     "execv",                               LAST,    beforeexec,        EXECFAILED)     \
	X(EXECVP,                    "execvp",                              LAST,    beforeexec,        EXECFAILED)     \
	X(EXECVPE,                   "execvpe",                             LAST,    beforeexec,        EXECFAILED)     \
	X(EXECL,                     "execl",                               LAST,    beforeexec,        EXECFAILED)     \
	X(EXECLP,                    "execlp",                              LAST,    beforeexec,        EXECFAILED)     \
	X(EXECLE,                    "execle",                              LAST,    beforeexec,        EXECFAILED)     \
	X(FEXECVE,                   "fexecve",                             LAST,    beforeexec,        EXECFAILED)     \
	X(EXECVEAT,                  "execveat",                            LAST,    beforeexec,        EXECFAILED)     \
	X(DAEMON,                    "daemon",                              LOCKED,  beforedaemon,      EXECFAILED)     \
	X(VFORK,                     "vfork",                               LOCKED,  beforevfork,       0)              \
	X(_FORK,                     "_Fork",                               LOCKED,  beforeclone,       0)              \
	X(CLONE,                     "clone",                               FREE,    beforethread,      0)              \
	X(SYSCALL,                   "syscall",                             FREE,    beforesyscall,     0)              \
	X(RAISE_EXCEPTION,           "_Unwind_RaiseException",              LOCKED,  beforeraise,       0)              \
	X(RESUME,                    "_Unwind_Resume",                      LOCKED,  beforeraise,       0)              \
	X(RETHROW,                   "_Unwind_Resume_or_Rethrow",           LOCKED,  beforeraise,       0)              \
	X(SET_IP,                    "_Unwind_SetIP",                       LOCKED,  beforelanding,     0)              \
	X(PRCTL,                     "prctl",                               FREE,    beforeprctl,       0)              \
	X(SETUID,                    "setuid",                              FREE,    beforedrop,        0)              \
	X(SETEUID,                   "seteuid",                             FREE,    beforedrop,        0)              \
	X(SETREUID,                  "setreuid",                            FREE,    beforedrop,        0)              \
	X(SETRESUID,                 "setresuid",                           FREE,    beforedrop,        0)              \
	X(CHROOT,                    "chroot",                              FREE,    beforedrop,        0)              \
	X(UNSHARE,                   "unshare",                             FREE,    beforedrop,        0)              \
	X(CAPSET,                    "capset",                              FREE,    beforedrop,        0)              \
	X(MMAP,                      "mmap",                                FREE,    beforemap,         0)              \
	X(MMAP64,                    "mmap64",                              FREE,    beforemap,         0)              \
	X(MREMAP,                    "mremap",                              FREE,    beforemap,         0)              \
	X(MUNMAP,                    "munmap",                              FREE,    beforemap,         0)              \
	X(BRK,                       "brk",                                 FREE,    beforemap,         0)              \
	X(SBRK,                      "sbrk",                                FREE,    beforemap,         0)

/* Only in static programs, or where the C library gives no other way to hear of it. */
#define STATICHOOKS(X)                                                                                             \
	X(CATCH,                     "__cxa_begin_catch",                   LOCKED,  beforecatch,       0)         \
	X(FORK,                      "fork",                                LOCKED,  beforefork,        AFTERFORK) \
	X(EXIT,                      "exit",                                LOCKED,  beforeend,         0)         \
	X(ABORT,                     "abort",                               LOCKED,  beforeend,         0)

/* What else leads to a stub. */
#define EVENTS(X)                                                                                   \
	X(FORKED,     FREE,   afteratfork)     /* by fork, in the child */                          \
	X(FINISH,     FREE,   afterall)        /* as the last destructor of the module */           \
	X(UNWINDING,  LOCKED, beforeunwinding) /* by a thread that will leave its frames */         \
	X(EXECFAILED, FREE,   afterexec)       /* where the exec functions return to, and daemon */ \
	X(SWAPPED,    FREE,   afterswap)       /* where swapcontext does */                         \
	X(AFTERFORK,  FREE,   afterfork)       /* and fork, where nobody else tells of children */

/* clang-format on */

/* What the wrapper says of a module, in section tally_calls: the number of a function that it
 * calls, and where that is, from there. */
struct Called {
	unsigned which;
	int real;
};

/* Instead: that the module has a function of that name itself; where a word of data has the
 * function's address; that its code takes the address; that its
 * code has system calls of its own; that the gs register is the
 * program's own, and where the pages end that hold the counters; nothing; that it records whom
 * it calls through pointers; that control may come there, which is in the middle of a function that
 * says nothing of its frame, from another stack. */
#define OWNNAME 0x100u
#define FLAT 0x200u
#define NOTHING 0x400u
#define CALLSALL 0x800u
#define POINTER 0x1000u
#define TAKEN 0x2000u
#define OWNCALLS 0x4000u
#define MIDWAY 0x8000u

#endif
