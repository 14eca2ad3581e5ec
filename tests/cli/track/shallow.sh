# A shallow clone ends where it was cut: what is there is measured, and that it was cut is said.

new_repo
history 6
plain_config
cp perfevo.yml "$case_dir/kept.yml"
git clone -q --depth 3 "file://$case_dir/repo" ../shallow
cd ../shallow
cp "$case_dir/kept.yml" perfevo.yml
store=$case_dir/shallow/.git/perfevo/perfevo.db
perfevo track --last 5 >"$case_dir/out" 2>"$case_dir/err" </dev/null || fail "exit status $?"
same "revisions" 'c4 c5 c6 ' "$(measured)"
has "that the clone is shallow" "$case_dir/err" shallow
