# What builds and setups leave outside of their tree is shared by all commits, which are all built before any is measured:
# each run reads what its own commit left, or is refused with the file's path, and none is taken for an identical build.

outside=$PWD/outside
mkdir -p "$outside" && git init -q repo && cd repo
store=$PWD/.git/perfevo/perfevo.db
cat >build.sh <<END
cp prog.sh "$outside/"
mkdir -p "$outside/\$(cat number)"
cp number "$outside/\$(cat number)/n"
ln -sfn "\$(cat number)" "$outside/current"
END
common="repeats: 2, warmup: 1, metrics: {n: {regex: 'n=([0-9]+)', deterministic: true}}"
cat >perfevo.yml <<END
build: sh build.sh
sandbox: off
run: {instructions: 'off'}
benchmarks:
  installed: {command: sh $outside/prog.sh, $common}
  linked: {command: 'echo n=\$(cat $outside/current/n)', $common}
  set-up: {command: 'echo n=\$(cat $outside/data)', setup: cp number $outside/data, allocations: false, $common}
  guarded: {command: 'echo n=\$(cat $outside/once)', setup: 'test -f $outside/once || cp number $outside/once', $common}
  logged: {command: 'echo run >>$outside/log; echo n=\$(cat number)', $common}
END
for n in 100 200 300; do
	echo $n >number
	echo "echo n=$n" >prog.sh
	save "$n"
done

# values BENCHMARK: of the commits that have any
values()
{
	db "SELECT DISTINCT v.subject || '=' || cast(m.value AS integer) FROM measurements m
		JOIN revisions v ON v.id = m.revision WHERE m.metric = 'n' AND m.benchmark = '$1' ORDER BY 1" | xargs
}
right='100=100 200=200 300=300'

perfevo track --no-open --no-confirm >"$case_dir/out" 2>"$case_dir/err" || fail "track: $(cat "$case_dir/err")"
for one in installed linked set-up logged; do
	same "$one" "$right" "$(values $one)"
done
case $(values guarded) in
*=*=* | 100=[23]* | 200=[13]* | 300=[12]*) fail "guarded has values of another commit: $(values guarded)" ;;
esac
has "what is done" "$case_dir/err" "lies outside of the trees, where all commits share it"
perfevo show HEAD~1 >"$case_dir/show" 2>&1 || true
tr -s ' \n' ' ' <"$case_dir/show" >"$case_dir/words"
has "the place" "$case_dir/words" "guarded reads $outside/once, outside of its tree"

# A later session finds kept builds, and outside of them what the last one left.
perfevo track --no-open --no-confirm --again -b installed >"$case_dir/out" 2>"$case_dir/err" || fail "again: $(cat "$case_dir/err")"
same "again" "$right" "$(values installed)"

# What a kept build left, and somebody removed since, is made again.
rm "$outside/prog.sh"
perfevo track --no-open --no-confirm --again -b installed >"$case_dir/out" 2>"$case_dir/err" || fail "removed: $(cat "$case_dir/err")"
has_not "what is removed" "$case_dir/err" "wrong exit status"
perfevo check >"$case_dir/check" 2>&1 || true
tr -s ' \n' ' ' <"$case_dir/check" >"$case_dir/words"
has "check" "$case_dir/words" "which its commits write outside of their trees and share"
ends 1 perfevo ci --base HEAD~2 -b installed -q
