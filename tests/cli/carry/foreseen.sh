# What a plan says that needs no build and no run needs none: a build that reads nothing says nothing of what the benchmark
# reads. That is known once it was looked at, by `check` or a first `track`; before, the plan says that it is not.
. "$CASE_DIR/../track/lib.sh"

new_repo
rm build.sh
chmod +x prog.sh
for i in 1 2 3 4 5; do echo "$i" >level && save "c$i"; done
for i in 1 2 3; do echo "$i" >README && save "doc $i"; done
perfevo_yml '[]' 'prog: {command: ./prog.sh, warmup: 0, repeats: 2}'
echo perfevo.yml >>.git/info/exclude

# planned: what a plan of the last six commits says
planned()
{
	perfevo track --dry-run --last 6 >"$case_dir/plan"
	grep -E 'to measure|need no' "$case_dir/plan"
}

# A build was made, and nobody saw what the benchmark reads.
perfevo shell HEAD -- true >"$case_dir/out" 2>"$case_dir/err" || fail "exit status $?: $(cat "$case_dir/err")"
same 'a plan before the benchmark was looked at' '6 revisions to measure: 6 builds, 24 runs
4 of 6 revisions may need no build and no run: no file that the build reads differs, and what the benchmarks read is seen when they run' \
	"$(planned)"

perfevo check --quiet >"$case_dir/out" 2>"$case_dir/err" || fail "exit status $?: $(cat "$case_dir/err")"
same 'a plan after a check' '6 revisions to measure: 3 builds, 16 runs
2 of 6 revisions need no build and no run: no file that the build or a benchmark reads differs from one that was built' \
	"$(planned)"
# How many builds turn out to be equal is not known before any was measured: what all takes is the most, then.
has 'what it takes' "$case_dir/plan" 'up to '
has 'what it takes' "$case_dir/plan" '(less where builds are identical: one of them is measured)'
track 0 --last 6
perfevo track --dry-run --last 8 >"$case_dir/plan"
has 'what more of them take' "$case_dir/plan" 'about '
has_not 'what more of them take' "$case_dir/plan" 'less where builds'
same 'revisions that were run' 3 "$(db 'SELECT count(DISTINCT revision) FROM runs')"
same 'revisions that were not' 3 "$(db 'SELECT count(*) FROM reused WHERE unbuilt')"
store_is_whole
