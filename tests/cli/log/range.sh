# A range shows what all of history says of its commits: state and size of a jump do not depend on what is asked for.
. "$CASE_DIR/../confirm/lib.sh"

noisy_repo 12 7 10 1
perfevo track --quiet --no-open --last 12 >"$case_dir/out"

# jump COMMAND...: the jump's size and state, as it is written
jump()
{
	"$@" --format json >"$case_dir/json" || fail "$*"
	grep -o '"relative":[-0-9.e]*,"low":[-0-9.e]*,"high":[-0-9.e]*\|"state":"[a-z]*"' "$case_dir/json" | tr '\n' ' '
}

whole=$(jump perfevo export)
case $whole in *confirmed*) ;; *) fail "no jump: $whole" ;; esac
same "the jump in a range" "$whole" "$(jump perfevo export HEAD~7..HEAD~5)"
same "the jump in a log" "$whole" "$(jump perfevo log --no-graph HEAD~7..HEAD~5)"
same "revisions of the range" 2 "$(grep -o '"revision":"' "$case_dir/json" | wc -l)"
perfevo log HEAD~7..HEAD~5 >"$case_dir/out"
has "the graph" "$case_dir/out" "slower: "
same "the jump at the first commit of a range" "$whole" "$(jump perfevo export HEAD~6..HEAD~4)"
same "it is against the one before" '"first":1' "$(grep -o '"first":1' "$case_dir/json")"
same "commits of the table" 2 "$(perfevo export HEAD~6..HEAD~4 | sed 1d | cut -d, -f1 | sort -u | wc -l)"
perfevo export HEAD~5..HEAD --format json >"$case_dir/json"
has_not "a range after it" "$case_dir/json" '"state"'
ends 128 perfevo log HEAD~20..HEAD
