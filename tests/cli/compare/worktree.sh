# The uncommitted tree is new: measured like a commit, once a content, and nothing of the repository is written.
project
state()
{
	find .git -type f ! -path '.git/perfevo/*' -exec sha1sum {} + | sort -k 2
}
perfevo compare -q --worktree 2>&1 || echo "status $?"
probe_thrice
echo '/* staged */' >>table.h
git add table.h
echo not tracked >notes
state >../before
perfevo compare --worktree -b small 2>../messages
grep -v 'done' ../messages
perfevo compare --worktree -b small >../again 2>../messages
cat ../messages
grep -c '300 calls' ../again
state >../after
diff ../before ../after && echo untouched
git status --short
git fsck --no-dangling
echo "--- another content is another new"
sed -i 's/i < 3/i < 4/' table.c
perfevo compare -q --worktree -b small | grep -o '100 → 400 calls'
echo "--- against an older commit"
save 'probe four times'
sed -i 's/i < 4/i < 5/' table.c
perfevo compare -q --worktree -b small HEAD~1 | grep -o '100 → 500 calls'
cd ..
git clone -q --bare repo bare.git
perfevo -C bare.git compare -q --worktree 2>&1 || echo "status $?"
