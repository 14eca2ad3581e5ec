# A main branch and a topic branch, whose benchmark prints a figure of its own.
# shellcheck shell=sh
# shellcheck source=tests/cli/lib.sh
. "$CASE_DIR/../lib.sh"

# figures FIGURE: what the benchmark prints from now on
figures()
{
	echo "echo score $1" >prog.sh
}

# topic_repo: main at 100 points, with a commit that topic does not have; topic is checked out where it left
topic_repo()
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
    allocations: false
    metrics:
      score: {unit: points, better: lower, regex: 'score ([0-9]+)'}
END
	echo 'exit 0' >build.sh
	figures 100
	save start
	git switch -q -c topic
	git switch -q main
	figures 50
	save 'main goes on'
	git switch -q topic
}

# Figures of fresh runs say how many there were; the machine is left out.
ci()
{
	perfevo ci --base main --no-profile "$@" || echo "status $?"
}
