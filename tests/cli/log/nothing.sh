# Looking at what is not there makes nothing.
empty_repo
save start
for command in log show export; do
	perfevo $command || echo "status $?"
done
test ! -e .git/perfevo
