# A history that grows, watched every night. The benchmark prints a figure of its own.

# watched_repo: one commit of 1000 points; the news go to a file
watched_repo()
{
	empty_repo
	score_config 'sh build.sh' 5 'nightly:
  last: 20
  notify: {file: ../news.json}'
	echo 'exit 0' >build.sh
	figure=1000
	commit start
}

# commit SUBJECT: a commit whose benchmark prints $figure
commit()
{
	echo "echo score $figure # $1" >prog.sh
	save "$1"
}

# night: what the file of news says of the night, a line a regression
night()
{
	rm -f ../news.json
	perfevo nightly --quiet >../night.out 2>&1 || echo "status $?"
	[ ! -e ../news.json ] || sqlite3 :memory: "SELECT value ->> 'benchmark', value ->> 'subject', value ->> 'commits',
		round(100 * (value ->> 'relative')) FROM json_each(readfile('../news.json'), '\$.regressions')"
}
