# What was known well enough after a part of its repeats is so for those who pull it: they run nothing again.
# shellcheck source=tests/cli/confirm/lib.sh
. "$CASE_DIR/../confirm/lib.sh"

noisy_repo 4 100 0 0.1
sed -i 's/repeats: 4/repeats: 16/' perfevo.yml
track 0 --last 3
same "cells that had enough" 'c2|5 c3|5 c4|15 ' "$(db "SELECT v.subject, c.rounds FROM batch_cells c
	JOIN revisions v ON v.key = c.revision WHERE c.enough ORDER BY 1" | tr '\n' ' ')"
git init -q --bare -b main "$case_dir/hub.git"
git remote add origin "$case_dir/hub.git"
git push -q origin main
perfevo push -q >"$case_dir/out"

git clone -q "$case_dir/hub.git" "$case_dir/other"
cp perfevo.yml "$case_dir/other"
cd "$case_dir/other"
store=$case_dir/other/.git/perfevo/perfevo.db
echo perfevo.yml >>.git/info/exclude
perfevo pull -q >"$case_dir/out"
before=$(cat "$runs")
track 0 --last 3
same "runs of a track of what was pulled" "$before" "$(cat "$runs")"
track 0 --last 3 --all
same "runs of the pushed and of --all" 48 "$(db "SELECT count(*) FROM measurements WHERE metric = 'score'")"
store_is_whole
