/* names.h - the functions in whose place the runtime is called.  Calls are led to it by the
 * words that the dynamic linker fills; a static program has none, so calls in counted code go
 * through a stub, __tally_NAME_N, which the assembler's wrapper adds. */

#ifndef NAMES_H
#define NAMES_H

#define HOOKS(X)                                                            \
	X(PTHREAD_CREATE, "pthread_create")                                 \
	X(THRD_CREATE, "thrd_create")                                       \
	X(DLSYM, "dlsym")                                                   \
	X(DLVSYM, "dlvsym")                                                 \
	X(SIGACTION, "sigaction")                                           \
	X(SIGNAL, "signal")                                                 \
	X(BSD_SIGNAL, "bsd_signal")                                         \
	X(SYSV_SIGNAL, "__sysv_signal")                                     \
	X(SIGSET, "sigset")                                                 \
	X(_EXIT, "_exit")                                                   \
	X(_EXIT_C99, "_Exit")                                               \
	X(QUICK_EXIT, "quick_exit")                                         \
	X(LONGJMP, "longjmp")                                               \
	X(_LONGJMP, "_longjmp")                                             \
	X(SIGLONGJMP, "siglongjmp")                                         \
	X(LONGJMP_CHK, "__longjmp_chk")                                     \
	X(REGISTER_CANCEL, "__pthread_register_cancel")                     \
	X(REGISTER_CANCEL_DEFER, "__pthread_register_cancel_defer")         \
	X(UNREGISTER_CANCEL, "__pthread_unregister_cancel")                 \
	X(UNREGISTER_CANCEL_RESTORE, "__pthread_unregister_cancel_restore") \
	X(PTHREAD_EXIT, "pthread_exit")                                     \
	X(PTHREAD_CANCEL, "pthread_cancel")                                 \
	X(SWAPCONTEXT, "swapcontext")                                       \
	X(SETCONTEXT, "setcontext")                                         \
	X(MAKECONTEXT, "makecontext")                                       \
	X(EXECVE, "execve")                                                 \
	X(EXECV, "execv")                                                   \
	X(EXECVP, "execvp")                                                 \
	X(EXECVPE, "execvpe")                                               \
	X(EXECL, "execl")                                                   \
	X(EXECLP, "execlp")                                                 \
	X(EXECLE, "execle")                                                 \
	X(FEXECVE, "fexecve")                                               \
	X(EXECVEAT, "execveat")                                             \
	X(DAEMON, "daemon")                                                 \
	X(VFORK, "vfork")                                                   \
	X(_FORK, "_Fork")                                                   \
	X(CLONE, "clone")                                                   \
	X(SYSCALL, "syscall")                                               \
	X(RAISE_EXCEPTION, "_Unwind_RaiseException")                        \
	X(RESUME, "_Unwind_Resume")                                         \
	X(RETHROW, "_Unwind_Resume_or_Rethrow")                             \
	X(SET_IP, "_Unwind_SetIP")                                          \
	X(PRCTL, "prctl")                                                   \
	X(SETUID, "setuid")                                                 \
	X(SETEUID, "seteuid")                                               \
	X(SETREUID, "setreuid")                                             \
	X(SETRESUID, "setresuid")                                           \
	X(CHROOT, "chroot")                                                 \
	X(UNSHARE, "unshare")                                               \
	X(CAPSET, "capset")                                                 \
	X(MMAP, "mmap")                                                     \
	X(MMAP64, "mmap64")                                                 \
	X(MREMAP, "mremap")                                                 \
	X(MUNMAP, "munmap")                                                 \
	X(BRK, "brk")                                                       \
	X(SBRK, "sbrk")

/* Only in static programs, or where the C library gives no other way to hear of it. */
#define STATICHOOKS(X)                \
	X(CATCH, "__cxa_begin_catch") \
	X(FORK, "fork")               \
	X(EXIT, "exit")               \
	X(ABORT, "abort")

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
