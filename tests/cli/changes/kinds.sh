# One commit for each way in which a method changes, and for what is no change.
empty_repo
cat >a.c <<'END'
#include <stdio.h>

static int twice(int x)
{
	return 2 * x;
}

/* Prints one line. */
void print(const char *text)
{
	puts(text);
}

int sum(const int *values, int n)
{
	int total = 0;

	for (int i = 0; i < n; i++)
		total += twice(values[i]) / 2;
	return total;
}
END
save root && git tag root
sed -i 's/2 \* x/x + x/' a.c
save modify && git tag modify
cat >>a.c <<'END'

int largest(const int *values, int n)
{
	int best = values[0];

	for (int i = 1; i < n; i++)
		if (values[i] > best)
			best = values[i];
	return best;
}
END
save add && git tag add
sed -i 's/\blargest\b/maximum/' a.c
save rename && git tag rename
{ sed -n '/^int maximum/,/^}/p' a.c; } >b.c
sed -i '/^int maximum/,/^}/d' a.c
save move && git tag move
sed -i '/^void print/,/^}/d' a.c
save delete && git tag delete
sed -i 's/^\tint total = 0;/\n    int  total=0 ;/; s/^}/\n}/' a.c
save reformat && git tag reformat
sed -i 's|^int sum|/* Adds up what a\n * user gave. */\nint sum|; s|return total;|return total; /* done */|' a.c
save comment && git tag comment
save nothing && git tag nothing
for subject in root modify add rename move delete reformat comment nothing; do
	perfevo changes "$subject"
done
echo '# each, in lines'
perfevo changes --each -s
echo '# from the first to the last'
perfevo changes HEAD~8..HEAD
echo '# and back: added and deleted change places'
perfevo changes HEAD..HEAD~8 -s
echo '# some kinds only'
perfevo changes HEAD~8..HEAD -k deleted -k added
perfevo changes -k created || echo "status $?"
