/* names.h - the functions whose calls lead to the runtime, and what it does there.
 *
 * Calls are led there by the words that the dynamic linker fills (runtime/words.h).  A static
 * program has none, so there calls in counted code go through a stub, __tally_NAME_N, which the
 * assembly road adds.  The numbers of the functions are in what these stubs record (struct Called)
 * and in what the copies of the runtime share: changing the order changes the ABI.
 *
 *	OURS	a function of ours, `before', is called, and calls that one; `after' instead, where
 *		another definition of that name preempts the C library's
 *	FREE	a stub is called and does `before', without the lock
 *	LOCKED	the same with the lock, and only in the process that counts
 *	LAST	also in a child made by vfork: its own frames end there
 *	QUICKLY	in any process, and without system calls if possible, because it is frequent
 *
 * Then the function runs as if nobody had intervened.  If something is done after it, too, `after'
 * is the event by which it returns to us.  All of this is in runtime/hooks.h, except for OURS, in
 * threads.h and signals.h. */

#ifndef NAMES_H
#define NAMES_H

/* clang-format off */

/* number, name, how, before, after */
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

/* Only in static programs, or if the C library does not tell us in another way. */
#define STATICHOOKS(X)                                                                                             \
	X(CATCH,                     "__cxa_begin_catch",                   LOCKED,  beforecatch,       0)         \
	X(FORK,                      "fork",                                LOCKED,  beforefork,        AFTERFORK) \
	X(EXIT,                      "exit",                                LOCKED,  beforeend,         0)         \
	X(ABORT,                     "abort",                               LOCKED,  beforeend,         0)

/* Other events that lead to a stub: number, how, before. */
#define EVENTS(X)                                                                          \
	X(FORKED,     FREE,   afteratfork)     /* fork, in the child */                    \
	X(FINISH,     FREE,   afterall)        /* the last destructor of the module */     \
	X(UNWINDING,  LOCKED, beforeunwinding) /* a thread is about to leave its frames */ \
	X(EXECFAILED, FREE,   afterexec)       /* exec or daemon return */                 \
	X(SWAPPED,    FREE,   afterswap)       /* swapcontext returns */                   \
	X(AFTERFORK,  FREE,   afterfork)       /* fork returns, without atfork */

/* clang-format on */

/* What the assembly road says of a module, in section CALLSECTION: the number of a function that
 * counted code calls, and the distance from `real' to that function. */
struct Called {
	unsigned which;
	int real;
};

/* Other values of `which'.  Added to the number of a function: OWNNAME, the module defines a
 * function of that name itself; POINTER, the word of data at `real' has its address; TAKEN, code
 * takes its address.  Alone: OWNCALLS, code makes system calls of its own; FLAT, the program uses
 * the gs register itself; NOTHING, so that there is at least one; CALLSALL, calls through pointers
 * are recorded; MIDWAY, control may come from another stack to `real', in the middle of a function
 * without unwind information. */
#define OWNNAME 0x100u
#define FLAT 0x200u
#define NOTHING 0x400u
#define CALLSALL 0x800u
#define POINTER 0x1000u
#define TAKEN 0x2000u
#define OWNCALLS 0x4000u
#define MIDWAY 0x8000u

#endif
