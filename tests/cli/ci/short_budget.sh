# A check that ended before its test had an estimate has the change of its values: the metric is not new.

git init -q -b main repo
cd repo
cat >perfevo.yml <<'YML'
build: 'true'
run: {instructions: 'off'}
benchmarks:
  b: {command: sh prog.sh, warmup: 0, allocations: false, metrics: {n: {regex: 'n=([0-9]+)'}}}
YML
for n in 100 200; do
	echo "sleep 0.2; echo n=$n" >prog.sh
	save "$n"
done
# 125 where nothing at all was decided
perfevo ci --base HEAD~1 --budget 2s --quiet >"$case_dir/out" 2>"$case_dir/err" || true
has "the check" "$case_dir/out" "100 → 200"
has_not "a metric that the base has" "$case_dir/out" " new "
