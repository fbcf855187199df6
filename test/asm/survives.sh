# survives.sh - what the runtime does in the place of others leaves alone what they rely on: floating-point arguments of
# functions that pointers call, a context that is gone to twice, a handler that survives a call of NULL.
cat >fp.c <<'C'
#include <stdio.h>
static double add(double a,double b,double c){ return a+10*b+100*c; }
double (*volatile f)(double,double,double)=add;
int main(void){ double r=f(1,2,3); printf("%g\n",r); return 0;}
C
cat >ctx.c <<'C'
#include <ucontext.h>
#include <stdio.h>
static ucontext_t a,b; static char st[65536];
static void f(void){ setcontext(&a);}
int main(void){
	volatile int n=0;
	getcontext(&b); b.uc_stack.ss_sp=st; b.uc_stack.ss_size=sizeof st; b.uc_link=0; makecontext(&b,f,0);
	swapcontext(&a,&b);
	n++;
	if(n<3) setcontext(&a);
	printf("n=%d\n",n);
	return 0;
}
C
cat >nul.c <<'C'
#include <signal.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
static sigjmp_buf jb;
static void h(int s){ siglongjmp(jb,1);}
int main(void){
	struct sigaction a; memset(&a,0,sizeof a); a.sa_flags=SA_SIGINFO; a.sa_handler=h; sigaction(SIGSEGV,&a,0);
	void (*volatile f)(void)=0;
	if(!sigsetjmp(jb,1)) f();
	puts("survived");
	return 0;
}
C
for cc in gcc clang; do for o in -O0 -O2; do
	for p in fp ctx nul; do
		$cc $o -w $p.c -o plain
		tally build --quiet --counters=edges,calls $cc $o -w $p.c -o counted
		alike "$cc $o $p" ./plain ./counted
	done
done; done
# As people call it: no blank after -o, and options in a file.
printf '\t.text\n\t.globl main\n\t.type main, @function\nmain:\n\txorl %%eax, %%eax\n\tret\n' >m.s
tally build --quiet as -om.o m.s && [ -s m.o ] && [ ! -e a.out ]
echo '-o n.o m.s' >args
tally build --quiet as @args && [ -s n.o ]
