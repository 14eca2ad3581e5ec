# What was measured adaptively travels, too, and is still known to be so.
. "$CASE_DIR/../confirm/lib.sh"

noisy_repo 6 100 0 0.1
track 0 --last 6 --adaptive --max-runs 12
explored='SELECT count(*) FROM batch_cells WHERE role = 4'
cells=$(db "$explored")
[ "$cells" -gt 0 ] || fail "nothing was measured adaptively"
git init -q --bare -b main "$case_dir/hub.git"
git remote add origin "$case_dir/hub.git"
git push -q origin main
perfevo push -q >"$case_dir/out"

git clone -q "$case_dir/hub.git" "$case_dir/other"
cp perfevo.yml "$case_dir/other"
cd "$case_dir/other"
store=$case_dir/other/.git/perfevo/perfevo.db
echo perfevo.yml >>.git/info/exclude
on_machine other
perfevo pull -q >"$case_dir/out" 2>&1 || fail "$(cat "$case_dir/out")"
same "cells that were explored" "$cells" "$(db "$explored")"
store_is_whole
