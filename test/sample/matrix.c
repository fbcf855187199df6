/* matrix.c - floating point in three loops.  roads: all  witness: callgrind gcov */
static double a[20][20], b[20][20], c[20][20];
int
main(void)
{
	int i, j, k;
	for (i = 0; i < 20; i++)                                //= 21
		for (j = 0; j < 20; j++)                        //= 420
			a[i][j] = i + j, b[i][j] = i - j;       //= 400
	for (i = 0; i < 20; i++)                                //= 21
		for (j = 0; j < 20; j++) {                      //= 420
			double s = 0;                           //= 400
			for (k = 0; k < 20; k++)                //= 8400
				s += a[i][k] * b[k][j];         //= 8000
			c[i][j] = s;                            //= 400
		}
	return c[3][4] != 1410;                                 //= 1
}
