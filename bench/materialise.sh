#!/bin/sh
# What a commit's tree costs: perfevo's fill beside `git worktree add` (a new tree for every commit) and beside
# `git checkout` with `git clean` in one worktree (from commit to commit, as fill does), in turns. git's figures
# hold the start of its processes, which is part of using it. The ratio is the median of the rounds' ratios.
#
#   bench/materialise.sh BUILD_DIR [REPOSITORY [COMMITS [ROUNDS]]]
#
# The repository is cloned first and not touched; without one, a history of 2,000 files is generated. Trees that were
# written are deleted at the end: for minutes after thousands of files went, ext4 takes several times as long to make one.
set -eu

build=${1:?"usage: bench/materialise.sh BUILD_DIR [REPOSITORY [COMMITS [ROUNDS]]]"}
repository=${2:-}
commits=${3:-20}
rounds=${4:-3}
driver=$build/bench/pe_bench_materialise

[ -x "$driver" ] || { echo "materialise: $driver is not built (-DPERFEVO_BENCH=ON)" >&2; exit 125; }

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
copy=$dir/copy

# 2,000 files of about 2 KB in 100 folders; each commit changes five of them and touches a sixth's folder.
generate()
{
	awk -v commits="$commits" 'BEGIN {
		for (c = 0; c <= commits; c++) {
			printf "commit refs/heads/main\ncommitter A <a@example.org> %d +0000\n", 1700000000 + c * 60
			printf "data %d\n%s\n", length("commit " c), "commit " c
			n = c == 0 ? 2000 : 5
			for (i = 0; i < n; i++) {
				f = c == 0 ? i : (c * 389 + i * 7) % 2000
				text = ""
				for (l = 0; l < 60; l++)
					text = text "static int f" f "_" l "(void) { return " (f * l + c) "; }\n"
				printf "M 100644 inline src/d%02d/f%04d.c\ndata %d\n%s\n", f % 100, f, length(text), text
			}
		}
	}' | git -C "$1" fast-import --quiet
}

if [ -n "$repository" ]; then
	git clone -q --no-checkout "$repository" "$copy"
else
	git init -q "$copy"
	generate "$copy"
	git -C "$copy" symbolic-ref HEAD refs/heads/main
	repository="a generated history"
fi

ids=$(git -C "$copy" rev-list --first-parent --reverse -n "$((commits + 1))" HEAD)
first=${ids%%"
"*}
n=$(($(echo "$ids" | wc -l) - 1))
[ "$n" -gt 0 ] || { echo "materialise: the history has a single commit" >&2; exit 125; }

# Put a tree away.
put_away()
{
	away=$((${away:-0} + 1))
	mv "$1" "$dir/away.$away"
	git -C "$copy" worktree prune
}

now()
{
	date +%s%N
}

# Milliseconds of one `git worktree add`, in the mean over the first five commits; taking the trees away is not
# timed.
worktrees()
{
	spent=0
	added=0
	for id in $ids; do
		[ "$added" -lt 5 ] || break
		begin=$(now)
		git -C "$copy" worktree add -q --detach "$dir/one" "$id"
		spent=$((spent + $(now) - begin))
		added=$((added + 1))
		put_away "$dir/one"
	done
	echo "$spent $added" | awk '{ printf "%.3f\n", $1 / 1e6 / $2 }'
}

# Milliseconds a commit of going from one to the next in a worktree.
checkouts()
{
	begin=$(now)
	for id in $ids; do
		[ "$id" = "$first" ] && continue
		git -C "$dir/tree" checkout -q -f --detach "$id"
		git -C "$dir/tree" clean -q -x -d -f
	done
	echo "$begin $(now) $n" | awk '{ printf "%.3f\n", ($2 - $1) / 1e6 / $3 }'
}

round=0
while [ "$round" -lt "$rounds" ]; do
	# shellcheck disable=SC2086 # one argument an id
	"$driver" "$copy" "$dir/slot" $ids >>"$dir/ours"
	put_away "$dir/slot"
	rm "$dir/slot.manifest"
	worktrees >>"$dir/worktrees"
	git -C "$copy" worktree add -q --detach "$dir/tree" "$first"
	checkouts >>"$dir/checkouts"
	put_away "$dir/tree"
	round=$((round + 1))
done

# Of the numbers on standard input.
median()
{
	sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# Median of the rounds' ratios of two columns of the joined file.
ratio()
{
	paste -d ' ' "$dir/ours" "$dir/worktrees" "$dir/checkouts" | awk -v a="$1" -v b="$2" '{ print $a / $b }' | median
}

printf '%s: %s files, %s commits, %s files written a commit, median of %s rounds, ms per commit:\n' "$repository" \
	"$(git -C "$copy" ls-tree -r --name-only HEAD | wc -l)" "$n" "$(cut -d ' ' -f 3 "$dir/ours" | median)" "$rounds"
printf '%-36s %10.2f\n' 'perfevo, a new tree' "$(cut -d ' ' -f 1 "$dir/ours" | median)"
printf '%-36s %10.2f\n' 'git worktree add, a new tree' "$(median <"$dir/worktrees")"
printf '%-36s %10.2f\n' 'perfevo, from commit to commit' "$(cut -d ' ' -f 2 "$dir/ours" | median)"
printf '%-36s %10.2f\n' 'git checkout and clean' "$(median <"$dir/checkouts")"
printf '%-36s %10.2f\n' 'new tree: perfevo/git worktree add' "$(ratio 1 4)"
printf '%-36s %10.2f\n' 'next commit: perfevo/git checkout' "$(ratio 2 5)"
printf '%-36s %10.2f\n' 'next commit: perfevo/git worktree add' "$(ratio 2 4)"
