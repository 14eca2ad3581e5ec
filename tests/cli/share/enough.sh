# What was known well enough after a part of its repeats is so for those who pull it, and what was measured adaptively is still
# known to be so. Their own machine measures anew.
. "$CASE_DIR/../confirm/lib.sh"

# elsewhere: push, and pull on another machine, in another clone
elsewhere()
{
	rm -rf "$case_dir/hub.git" "$case_dir/other"
	hub
	perfevo push -q >"$case_dir/out"
	git clone -q "$case_dir/hub.git" "$case_dir/other"
	cp perfevo.yml "$case_dir/other"
	cd "$case_dir/other"
	store=$case_dir/other/.git/perfevo/perfevo.db
	echo perfevo.yml >>.git/info/exclude
	on_machine other
	ends 0 perfevo pull -q
}

noisy_repo 4 100 0 0.1
sed -i 's/repeats: 4/repeats: 16/' perfevo.yml
track 0 --last 3
enough() { db "SELECT v.subject, c.rounds FROM batch_cells c
	JOIN revisions v ON v.key = c.revision WHERE c.enough ORDER BY 1" | tr '\n' ' '; }
same "cells that had enough" 'c2|5 c3|5 c4|15 ' "$(enough)"
elsewhere
same "cells that had enough elsewhere" 'c2|5 c3|5 c4|15 ' "$(enough)"
track 0 --last 3
same "machines with runs" 2 "$(db "SELECT count(DISTINCT machine) FROM batches")"
store_is_whole

on_machine here
rm -rf "$case_dir/repo"
noisy_repo 6 100 0 0.1
track 0 --last 6 --adaptive --max-runs 12
explored='SELECT count(*) FROM batch_cells WHERE role = 4'
cells=$(db "$explored")
[ "$cells" -gt 0 ] || fail "nothing was measured adaptively"
elsewhere
same "cells that were explored" "$cells" "$(db "$explored")"
store_is_whole
