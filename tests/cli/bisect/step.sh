# Inside `git bisect run`, with a bad commit and without, and all by itself.
line_repo
commits 1 9 100
commits 10 16 110

git bisect start c16 c1 >/dev/null 2>&1
git bisect run perfevo bisect --step --good c1 --bad c16 >log 2>&1
grep -o 'is the first bad commit' log | head -n 1
git show -s --format=%s refs/bisect/bad
git bisect reset >/dev/null 2>&1

# judged COMMIT: what a step says of it
judged()
{
	git checkout -q "$1"
	status=0
	perfevo bisect --step --good c1 --min-change 4% 2>/dev/null || status=$?
	echo "$1 $status"
}
judged c1
judged c4
judged c12
git checkout -q main
echo 'exit 3' >prog.sh
save 'break the benchmark'
git tag broken
judged broken
