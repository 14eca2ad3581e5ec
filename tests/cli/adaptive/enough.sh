# `repeats` is an upper bound: in little noise a commit's runs end after five, the newest one's after fifteen; what is
# known well enough is not run again, unless --all asks for every repeat.
. "$CASE_DIR/../confirm/lib.sh"

per_commit()
{
	db "SELECT v.subject, count(*) FROM measurements m JOIN revisions v ON v.id = m.revision
		WHERE metric = 'score' GROUP BY 1 ORDER BY 1" | tr '\n' ' '
}

noisy_repo 4 100 0 0.1
sed -i 's/repeats: 4/repeats: 16/' perfevo.yml
track 0 --last 4
same "runs a commit" 'c1|5 c2|5 c3|5 c4|15 ' "$(per_commit)"
before=$(cat "$runs")
track 0 --last 4
same "runs of a track with nothing to do" "$before" "$(cat "$runs")"
track 0 --last 4 --all
same "runs a commit, all of them" 'c1|16 c2|16 c3|16 c4|16 ' "$(per_commit)"

# In much noise, not even fifteen are enough.
rm -rf .git/perfevo
sed -i 's,0.1 / 100,9 / 100,' prog.sh
save c5
track 0 --last 3
same "runs a commit in much noise" 'c3|5 c4|5 c5|16 ' "$(per_commit)"
store_is_whole
