# V8 allocates a little more or less in each run: where two runs of equal code differ, its counts are judged as noise is, and
# a commit that changes nothing is no exact change.
command -v node >/dev/null || exit 77
new_repo
cat >perfevo.yml <<'END'
run: {instructions: off}
metrics: {wall: {judge: false}, max-rss: {judge: false}}
benchmarks:
  spin: {command: node bench.js, warmup: 0, repeats: 2}
END
cat >bench.js <<'END'
const kept = [];
// As a program with a clock or an address in what it computes does.
for (let i = 0; i < 20000 + (process.pid % 7) * 1000; i++) kept.push({i, s: 'x' + i});
console.log(kept.length);
END
for i in 1 2 3; do
	echo "// $i" >>bench.js
	save "c$i"
done
perfevo track --last 3 --no-open >"$case_dir/out" 2>"$case_dir/err" || fail "$(cat "$case_dir/err")"
has 'what is noise' "$case_dir/out" 'not exact: runs of one build differ in'
has_not 'equal code' "$case_dir/out" ', exact:'
