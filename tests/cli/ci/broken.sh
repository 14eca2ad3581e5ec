# What does not build or run cannot be measured: 125, with the log. A base at which nothing runs leaves nothing to compare with: 125, too.
topic_repo
echo 'echo no compiler here; exit 3' >build.sh
save 'break the build'
ci --junit ../ci.xml
grep -c 'no compiler' ../ci.xml
echo 'exit 0' >build.sh
echo 'echo oops; exit 7' >prog.sh
save 'break the benchmark'
ci
echo "# it was broken before"
git branch -q before
figures 100
save mend
perfevo ci --base before --no-profile || echo "status $?"
