# Repositories that are not whole, or odd: what a checkout would have otherwise is refused, what can be read is measured.

config()
{
	printf 'build: "%s"\nrun: {instructions: "off"}\nbenchmarks:\n  b: {command: "cat data.txt", repeats: 1, warmup: 0, allocations: false, metrics: {n: {regex: "n=([0-9]+)"}}}\n' \
		"${1:-true}" >perfevo.yml
}
track()
{
	perfevo track --no-open --no-confirm --quiet "$@" >"$case_dir/out" 2>&1
}
values()
{
	db "SELECT group_concat(value, ' ') FROM (SELECT m.value FROM measurements m JOIN revisions v ON v.id = m.revision
		WHERE m.metric = 'n' ORDER BY v.subject)"
}

# A commit whose author libgit2 cannot parse is passed over.
new_repo
config
for i in 1 2 3; do
	echo "n=$i" >data.txt
	save "c$i"
	[ "$i" = 1 ] || continue
	printf 'tree %s\nparent %s\nauthor A a@example.org 1 +0000\ncommitter C <c@example.org> 1 +0000\n\nbad\n' \
		"$(git write-tree)" "$(git rev-parse HEAD)" >"$case_dir/bad"
	git update-ref HEAD "$(git hash-object -t commit -w --literally "$case_dir/bad")"
done
track --last 3 || fail "a malformed commit: $(cat "$case_dir/out")"
same "values beside a malformed commit" "1.0 2.0 3.0" "$(values)"
perfevo track --no-open --no-confirm --last 3 >"$case_dir/out" 2>&1
has "what was passed over" "$case_dir/out" "1 commit of the range cannot be parsed and is passed over"
perfevo track --no-open --no-confirm --last 2 >"$case_dir/out" 2>&1
has_not "it is not in the newest two" "$case_dir/out" "passed over"

# Another branch has values, HEAD's own history has none.
git checkout -q -b side HEAD~3
git commit -q --allow-empty -m aside
perfevo log --all >"$case_dir/out" || fail "log --all: $(cat "$case_dir/out")"
has "values of another branch" "$case_dir/out" "c3"
git checkout -q main

# Without the trees of old commits, what is here is measured.
git config uploadpack.allowfilter true
git clone -q --filter=tree:0 "file://$PWD" "$case_dir/treeless" 2>"$case_dir/err"
cd "$case_dir/treeless" || exit 1
store=$PWD/.git/perfevo/perfevo.db
config
track --last 2 || fail "a treeless clone: $(cat "$case_dir/out")"
same "values of a treeless clone" "3.0" "$(values)"
has "what is not here" "$case_dir/out" "left out of this partial clone"

# A build that asks git finds no repository above the cache, and its log names the cure.
cd "$case_dir" || exit 1
git init -q "$HOME"
git -C "$HOME" commit -q --allow-empty -m dotfiles
cd "$case_dir/repo" || exit 1
config 'git rev-parse HEAD'
track --last 1 || true
perfevo show >"$case_dir/out"
has "the log of a build that asks git" "$case_dir/out" "trees of commits have no .git"
rm -rf "$HOME/.git"

# A submodule that HEAD has no more is not brought by 'git submodule update'.
git clone -q . "$case_dir/repo/gone"
git -c advice.addEmbeddedRepo=false add gone 2>/dev/null
printf '[submodule "gone"]\n\tpath = gone\n\turl = ../repo\n' >.gitmodules
save "with"
git rm -q -f --cached gone .gitmodules
rm -rf gone .gitmodules .git/modules
save "without"
config
track --last 2 || true
has "how to get it" "$case_dir/out" "HEAD has it no more: run 'git clone --bare"
