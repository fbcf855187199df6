/* labels - before a closing brace, a case or each other; switches of all shapes. */
#include <stdio.h>

static int
duff(char *to, const char *from, int count)
{
	int n = (count + 3) / 4; //= 1

	switch (count % 4) {
	case 0: do { *to++ = *from++; /* falls through */ //= 0 2
	case 3: *to++ = *from++; /* falls through */ //= 3
	case 2: *to++ = *from++; /* falls through */ //= 3
	case 1: *to++ = *from++; //= 3
		} while (--n > 0);
	}
	return n;
}

static int
shapes(int n)
{
	switch (n) case 1: n = 10; //= 6 1
	switch (n)
	default:
		if (n > 9) //= 6
			n++; //= 1
	switch (n) { }
	switch (n) { n = 99; case 2: case 3: case 4: n += 10; } //= 1 2 3
	switch (n) {
	case 12: if (n) { //= 1
	case 5: n--; } //= 1 2
		else
	case 13: //= 0
		n++; //= 1
		break; //= 3
	case 6: { case 7: n += 2; } //= 0 0
	}
	for (;;) {
		switch (n) { //= 6
		case -1: break; //= 0
		default: goto out; //= 6
		}
	}
out: //= 0
	{ //= 6
		if (n < 12)
			goto end; //= 4
		n *= 2; //= 2
	end: ; //= 6
	}
	return n;
}

static int
falls(int n)
{
	int k = 0; //= 4

	switch (n) {
	case 0:
		if (k) //= 1
			k = 1; //= 0
		else
			k = 2; //= 1
		/* fall through */
	case 1: //= 1
	case 2: //= 2
		k++; //= 3
		__attribute__((fallthrough));
	default: k += 5; //= 3
		for (;;) { if (k) break; } //= 3 3
	case 3: k++; //= 3 4
	}
	switch (k) {
	case 1:
		if (n == 3) { k += 2; __attribute__((fallthrough)); } else { //= 1 1
			k += 3; //= 0
			__attribute__((fallthrough));
		}
	case 2: k++; //= 1
	}
	return k;
}

int
main(void)
{
	char to[16] = ""; //= 1

	duff(to, "0123456789", 11);
	puts(to);
	for (int i = 0; i < 6; i++)
		printf("%d ", shapes(i)); //= 6
	for (int i = 0; i < 4; i++) //= 1
		printf("%d ", falls(i)); //= 4
	if (to[0]) //= 1
		goto last; //= 1
	puts("not here"); //= 0
last:
	; //= 1
}
