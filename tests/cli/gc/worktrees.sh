# --unreachable keeps results of what the detached HEAD of any worktree leads to, from wherever it is started.
measured_repo
git worktree add -q --detach ../second HEAD
for tree in . ../second; do
	(
		cd "$tree"
		git checkout -q --detach
		git commit -q --allow-empty -m "detached in $tree"
		perfevo track --last 1 --all --quiet --no-open >/dev/null
	)
done
for tree in . ../second; do
	(cd "$tree" && perfevo gc --unreachable -n)
done
git worktree remove --force ../second
perfevo gc --unreachable -n
