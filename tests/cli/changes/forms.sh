# A function that one build has as it is in the source, and the other in another form alone, as with an argument compiled into
# it, was recompiled.
command -v gcc >/dev/null || exit 77
empty_repo
cat >prog.c <<'END'
#ifndef FORM
#define FORM(name)
#endif
int twice(int n) FORM("twice.constprop.0");
__attribute__((noipa)) int twice(int n)
{
	return n + n;
}
__attribute__((noipa)) int same(int n)
{
	return n - 7;
}
int main(void)
{
	return twice(same(7));
}
END
cat >Makefile <<'END'
FLAGS = '-DFORM(name)=__asm__(name)'
prog:
	gcc -O2 -g $(FLAGS) -o prog prog.c
END
perfevo_yml 'make' 'prog: {command: [./prog]}'
save one
sed -i 's/^FLAGS.*/FLAGS =/' Makefile
save two
perfevo changes --code HEAD >../out
has 'recompiled' ../out 'indirect  twice '
has_not 'what is the same' ../out ' same '
has 'how many' ../out 'of 3 functions recompiled'
