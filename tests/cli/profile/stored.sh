# A profile is collected once: then it is loaded, until --again. One of another mode is another profile.
# Build variants lie apart from timed ones, and go with the cache.
needs gcc sqlite3
empty_repo
sources
echo '{build: "echo built >>$PERFEVO_ROOT/../builds; gcc -O2 prog.c work.c -o prog", benchmarks: {prog: {command: [./prog], repeats: 2, warmup: 0}}}' >perfevo.yml
save first

builds()
{
	echo "$1: $(wc -l <../builds) builds, $(sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM profiles') profiles"
}

perfevo track --quiet --no-open >/dev/null
builds track
calls >../one
builds counting
calls >../two
diff ../one ../two && builds again
calls --again >../two
diff ../one ../two && builds --again
perfevo profile -q >/dev/null
builds 'counting and samples'
perfevo profile -q --hot -n 1 >/dev/null
perfevo export --profile --as folded -w calls | LC_ALL=C sort >../two
diff ../one ../two && builds exported
perfevo track --quiet --no-open >/dev/null
builds 'track again'
sqlite3 .git/perfevo/perfevo.db 'SELECT count(DISTINCT recipe) FROM builds'
(cd "$XDG_CACHE_HOME"/perfevo/*/ && echo slots/* variants/*)
perfevo gc -q --cache
# What compilers said of themselves is remembered there too, unless they are started through ccache.
find "$XDG_CACHE_HOME/perfevo" -mindepth 1 -maxdepth 1 ! -name compilers -printf '%f\n'
perfevo profile -q --format folded -w calls | LC_ALL=C sort >../two
diff ../one ../two && builds 'without the cache'
git status --short
