# languages.sh - Fortran, Ada and OpenMP, where there are compilers for them.
cat >f.f90 <<'F'
program p
  implicit none
  integer :: i, s
  s = 0
  do i = 1, 100
    if (mod(i, 3) == 0) then
      s = s + twice(i)
    else
      s = s - 1
    end if
  end do
  print *, s
  call deep(3)
contains
  integer function twice(n)
    integer, intent(in) :: n
    twice = 2 * n
  end function
  recursive subroutine deep(n)
    integer, intent(in) :: n
    if (n == 0) stop 12
    call deep(n - 1)
  end subroutine
end program
F
cat >omp.c <<'C'
#include <stdio.h>
static volatile int k = 7;
__attribute__((noinline)) static int f(int i) { return i % k == 3 ? i : -1; }
int main(void)
{
	long s = 0;
	int i;
#pragma omp parallel for reduction(+ : s)
	for (i = 0; i < 100000; i++)
		s += f(i);
	printf("%ld\n", s);
	return 0;
}
C
cat >hello.adb <<'A'
with Ada.Text_IO; use Ada.Text_IO;
procedure Hello is
   S : Integer := 0;
   procedure Bad (N : Integer) is
   begin
      if N > 2 then
         raise Constraint_Error;
      end if;
      S := S + N;
   end Bad;
begin
   for I in 1 .. 10 loop
      begin
         Bad (I);
      exception
         when Constraint_Error => S := S - 1;
      end;
   end loop;
   Put_Line (Integer'Image (S));
end Hello;
A
tried=
exact() {
	tally print --compare >out 2>err && grep -q ' [1-9][0-9]* blocks compared, 0 differences' out || { echo "$1"; cat out err; exit 1; }
	tried="$tried $1"
}
if command -v gfortran >/dev/null; then
	for o in -O0 -O2; do
		rm -rf tally.out
		tally build --quiet --counters=check gfortran $o f.f90 -o f
		./f >out 2>&1 || [ $? = 12 ]
		grep -q 3299 out
		exact "gfortran$o"
		[ $o = -O2 ] || tally print | grep -q '^ *33  *s = s + twice(i)' || { tally print; exit 1; }
	done
fi
if command -v gnatmake >/dev/null; then
	rm -rf tally.out
	tally build --quiet --counters=check gnatmake -q -O1 hello.adb
	[ "$(./hello)" = -5 ]
	exact gnatmake
fi
if echo 'int main(void) { return 0; }' | gcc -fopenmp -x c - -o t 2>/dev/null; then
	rm -rf tally.out
	tally build --quiet --counters=check gcc -O2 -fopenmp omp.c -o omp
	[ "$(OMP_NUM_THREADS=16 ./omp)" = 714221429 ]
	exact openmp
	[ "$(tally print -f 2>/dev/null | awk '$1 == "f" { print $2 }')" = 100000 ]
fi
echo "#$tried"
[ -n "$tried" ] || { echo 'no such compilers'; exit 77; }
