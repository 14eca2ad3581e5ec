# Which revisions are measured: A..B, tags, a list on stdin, evenly spread steps, dates; and which benchmarks.

new_repo
history 9
git tag v1 HEAD~7
git tag -m 'an annotated one' v2 HEAD~3
git tag side HEAD~1
plain_config
sed -i 's/repeats: 3/repeats: 1/' perfevo.yml

# Each range has a store of its own; the builds are shared.
with_store()
{
	store=$case_dir/$1.db
	shift
	track 0 --store "$store" "$@"
}

with_store range HEAD~5..HEAD~2
same "A..B leaves A out" 'c5 c6 c7 ' "$(measured)"
perfevo track --no-open --no-confirm --store "$case_dir/range.db" HEAD~5..HEAD~2 >/dev/null 2>"$case_dir/err"
has "the change of the first commit" "$case_dir/err" "nothing before it is measured: what it changed is not known"
with_store range HEAD~6..HEAD~5
perfevo track --no-open --no-confirm --store "$case_dir/range.db" HEAD~5..HEAD~2 >/dev/null 2>"$case_dir/err"
has_not "the change of the first commit" "$case_dir/err" "nothing before it is measured"
with_store tags --tags
same "--tags" 'c2 c6 c8 ' "$(measured)"
with_store tagged_range --tags v1..v2
same "--tags A..B" 'c6 ' "$(measured)"
with_store since --since "@$((1700000000 + 7 * 60))"
same "--since" 'c7 c8 c9 ' "$(measured)"
with_store until --until "@$((1700000000 + 3 * 60))"
same "--until" 'c1 c2 c3 ' "$(measured)"
with_store both --since "@$((1700000000 + 4 * 60))" --until "@$((1700000000 + 5 * 60))"
same "--since and --until" 'c4 c5 ' "$(measured)"

store=$case_dir/stdin.db
printf '%s\n' HEAD v1 "$(git rev-parse HEAD~4)" |
	perfevo track --quiet --store "$store" --stdin >"$case_dir/out" 2>"$case_dir/err" ||
	fail "--stdin: exit status $?: $(cat "$case_dir/err")"
same "--stdin" 'c2 c5 c9 ' "$(measured)"

# Steps are counted over what is left to measure: the second time takes others.
with_store steps --last 9 --steps 3
same "--steps 3" 'c1 c5 c9 ' "$(measured)"
with_store steps --last 9 --steps 2
same "--steps 2 more" 'c1 c2 c5 c8 c9 ' "$(measured)"

track 128 no-such-branch
has "unknown revision" "$case_dir/err" "no-such-branch"
track 129 --last many
track 129 --no-such-option
