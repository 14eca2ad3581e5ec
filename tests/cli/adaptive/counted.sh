# Runs that count allocations are no part of the budget, which is of timed runs, and are not counted as such. How many
# commits are known is said while others are built, and log knows of a track at work.
. "$CASE_DIR/../confirm/lib.sh"

noisy_repo 20 11 10 1
sed -i 's/, allocations: false//' perfevo.yml
PERFEVO_FIRST_ANSWER=0 said 0 --last 20 --max-runs 30 --no-confirm
timed=$(db 'SELECT count(*) FROM runs WHERE kind = 0')
same "runs that count allocations" 1 "$(db 'SELECT count(*) > 0 FROM runs WHERE kind = 1')"
same "the budget is used" 1 "$(db 'SELECT count(*) BETWEEN 25 AND 30 FROM runs WHERE kind = 0')"
has "what is said of it" "$case_dir/err" "by $timed timed runs"

has "what is known of both ends" "$case_dir/err" "perfevo: so far 2 of 20 commits are known; no jump is seen yet"
same "no track is at work" 0 "$(db 'SELECT count(*) FROM activity')"
db "INSERT INTO activity SELECT key, 0, 3, 20 FROM machines LIMIT 1"
perfevo log --no-pager >/dev/null 2>"$case_dir/err"
has_not "one that was killed" "$case_dir/err" "at work"
flock "$store-lock" perfevo log --no-pager >/dev/null 2>"$case_dir/err"
has "one at work" "$case_dir/err" "perfevo: a track is at work: 3 of 20 revisions measured"
