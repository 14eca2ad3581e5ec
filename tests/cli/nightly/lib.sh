# A history that grows, watched every night. The benchmark prints a figure of its own.
# shellcheck shell=sh
# shellcheck source=tests/cli/lib.sh
. "$CASE_DIR/../lib.sh"

# watched_repo: one commit of 1000 points; the news go to a file
watched_repo()
{
	git init -q repo
	cd repo
	cat >perfevo.yml <<'END'
build: sh build.sh
metrics:
  wall: {judge: false}
  max-rss: {judge: false}
benchmarks:
  score:
    command: sh prog.sh
    warmup: 0
    repeats: 5
    allocations: false
    metrics:
      score: {unit: points, better: lower, regex: 'score ([0-9]+)'}
nightly:
  last: 20
  notify: {file: ../news.json}
END
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
