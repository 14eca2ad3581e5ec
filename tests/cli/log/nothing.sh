# Looking at what is not there makes nothing.
git init -q repo
cd repo
save start
for command in log show export; do
	perfevo $command || echo "status $?"
done
test ! -e .git/perfevo
