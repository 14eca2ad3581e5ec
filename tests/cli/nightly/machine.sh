# News of a night on a machine that is slower than in the nights before: what the code did and what the machine did are
# told apart, also in the log of a night without regressions.
watched_repo
sed -i 's/unit: points/unit: ns/' perfevo.yml
echo 100 >../speed
# timed SUBJECT: a commit that takes $figure, or what of it the machine needs, in percent
timed()
{
	echo "echo score \$(($figure * \$(cat \"$PWD/../speed\") / 100)) # $1" >prog.sh
	save "$1"
}
git checkout -q --orphan timed
timed one
timed two
timed three
timed four
night
sqlite3 .git/perfevo/perfevo.db "UPDATE batches SET created_s = strftime('%s', '2024-03-01')"
moved()
{
	grep -h '^machine drift' .git/perfevo/nightly/*.log | tail -n 1
}
echo "# a slow night"
echo 120 >../speed
timed five
night
moved
sqlite3 .git/perfevo/perfevo.db "UPDATE batches SET created_s = strftime('%s', '2024-03-02')"
echo "# a slower commit, and a machine that is what it was at first"
echo 100 >../speed
figure=1500
timed six
night
sed 's/[0-9a-f]\{10\}/COMMIT/g; s/^[0-9a-f]\{8\} /COMMIT /; s/  \[[^]]*\]/  [INTERVAL]/; s|^report: .*|report: FILE|' ../night.out
sqlite3 :memory: "SELECT value ->> 'metric', round(100 * (value ->> 'relative'), 1), value ->> 'cells', value ->> 'since'
	FROM json_each(readfile('../news.json')) WHERE key = 'machine_drift'"
