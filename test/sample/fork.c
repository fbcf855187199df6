/* fork.c - a child counts for itself: nothing is lost, nothing twice.  roads: all
 * run: fork 40 | fork 1
 * with: -O0, -O2
 * always: -fno-inline */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int n;

static void work(void) { n++; }                                        //= 5400
static void repeat(int times) { while (times-- > 0) work(); }          //= 5481

int
main(int argc, char **argv)
{
	int i, status, deep = argc > 1 ? atoi(argv[1]) : 1;            //= 1
	pid_t pid;

	repeat(1000);                                                  //= 1
	for (i = 0; i < deep; i++) {                                   //= 41
		pid = fork();                                          //= 40
		if (pid == 0) {                                        //= 80
			repeat(100);                                   //= 40
			if (i % 2) {                                   //= 40
				fflush(stdout);                        //= 20
				_exit(0);                              //= 20
			}
			if (i % 4 == 2)                                //= 20
				execl("/bin/true", "true", (char *)0); //= 10
			exit(0);                                       //= 10
		}
		repeat(10);                                            //= 40
	}
	while (wait(&status) > 0)                                      //= 41
		if (status)                                            //= 40
			return 1;                                      //= 0
	return 0;                                                      //= 1
}
