# The same trouble at many commits is noted once, with their number, and what to do about it.

git init -q -b main vendor
(cd vendor && echo one >file && save vendor)
new_repo
save "no vendor yet"
git -c protocol.file.allow=always submodule --quiet add "$case_dir/vendor" vendor/x
save c1
(cd vendor/x && echo two >file && save more)
save c2
history 2
git submodule --quiet deinit -f vendor/x
rm -rf .git/modules
plain_config

perfevo track --last 5 --no-open >"$case_dir/out" 2>"$case_dir/err"
same "what is noted of the submodule" \
	"submodule 'vendor/x' is not here: run 'git -C $PWD submodule update --init --recursive', or 'git -C $PWD config submodule.vendor/x.update none' to build without it (4 commits)" \
	"$(sed -n 's/^perfevo: //; /submodule/p' "$case_dir/err")"

# And of a benchmark that fails: the first commit has none of it.
git config submodule.vendor/x.update none
sed -i 's,command: .*,command: test ! -e vendor,' perfevo.yml
perfevo track --last 5 --no-open --no-confirm >"$case_dir/out" 2>"$case_dir/err"
same "what is noted of the benchmark" \
	"prog: wrong exit status (4 commits; 'perfevo show $(git rev-parse --short=10 HEAD~3)' prints the log of one)" \
	"$(sed -n "s/^perfevo: //; s/show [0-9a-f]*'/show $(git rev-parse --short=10 HEAD~3)'/; /prog:/p" "$case_dir/err")"
