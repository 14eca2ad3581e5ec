# What a sandbox gives and what it keeps: trees are written to, what lies outside is not; the log of what fails names
# the line of the config that would give it; each mode is a series of its own.

unshare -Urmpf --mount-proc true 2>/dev/null || exit 77

mkdir -p "$HOME/.ssh" "$HOME/data"
echo secret >"$HOME/.ssh/id"
echo harmless >"$HOME/data/input"
empty_repo
cat >build.sh <<'END'
echo built >product
cat "$HOME/.ssh/id" 2>/dev/null && echo 'LEAK: a key'
ls "$PERFEVO_ROOT/.git/perfevo/perfevo.db" 2>/dev/null && echo 'LEAK: the store'
echo private >/tmp/note && echo private >"$TMPDIR/note"
[ "$(stat -c %d /tmp)" = "$(stat -c %d /dev/shm)" ] || echo 'LEAK: each folder has memory of its own'
cat "$HOME/data/input" 2>&1
echo x >"$PERFEVO_ROOT/written"
END
perfevo_yml 'sh build.sh' 'one: {command: cat product, warmup: 0, repeats: 2, allocations: false}'
save first

# tried MODE: what `check` says of the build under it
tried()
{
	PERFEVO_SANDBOX=$1 perfevo check >"../$1.txt" 2>&1 || true
}

tried off
has 'nothing is confined' ../off.txt 'sandbox   off'
rm -f written
tried auto
has 'auto is told' ../auto.txt 'sandbox   auto'
has 'auto reads the home folder' ../auto.txt harmless
has 'auto writes nothing outside' ../auto.txt 'Read-only file system'
has_not 'auto hides keys' ../auto.txt LEAK
[ ! -e written ] || fail 'auto wrote into the tree of the user'
tried require
has 'require is told' ../require.txt 'sandbox   require'
has_not 'require hides keys' ../require.txt LEAK
has_not 'require has no home folder' ../require.txt harmless
[ ! -e written ] || fail 'require wrote into the tree of the user'

# The line of the config that the log names is the cure.
has 'the log names the cure' ../auto.txt "write: [$PWD/written]"
sed -i '$d' build.sh
echo 'cat "$HOME/.ssh/id" || exit 1' >>build.sh
save 'a secret'
tried auto
has 'auto names what it hides' ../auto.txt "'sandbox: {read: [$HOME/.ssh/id]}' would"
sed -i '$d' build.sh
echo "cat \"$HOME/data/input\" || exit 1" >>build.sh
save second
tried require
has 'require names what to read' ../require.txt "'sandbox: {read: [$HOME/data/input]}' would"
printf 'sandbox: {mode: require, read: [~/data]}\n' >>perfevo.yml
perfevo check >../named.txt 2>&1 || true
has 'what is named is read' ../named.txt 'build     built in'
has 'and the benchmark runs' ../named.txt '  one   '

# Another mode is another series: nothing is reused, and no change is seen.
perfevo track --quiet --no-open --no-confirm --last 1 >/dev/null
perfevo track --dry-run --last 1 >../same.txt 2>&1
has 'the same mode is known' ../same.txt '0 revisions to measure'
PERFEVO_SANDBOX=off perfevo track --dry-run --last 1 >../other.txt 2>&1
has 'results of a sandbox are none of another mode' ../other.txt '1 revision to measure'
