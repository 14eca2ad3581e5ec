# What is amended or rebased away is not measured; what took its place is. git's variables lead nobody astray.

measured_project
perfevo hooks install --post-commit >/dev/null

# Runs of the commit to be amended wait for us.
mkfifo ../gate
cat >prog.sh <<END
: >"$PWD/../began"
read -r line <"$PWD/../gate"
echo score 100
END
commit 'to be amended'
running
old=$(git rev-parse HEAD)
figure 100
git commit -q -a --amend --allow-empty -m amended 2>/dev/null
idle
same 'the amended commit has no result' '' "$(result "$old")"
has 'the log says why' "$(hooks_dir)/worker.log" 'rewritten meanwhile'
same 'the new one has' pass "$(result HEAD)"

echo '--- rebase'
git checkout -q -b topic HEAD~1
for i in 1 2 3; do
	echo "$i" >"file$i"
	commit "topic $i"
done
git rebase -q main 2>/dev/null
idle
same 'the commits of the rebased branch' 'pass pass pass' "$(results HEAD HEAD~1 HEAD~2)"

echo '--- commit -a, a part, another index, from below, in another git directory'
figure 101
git commit -q -a -m 'all' 2>/dev/null
idle
same 'commit -a' pass "$(result HEAD)"
figure 102
echo more >extra
git add extra
mkdir -p below
(cd below && git commit -q ../prog.sh -m 'a part' 2>/dev/null)
idle
same 'commit of a part' pass "$(result HEAD)"
GIT_INDEX_FILE=$PWD/../index git read-tree HEAD
GIT_INDEX_FILE=$PWD/../index git commit -q --allow-empty -m 'by another index' 2>/dev/null
idle
same 'by another index' pass "$(result HEAD)"
same 'nothing was staged or changed' 'A  extra' "$(git status --porcelain -uno)"
mv .git ../elsewhere.git
git --git-dir=../elsewhere.git --work-tree=. commit -q --allow-empty -m 'another directory' 2>/dev/null
GIT_DIR=$PWD/../elsewhere.git
GIT_WORK_TREE=$PWD
export GIT_DIR GIT_WORK_TREE
idle
same 'in another git directory' pass "$(result HEAD)"
unset GIT_DIR GIT_WORK_TREE
mv ../elsewhere.git .git

echo '--- every command, with the variables of a hook'
other=$(git rev-parse HEAD)
GIT_DIR=.git GIT_INDEX_FILE=.git/no-such-index GIT_PREFIX=below/ GIT_QUARANTINE_PATH=/nowhere \
	GIT_OBJECT_DIRECTORY=/nowhere GIT_WORK_TREE=. perfevo track --last 2 --quiet --no-open | grep -c unchanged
GIT_DIR=.git GIT_INDEX_FILE=.git/no-such-index perfevo show "$other" | grep -c score
git status --porcelain -uno
