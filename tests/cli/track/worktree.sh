# From a linked worktree the store is the repository's, so that what was measured is shared.

new_repo
history 4
git worktree add -q ../linked HEAD~1
plain_config
cp perfevo.yml ../linked/

cd ../linked
track 0 --last 2
same "HEAD is the worktree's" 'c2 c3 ' "$(measured)"
[ ! -e "$case_dir/repo/.git/worktrees/linked/perfevo" ] || fail "there is a store of the worktree alone"

cd ../repo
track 0 --last 3
same "what is measured already is shared" 'c2|prog|timed|measured|3
c3|prog|timed|measured|3
c4|prog|timed|measured|3' "$(counts)"
