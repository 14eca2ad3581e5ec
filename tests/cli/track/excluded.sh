# Folders that no build needs are left out of the trees: their files are not asked for, and may be missing.

new_repo
mkdir -p testdata/large
echo "much of it" >testdata/large/video
echo 'test ! -e testdata/large && test -e testdata/small' >>build.sh
echo 1 >testdata/small
history 3
plain_config
rm -f ".git/objects/$(git rev-parse HEAD:testdata/large/video | sed 's|^..|&/|')"

track 125 --last 3
perfevo show HEAD >"$case_dir/shown" 2>&1 || true
has "the cure" "$case_dir/shown" "tree: {exclude: [testdata/large/]}"
same "runs without it" "" "$(counts)"
echo 'tree: {exclude: [testdata/large/]}' >>perfevo.yml
track 0 --last 3
same "runs" 'c1|prog|timed|measured|3
c2|prog|timed|measured|3
c3|prog|timed|measured|3' "$(counts)"
