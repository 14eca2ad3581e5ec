# The graph: merges, the range, all branches, what is measured beside HEAD's line, JSON.
measured_repo
git checkout -q -b side HEAD~3
save 'beside the line'
git checkout -q main
clock=$((clock + 60))
GIT_AUTHOR_DATE="$clock +0000" GIT_COMMITTER_DATE="$clock +0000" git merge -q --no-ff -m "merge the side" side
echo "# back to the oldest that was measured"
perfevo log
echo "# the newest two; there are older ones"
perfevo log -n 2
echo "# a range, which ends where it was said to"
perfevo log HEAD~2..HEAD~1
echo "# another head"
git checkout -q -b other HEAD~2
save 'on another branch'
git checkout -q main
perfevo log --all -n 4
echo "# until then"
perfevo log --until @1704067300
echo "# for programs"
perfevo log --format json | grep -o '"lane":[0-9]*' | tr '\n' ' ' && echo
echo "# the steps of the first sector, as the config says"
echo 'spark: {methods: [2, 4, 8, 16, 32]}' >>perfevo.yml
perfevo log --format json | grep -o '"steps":[^]]*.'
echo "# what does not go together"
perfevo log --no-graph --all || echo "status $?"
perfevo log --format svg || echo "status $?"
perfevo log --since yesterday || echo "status $?"
