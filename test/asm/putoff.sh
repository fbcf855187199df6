# putoff.sh - signals come all the time, on a stack of their own, while two threads leave frames by
# longjmp, and some handlers leave by siglongjmp, too: one that comes while frames are being
# recorded is put off, none is lost to the program, and the counts are exact.
cp "$HERE/more/putoff.c" storm.c
for cc in gcc clang; do
	tally build --quiet --counters=check $cc -O2 -pthread storm.c -o storm
	rm -rf tally.out
	./storm
	./storm
	./storm
	exact "$cc"
done
