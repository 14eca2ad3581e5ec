# Merges are compared with their first parent, roots with nothing; ranges follow first parents.
empty_repo
printf 'def common():\n    return 1\n' >common.py
save root
git switch -q -c side
printf 'def side():\n    return 2\n' >side.py
save side
git switch -q main
printf 'def common():\n    return 3\n' >common.py
save main
clock=$((clock + 60))
GIT_AUTHOR_DATE="$clock +0000" GIT_COMMITTER_DATE="$clock +0000" git merge -q --no-ff -m merge side
git tag release
echo '# the merge brings what the side did'
perfevo changes
echo '# a root is all new'
perfevo changes HEAD~2
echo '# the range leaves the side out'
perfevo changes --each -s
perfevo changes --each -s HEAD~1..release
perfevo changes --each -s -n 1
echo '# ends may be left empty'
perfevo changes -s main~1..
perfevo changes -s ..main~1
echo '# what is refused'
perfevo changes main...side || echo "status $?"
perfevo changes main..side side || echo "status $?"
perfevo changes -n 3 || echo "status $?"
perfevo changes nothing..main || echo "status $?"
perfevo changes main..relaese || echo "status $?"
echo '# a shallow clone ends where its history does'
git clone -q --depth 2 "file://$PWD" ../shallow
cd ../shallow
perfevo changes --each -s
perfevo changes HEAD~1 || echo "status $?"
perfevo changes -s HEAD~1..HEAD
git fetch -q --unshallow
perfevo changes --each -s
