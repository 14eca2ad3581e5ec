measured_repo
echo "# a jump"
perfevo show HEAD~2 | grep -v -e 'CPU' -e 'time' -e 'memory' -e 'faults' -e 'switches' -e 'bytes' |
	sed 's/^build  [0-9.]* m\?s$/build  TIME/'
echo "# a build that failed, with its log"
perfevo show HEAD~1
echo "# the same for programs"
perfevo show HEAD~2 --format json >../show.json
sqlite3 -separator ' | ' :memory: "SELECT j ->> '\$.format', j ->> '\$.revision.subject',
		j ->> '\$.revision.build_s' > 0, j ->> '\$.changes.subject',
		j ->> '\$.origin' IS NULL, json_array_length(j, '\$.failures') FROM (SELECT readfile('../show.json') j);
	SELECT value ->> 'benchmark', value ->> '\$.metric.name', value ->> '\$.point.median',
		value ->> '\$.change.against' = '$(git rev-parse HEAD~3)', value ->> '\$.change.relative',
		value ->> '\$.jump.state', value ->> '\$.jump.after' = '$(git rev-parse HEAD~2)'
		FROM json_each(readfile('../show.json'), '\$.values') WHERE value ->> '\$.metric.name' = 'score'"
perfevo show HEAD~1 --format json >../show.json
sqlite3 :memory: "SELECT value ->> 'outcome', value ->> 'benchmark' IS NULL, value ->> 'log'
	FROM json_each(readfile('../show.json'), '\$.failures')"
echo "# a commit that was not measured"
git switch -q -c aside
save aside
perfevo show || echo "status $?"
echo "# not a commit"
perfevo show nothing || echo "status $?"
perfevo show HEAD HEAD || echo "status $?"
