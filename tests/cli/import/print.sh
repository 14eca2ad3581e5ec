# A profile is shown without a repository, from standard input, and compressed; what is broken is named.
cat >stacks <<'END'
main;parse;token 5
main;parse 2
main;write 3
END
perfevo import --print -q stacks
perfevo import -pq --hot -n 2 - <stacks
gzip -k stacks
perfevo import -p --format folded stacks.gz
perfevo import -p --format folded --input-format folded stacks
for what in '--input-format flded stacks' 'stacks stacks' '' '--hot --format folded stacks' none; do
	code=0
	perfevo import -p $what >out 2>&1 || code=$?
	sed "s/; there are .*//" out
	echo "status $code"
done
printf 'main;parse five\n' >broken
perfevo import -p --input-format folded broken 2>&1 || echo "status $?"
perfevo import stacks 2>&1 || echo "status $?"
