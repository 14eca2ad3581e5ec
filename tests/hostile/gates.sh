# What cannot be measured passes no gate: states of HEAD against the three that judge it. P9.
#   0 no regression, 1 regression, 125 cannot be told; a push is stopped by a confirmed regression alone, and told the rest.

empty_repo
cat >perfevo.yml <<'END'
build: sh build.sh
metrics: {wall: {judge: false}, max-rss: {judge: false}}
benchmarks:
  score:
    command: sh prog.sh
    timeout: 5s
    warmup: 0
    repeats: 2
    allocations: false
    metrics:
      score: {unit: points, better: lower, deterministic: true, regex: 'score ([0-9]+)'}
END
echo 'exit 0' >build.sh
echo 'echo score 100' >prog.sh
save start
hub
git branch -q base
perfevo hooks install --pre-push >/dev/null 2>&1

saved= # HEAD is committed already

status_of()
{
	status=0
	"$@" >>../out 2>&1 || status=$?
	echo "$status"
}

# judged STATE TRACK CI PUSH: HEAD as it is now, then back to the base
judged()
{
	: >../out
	[ -n "$saved" ] || save "$1" 2>/dev/null
	saved=
	track=$(status_of perfevo track --quiet --no-open --no-confirm --last 2 --fail-on-regression)
	ci=$(status_of perfevo ci --base base --no-profile --budget 20s)
	push=$(status_of git push -q origin HEAD:main)
	same "$1 (track ci push)
$(cat ../out)" "$2 $3 $4" "$track $ci $push"
	git reset -q --hard base
	git -C ../hub.git update-ref refs/heads/main "$(git rev-parse base)"
}

echo 'echo score 100 # the same' >prog.sh
judged 'as before' 0 0 0
echo 'echo score 200' >prog.sh
judged 'worse' 1 1 1
echo 'exit 3' >build.sh
judged 'does not build' 125 125 0
echo 'echo oops; exit 7' >prog.sh
judged 'another exit status' 125 125 0
echo 'kill -SEGV $$' >prog.sh
judged 'crashes' 125 125 0
echo 'sleep 600' >prog.sh
judged 'times out' 125 125 0
echo 'echo nothing' >prog.sh
judged 'a metric is missing' 125 125 0
refused=$({
	git ls-tree HEAD
	printf '160000 commit %s\tlost\n' "$(git rev-parse HEAD)"
	printf '100644 blob %s\t.gitmodules\n' \
		"$(printf '[submodule "lost"]\n\tpath = lost\n\turl = ../lost\n' | git hash-object -w --stdin)"
} | git mktree)
git update-ref HEAD "$(git commit-tree -p HEAD -m refused "$refused")"
saved=1
judged 'a tree that is refused' 125 125 0

# The base cannot be measured: nothing was compared.
echo 'exit 3' >build.sh
save 'a base that does not build'
git branch -q -f base
git push -q --no-verify origin HEAD:main
echo 'exit 0' >build.sh
judged 'after a base that does not build' 0 125 0
