/* asm - every kind of it.   std: gnu89 gnu17 */
#include <stdio.h>

__asm__(".globl from_asm\n"
	"from_asm: lea 1(%rdi),%eax; ret");
int from_asm(int);
extern int renamed(int) __asm__("from_asm");
static int thing __asm__("another_name") = 4;

__attribute__((naked)) static int
bare(void)
{
	__asm__("mov $7,%eax; ret");
}

static int
jumps(int n)
{
	__asm__ goto("test %0,%0; jz %l[zero]" : : "r"(n) : "cc" : zero); /*= 2 */
	return 1;
zero:
	return 0; /*= 1 */
}

int
main(void)
{
	register int kept __asm__("r12") = 5; /*= 1 */
	int x = 1, y;

	__asm__ volatile("" : "+r"(kept));
	__asm__ __volatile__("mov %1,%0\n\t"
			     "add $1,%0"
			     : "=&r"(y)
			     : "r"(x ? x + 1 : 0), "i"(sizeof x > 2 ? 3 : 4)
			     : "cc", "memory");
	if (y)
		__asm__ volatile("nop"); /*= 1 */
	else
		__asm__(""); /*= 0 */
	printf("%d %d %d %d %d %d %d\n", y, kept, jumps(0), jumps(1), from_asm(1), renamed(2), thing + bare()); /*= 1 */
	return 0;
}
