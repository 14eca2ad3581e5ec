# The user's checkout and git directory are the same, byte for byte, before and after: index, refs, objects,
# configuration, times. perfevo owns one folder in .git and nothing else.

new_repo
echo '*.o' >.gitignore
printf '* text=auto\n*.crlf text eol=crlf\n' >.gitattributes
printf 'one\ntwo\n' >text.crlf
ln -s text.crlf link
history 4
git tag v1
git branch other HEAD~2
plain_config

# Work in progress of every kind.
echo stashed >stashed
git -c core.safecrlf=false add stashed
git -c core.safecrlf=false stash -q
echo staged >staged
git -c core.safecrlf=false add staged
echo changed >>level
echo untracked >untracked
echo ignored >ignored.o
mkdir -p empty/folder

snapshot . >"$case_dir/before"
track 0 --last 4
track 0 --last 4 --again
snapshot . >"$case_dir/after"
diff "$case_dir/before" "$case_dir/after" || fail "the repository was changed"
[ -f "$store" ] || fail "there is no store"
git fsck --strict >/dev/null 2>&1 || fail "git fsck finds something wrong"
