measured_repo
commits()
{
	perfevo log --metric score 2>&1 | sed -n 's/.*  20[0-9-]*  \(▲ \)\?//; T; s/  slower.*//; s/ (main)//; p'
}
echo "# a dry run drops nothing"
perfevo gc --keep-last 3 -n
commits
echo "# the last three stay"
perfevo gc -q --keep-last 3
commits
echo "# what is reachable stays, what is not goes"
perfevo gc -n --unreachable
tip=$(git rev-parse HEAD)
git switch -q -c aside HEAD~1
git branch -q -D main
perfevo gc -n --unreachable
git tag keep "$tip"
perfevo gc -n --unreachable
perfevo gc --keep-last 2 --unreachable || echo "status $?"
perfevo gc --before tomorow || echo "status $?"
