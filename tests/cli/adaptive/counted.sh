# Runs that count allocations are no part of the budget, which is of timed runs, and are not told as such.
# shellcheck source=tests/cli/confirm/lib.sh
. "$CASE_DIR/../confirm/lib.sh"

noisy_repo 20 11 10 1
sed -i '/allocations: false/d' perfevo.yml
said 0 --last 20 --max-runs 30 --no-confirm
timed=$(db 'SELECT count(*) FROM runs WHERE kind = 0')
same "runs that count allocations" 1 "$(db 'SELECT count(*) > 0 FROM runs WHERE kind = 1')"
same "the budget is used" 1 "$(db 'SELECT count(*) BETWEEN 25 AND 30 FROM runs WHERE kind = 0')"
has "what is said of it" "$case_dir/err" "by $timed timed runs"
