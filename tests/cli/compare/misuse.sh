# What cannot be compared is said before anything is built.
project
say()
{
	perfevo compare -q "$@" 2>&1
	echo "status $?"
}
set +e
say
say HEAD HEAD
say HEAD gone
say HEAD HEAD HEAD
say --min-change much HEAD
say --overlap 1.5 HEAD~1
say --stages --format md HEAD
say --worktree HEAD HEAD
say -b nothing HEAD~1 HEAD
say --match loose HEAD
cd ..
say HEAD~1
