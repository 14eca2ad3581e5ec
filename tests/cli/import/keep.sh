# Profiles are kept as those of a benchmark at one commit: shown, exported, and left alone by what is collected.
command -v sqlite3 >/dev/null || exit 77
empty_repo
echo '{build: "true", benchmarks: {a: ./a, b: ./b}}' >perfevo.yml
save first
save second
printf 'main;f 5\nmain 2\n' >../one
printf 'main;f 7\nmain 2\n' >../two
perfevo import ../one 2>&1 || echo "status $?"
perfevo import -b c ../one 2>&1 || echo "status $?"
perfevo import -b a --rev nowhere ../one 2>&1 || echo "status $?"
perfevo import -b a --rev HEAD~ ../one ../two 2>&1 | sed 's/[0-9a-f]\{10\}/@ID@/'
perfevo profile -b a --format folded HEAD~ 2>/dev/null
perfevo profile -b a HEAD~ 2>../err >/dev/null
cat ../err
perfevo export --profile -b a HEAD~
perfevo export --profile HEAD~
perfevo export --profile -b b HEAD~ 2>&1 | sed 's/[0-9a-f]\{10\}/@ID@/g'
perfevo export --profile --as flded HEAD~ 2>&1 | sed 's/; there are .*//'
perfevo export --as folded 2>&1 || echo "status $?"
perfevo export --profile --as speedscope -o ../out.json HEAD~ && grep -c speedscope ../out.json
perfevo export --profile --as pprof HEAD~ | gzip -dc | grep -c main
