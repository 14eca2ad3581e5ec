# What perfevo relies on, each damaged in turn: the doctor says so and ends with 1, and --fix mends what can be mended
# without loss. With nothing wrong it ends with 0 and changes nothing.
export PERFEVO_SANDBOX=off

# told WHAT TEXT: it is wrong; mended WHAT TEXT: --fix mends it, and nothing is wrong afterwards
told()
{
	ends 1 perfevo doctor
	grep '^wrong ' ../out >../wrong
	has "$1" ../wrong "$2"
}

mended()
{
	told "$1" "$2"
	has "$1, and the cure" ../wrong 'perfevo doctor --fix'
	ends 0 perfevo doctor --fix
	grep '^mended ' ../out >../cured
	has "$1, mended" ../cured "$2"
	ends 0 perfevo doctor
}

git init -q empty
cd empty
ends 0 perfevo doctor
has 'a new repository' ../out 'none yet'
has 'without a config' ../out "run 'perfevo init'"
[ ! -e .git/perfevo ] && [ ! -e "$HOME/cache/perfevo" ] || fail 'the doctor made something'
cd ..

measured_repo
store=.git/perfevo/perfevo.db
cache=$HOME/cache/perfevo
ends 0 perfevo doctor
has 'the store' ../out ', intact'
has 'kept builds' ../out ': 5 kept builds'
perfevo doctor --format json | grep -q '^{"format":1,"wrong":0,"findings":\[{"kind":"fact","area":"config",' || fail 'no JSON'
cp -r .git/perfevo ../before

# Databases: none of them is touched.
sick()
{
	name=$1
	text=$2
	sum=$(cksum <../copy.db)
	ends 1 perfevo doctor --fix --store "$PWD/../copy.db"
	grep '^wrong ' ../out >../wrong
	has "$name" ../wrong "$text"
	same "$name is left alone" "$sum" "$(cksum <../copy.db)"
}
sqlite3 $store 'VACUUM INTO "../whole.db"'
copy() { cp ../whole.db ../copy.db; }
copy
dd if=/dev/urandom of=../copy.db bs=4096 seek=3 count=2 conv=notrunc 2>/dev/null
sick 'random bytes' copy.db
head -c 40000 ../whole.db >../copy.db
sick 'a file cut short' copy.db
head -c 20000 /dev/urandom >../copy.db
sick 'no database' copy.db
copy
sqlite3 ../copy.db 'PRAGMA user_version = 999'
sick 'a newer one' 'upgrade perfevo'
copy
sqlite3 ../copy.db 'CREATE VIEW strange AS SELECT 1'
sick 'a view of its own' "view 'strange'"
copy
sqlite3 ../copy.db 'PRAGMA foreign_keys = OFF; DELETE FROM revisions WHERE key = 2'
sick 'rows without their commit' 'rows refer to rows that are not there'
sqlite3 ../other.db 'PRAGMA application_id = 7; CREATE TABLE t (a)'
mv ../other.db ../copy.db
sick "another program's" 'another program'

chmod o+w $store
mended 'a database that others may write' 'everybody may write'

# Locks.
flock --no-fork "$cache/measure.lock" sleep 600 &
holder=$!
until ! flock -n "$cache/measure.lock" true; do sleep 0.05; done
ends 0 perfevo doctor
has 'somebody who measures is not disturbed' ../out 'kept builds were not looked at'
kill $holder
wait $holder || :
until flock -n "$cache/measure.lock" true; do sleep 0.05; done

# The cache.
chmod g+w "$cache"
mended 'a cache that others may write to' 'put programs into it'

# Hooks.
perfevo hooks install >/dev/null
ends 0 perfevo doctor
has 'hooks' ../out 'post-commit, pre-push, pre-commit'
chmod -x .git/hooks/pre-push
mended 'a hook that git passes over' 'pre-push may not be executed'
echo '# mine' >>.git/hooks/post-commit
ends 0 perfevo doctor
has 'an edited hook' ../out 'post-commit was edited'
mkdir ../bin
for program in git sh cat sed grep cksum; do ln -s "$(command -v $program)" ../bin; done
perfevo=$(command -v perfevo)
ends 1 env PATH="$PWD/../bin" "$perfevo" doctor
has 'hooks that find no perfevo' ../out 'not on PATH'
perfevo hooks remove >/dev/null 2>&1

# The config.
echo 'benchmark: {}' >>perfevo.yml
told 'a config that cannot be read' "perfevo.yml:"
git checkout -q perfevo.yml
ends 0 perfevo doctor
grep -q 'perfevo.yml: 1 benchmark$' ../out || fail \"not perfevo.yml: 1 benchmark\"
printf 'tests: ctest\nsuites: {micro: {command: ./micro}}\n' >>perfevo.yml
ends 0 perfevo doctor
grep -q 'perfevo.yml: 1 benchmark, 1 suite and the tests of ctest$' ../out || fail \"not perfevo.yml: 1 benchmark, 1 suite and the tests of ctest\"
printf 'build: "true"\nsuites: {micro: {command: ./micro}, other: {command: ./other}}\n' >perfevo.yml
ends 0 perfevo doctor
grep -q 'perfevo.yml: 2 suites$' ../out || fail \"not perfevo.yml: 2 suites\"
git checkout -q perfevo.yml
same 'what was measured' "$(sqlite3 ../before/perfevo.db .dump | cksum)" "$(sqlite3 $store .dump | cksum)"
