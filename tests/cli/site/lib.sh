# Two measured branches of an exact metric, for the cases of `site` and for tests/browser/test_site.mjs.
# shellcheck shell=sh
# shellcheck source=tests/cli/lib.sh
. "$SOURCE_DIR/tests/cli/lib.sh"

# figure N SUBJECT: a commit whose benchmark prints N
figure()
{
	echo "echo score $1" >prog.sh
	save "$2"
}

hostile='w/é&<b>"ñ'

# branches_repo: on main the score doubles at the third commit; a branch whose name has a slash, markup and no ASCII halves it, by
# a commit whose subject has markup
branches_repo()
{
	git init -q repo
	cd repo
	cat >perfevo.yml <<'END'
build: "true"
metrics:
  wall: {judge: false}
  max-rss: {judge: false}
benchmarks:
  score:
    command: sh prog.sh
    warmup: 0
    repeats: 2
    allocations: false
    metrics:
      score: {unit: points, better: lower, deterministic: true, regex: 'score ([0-9]+)'}
END
	figure 100 one
	figure 100 two
	figure 200 'double the score'
	figure 200 four
	perfevo track --quiet --no-open >/dev/null
	git switch -qc "$hostile" main
	figure 100 '</title><script>alert(1)</script> & ]]>'
	perfevo track --quiet --no-open >/dev/null
	git switch -q main
}
