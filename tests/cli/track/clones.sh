# Repositories that are no plain clone. From a linked worktree the store is the repository's, so that what was measured is
# shared. A shallow clone ends where it was cut: what is there is measured, and that it was cut is said. A bare repository has
# no tree: the config comes from HEAD, or from --config.

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

cd ../repo
git clone -q --depth 3 "file://$case_dir/repo" ../shallow
cp perfevo.yml ../shallow/
cd ../shallow
store=$case_dir/shallow/.git/perfevo/perfevo.db
ends 0 perfevo track --last 5
same "revisions" 'c2 c3 c4 ' "$(measured)"
has "that the clone is shallow" "$case_dir/err" shallow

cd ../repo
git clone -q --bare . ../bare.git
cp perfevo.yml "$case_dir/elsewhere.yml"
: >.git/info/exclude
save "with config"
git clone -q --bare . ../configured.git

cd ../bare.git
store=$case_dir/bare.git/perfevo/perfevo.db
track 128 --last 2
has "no config, and the way out" "$case_dir/err" perfevo.yml
track 0 --last 2 --config "$case_dir/elsewhere.yml"
same "with --config" 'c3 c4 ' "$(measured)"

cd ../configured.git
store=$case_dir/configured.git/perfevo/perfevo.db
track 0 --last 2
same "with HEAD's config" 'c4 with config ' "$(measured)"
