# Installed somewhere else, everything is found: the launcher, the counting library, the manual page of git.
cmake --install "$BUILD_DIR" --prefix "$PWD/prefix" >log 2>&1 || cat log
for file in bin/perfevo bin/git-perfevo share/man/man1/perfevo.1 share/man/man1/git-perfevo.1 \
	share/man/man1/perfevo-track.1 share/bash-completion/completions/perfevo \
	share/bash-completion/completions/git-perfevo share/zsh/site-functions/_perfevo \
	share/fish/vendor_completions.d/perfevo.fish; do
	test -s "prefix/$file" || echo "missing: $file"
done
# Every command of the table has its page, and the completions offer it.
perfevo help --names >names
test "$(wc -l <names)" -gt 20 || cat names
while read -r command; do
	test -s "prefix/share/man/man1/perfevo-$command.1" || echo "no manual page: $command"
	test "$command" != hook || continue # git calls it, not a user
	prefix/bin/perfevo completion --words -- perfevo '' | cut -f1 | grep -qx "$command" || echo "not completed: $command"
done <names
PATH=$PWD/prefix/bin:/usr/local/bin:/usr/bin:/bin
empty_repo
perfevo_yml '"true"' 'list: {command: ls, warmup: 0, repeats: 1}'
save start
git perfevo track --quiet --no-open >/dev/null
git perfevo log --metric wall --metric allocations --format csv | cut -d, -f4-9
