# A bare repository has no tree: the config comes from HEAD, or from --config.

new_repo
history 3
plain_config
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
same "with --config" 'c2 c3 ' "$(measured)"

cd ../configured.git
store=$case_dir/configured.git/perfevo/perfevo.db
track 0 --last 2
same "with HEAD's config" 'c3 with config ' "$(measured)"
