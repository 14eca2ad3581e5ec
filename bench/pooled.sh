#!/bin/sh
# Whether samples of neighbouring commits could be pooled: how far the own time of functions that are the same in all
# of them moves from build to build, beside what sampling explains. Each commit of a repository made on the spot adds
# an unused function of another length to every C file of a tree; nothing that is executed changes but its place. All
# builds are sampled in two sessions, the second one the other way round.
#
#   bench/pooled.sh BUILD_DIR REPOSITORY COMMAND RUN [BUILDS]
#
#   bench/pooled.sh build/release ~/lua 'make lua' './lua work.lua' 8
#
# COMMAND builds at the top of HEAD's tree, RUN is the benchmark's command. The repository is only read.
#
# Of each function with 1 % of the time or more: its share, and what moves it, in percent of its time: sampling alone
# (binomial), the sessions of one build, and what builds differ by beyond that. Then differences where nothing changed, of
# a build to the one that was sampled just before it, and to the mean of all others of the other session: their root
# mean square in errors of sampling, which would be 1, and how many are beyond 2.576 of them, which 1 % should be. An
# error of pooled samples that is worth having is smaller than that of a pair; the last column is their ratio.
set -eu

usage='usage: bench/pooled.sh BUILD_DIR REPOSITORY COMMAND RUN [BUILDS]'
build=$(cd "${1:?"$usage"}" && pwd)
repository=${2:?"$usage"}
command=${3:?"$usage"}
run=${4:?"$usage"}
builds=${5:-8}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir/home" XDG_CACHE_HOME="$dir/cache" PATH="$build/cmd:$PATH" GIT_CONFIG_NOSYSTEM=1
mkdir "$HOME" "$dir/tree"
git config --global user.name 'Ada Example'
git config --global user.email ada@example.org

# moved NUMBER: an unused function in front of every C file, as long as a number that differs from file to file
moved()
{
	find . -name '*.c' | sort | while read -r file; do
		seed=$(printf '%s %s' "$1" "$file" | cksum | cut -d' ' -f1)
		name=pe_moved_$(printf '%s' "$file" | cksum | cut -d' ' -f1)
		{
			echo "int $name(volatile int *x);"
			echo "int $name(volatile int *x) {"
			yes '*x += 3;' | head -n $((seed % 40))
			echo 'return *x; }'
			git show "start:$file"
		} >"$file"
	done
}

git -C "$repository" archive HEAD | tar -x -C "$dir/tree"
cd "$dir/tree"
git init -q
cat >perfevo.yml <<END
build: $command
benchmarks:
  work: {command: $run, warmup: 0, repeats: 1, profile: {mode: samples}}
END
git add -A
git commit -qm start
git tag start
for i in $(seq "$builds"); do
	moved "$i"
	git commit -qam "moved $i"
	git tag "b$i"
done
for session in 1 2; do
	for i in $(seq "$builds"); do
		[ "$session" = 1 ] && at=$i || at=$((builds + 1 - i))
		perfevo profile -q --again --format folded "b$at" >"$dir/folded" 2>"$dir/messages" ||
			{ cat "$dir/messages" >&2; exit 125; }
		awk -v b="$at" -v s="$session" '
			{ n = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, "") }
			$0 != "(waiting)" { self[$0] += n; total += n }
			END { for (f in self) printf "%s\t%d\t%d\t%.9f\n", f, b, s, self[f] / total }' "$dir/folded"
	done
done >"$dir/shares"

# Some 2000 samples a profile (docs/config.md, runs).
awk -F '\t' -v n="$builds" -v samples=2000 '
	{ share[$1, $2, $3] = $4; sum[$1] += $4 }
	function add(which, difference, variance) {
		square[which] += difference ^ 2 / variance
		error[which] += difference ^ 2 / one
		beyond[which] += difference ^ 2 > 2.576 ^ 2 * variance
		tests[which]++
	}
	function say(which, name) {
		printf "%-32s %9.2f %8.1f%% %9d\n", name, sqrt(square[which] / tests[which]),
			100 * beyond[which] / tests[which], tests[which]
	}
	END {
		table = "sort -t% -k1.33,1 -rn"
		printf "%-32s %7s %9s %9s %7s\n", "function", "share", "sampling", "sessions", "builds"
		for (f in sum) {
			p = sum[f] / (2 * n)
			if (p < .01) continue
			one = p * (1 - p) / samples
			within = between = all[1] = all[2] = 0
			for (b = 1; b <= n; b++) {
				all[1] += share[f, b, 1]
				all[2] += share[f, b, 2]
				within += (share[f, b, 1] - share[f, b, 2]) ^ 2 / 2 / n
				between += ((share[f, b, 1] + share[f, b, 2]) / 2 - p) ^ 2 / (n - 1)
			}
			layout = between > within / 2 ? between - within / 2 : 0
			printf "%-32s %6.1f%% %8.1f%% %8.1f%% %6.1f%%\n", substr(f, 1, 32), 100 * p,
				100 * sqrt(one) / p, 100 * sqrt(within) / p, 100 * sqrt(layout) / p | table
			for (b = 1; b <= n; b++)
				for (s = 1; s <= 2; s++) {
					if (b > 1)
						add("pair", share[f, b, s] - share[f, b - 1, s], 2 * one)
					others = (all[3 - s] - share[f, b, 3 - s]) / (n - 1)
					add("pooled", share[f, b, s] - others, one * n / (n - 1))
				}
		}
		close(table)
		printf "\n%-32s %9s %9s %9s\n", "differences of what is the same", "rms", "beyond", "of"
		say("pair", "to the build sampled before it")
		say("pooled", "to all others, pooled")
		printf "error of a pooled difference in that of a pair: %.2f; by sampling alone %.2f\n",
			sqrt(error["pooled"] / tests["pooled"] / (error["pair"] / tests["pair"])), sqrt(n / (n - 1) / 2)
	}' "$dir/shares"
