# Of what could not be parsed nobody knows whether it has a changed method: that is said, and not that none changed.
empty_repo
# The parts between brackets that close nothing are no code that a grammar knows.
cat >a.c <<'END'
int kept(int x)
{
	return x;
}

int )( odd ) ( { [ gone(int x)
{
	return x + 1;
}
END
save first
sed -i '/odd/,$d' a.c
echo 'int )( odd ) ( { [ 1' >>a.c
save 'a function less in it'
perfevo changes | sed 1d >../out
has 'what is said' ../out 'no changed method was found; '
has 'of what' ../out 'could not be parsed (a.c)'
has 'what follows' ../out ': what changed there is not known'
same 'the same from the store' "$(cat ../out)" "$(perfevo changes | sed 1d)"
has_not 'what is not known' ../out 'no method changed'
