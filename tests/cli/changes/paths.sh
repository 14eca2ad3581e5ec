# paths: chooses the files, with the patterns that git itself knows from .gitignore.
empty_repo
files='foo.c foo/a.c foo/foo.c src/foo.c src/foo/b.c src/deep/er/a.c src/a.gen.c lib/src/a.c lib/x/y/b.c
lib/[abc].c a.c b.c ab.c x-y.c -.c src.c build/a.c lib/build/z.c'
set -f # they are names, not patterns
for file in $files; do
	case $file in */*) mkdir -p "${file%/*}" ;; esac
	printf 'int f(void)\n{\n\treturn 0;\n}\n' >"./$file"
done
set +f
save root

# found: the files that perfevo reads
found()
{
	perfevo changes --format json | grep -o '"component":"[^"]*"' | cut -d'"' -f4 | LC_ALL=C sort
}

# config KEY PATTERN...
config()
{
	key=$1
	shift
	{
		echo 'benchmarks: {b: "true"}'
		echo 'paths:'
		echo "  $key:"
		for pattern; do echo "  - '$pattern'"; done
	} >perfevo.yml
}

found >all
echo "files: $(wc -l <all)"
different=0
for pattern in foo foo/ /foo /foo.c 'foo.c' '*.c' '*.gen.c' 'src/' 'src/*.c' 'src/*' '/src' '**/foo' '**/foo/' \
	'src/**' 'src/**/a.c' 'lib/**/b.c' '**/x/**/b.c' 'lib/**/' '?.c' '??.c' '[ab].c' '[!ab].c' '[^ab].c' '[a-c].c' \
	'[]-].c' '[a-].c' '\[abc\].c' '[[]abc].c' 'x[-]y.c' 'a**.c' 'lib/x' 'lib/x/' '*o/' 'build' '/build' 'b*d/a.c' \
	'**/er/a.c' '*/a.c' '**/a.c' 'none'; do
	git ls-files -i -c -x "$pattern" | LC_ALL=C sort >ignored
	config exclude "$pattern"
	found >excluded
	LC_ALL=C comm -23 all ignored | cmp -s - excluded || {
		different=1
		echo "'$pattern' does not leave out what git ignores"
	}
	config include "$pattern"
	found >included
	cmp -s ignored included || {
		different=1
		echo "'$pattern' does not take what git ignores"
	}
done
[ "$different" -ne 0 ] || echo 'as git has it'
echo '# both, and what was known by other paths is void'
printf 'benchmarks: {b: "true"}\npaths: {include: [src, lib], exclude: "*.gen.c"}\n' >perfevo.yml
found
