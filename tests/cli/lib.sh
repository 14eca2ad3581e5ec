# What the cases share: repositories with fixed authors, dates and figures.
# shellcheck shell=sh
set -eu

git config --global user.name 'Ada Example'
git config --global user.email ada@example.org
git config --global init.defaultBranch main
clock=1704067200 # 2024-01-01, a minute a commit

# save SUBJECT: commit everything
save()
{
	clock=$((clock + 60))
	git add -A
	GIT_AUTHOR_DATE="$clock +0000" GIT_COMMITTER_DATE="$clock +0000" \
		git commit -q --no-verify --allow-empty -m "$1"
}

# measured_repo: six commits whose benchmark prints a figure of its own, measured. The figure doubles at the
# fourth commit, so everything that is shown of it is known beforehand. The fifth does not build.
measured_repo()
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
    repeats: 3
    allocations: false
    metrics:
      score: {unit: points, better: lower, regex: 'score ([0-9]+)'}
END
	echo 'exit 0' >build.sh
	for figure in 100 100 100 200; do
		echo "echo score $figure" >prog.sh
		save "score $figure"
	done
	echo 'echo no compiler here; exit 3' >build.sh
	save 'break the build'
	echo 'exit 0' >build.sh
	save 'mend the build'
	perfevo track --quiet --no-open --no-confirm >/dev/null
}

# as_terminal COMMAND: run it with a terminal of 80 columns for its output and messages
as_terminal()
{
	script -qec "stty cols 80 rows 40; $1" /dev/null </dev/null | tr -d '\r'
}
