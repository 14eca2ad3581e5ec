#!/bin/sh
# How well machine code is compared, on a real repository. For each of the last commits: its build against its
# parent's; and against two builds of itself in a folder whose path is longer, where each recompiled function
# is a false one by construction:
#
#   comment  forty lines of comment before the first line of each C file: nothing may differ but __LINE__
#   moved    an unused function, variable and string before it: everything that follows moves
#
#   bench/code.sh BUILD_DIR REPOSITORY PROGRAM COMMAND [COMMITS]
#
#   bench/code.sh build/release ~/lua lua 'make' 20
#
# COMMAND builds PROGRAM at the top of a commit's tree. The repository is only read.
set -eu

usage='usage: bench/code.sh BUILD_DIR REPOSITORY PROGRAM COMMAND [COMMITS]'
build=${1:?"$usage"}
repository=${2:?"$usage"}
program=${3:?"$usage"}
command=${4:?"$usage"}
commits=${5:-10}
driver=$(cd "$build" && pwd)/bench/pe_bench_code

[ -x "$driver" ] || { echo "code: $driver is not built (-DPERFEVO_BENCH=ON)" >&2; exit 125; }

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# build_in FOLDER COMMIT [EDIT]
build_in()
{
	rm -rf "$1"
	mkdir -p "$1"
	git -C "$repository" archive "$2" | tar -x -C "$1"
	case ${3:-} in
	comment)
		find "$1" -name '*.c' | while read -r file; do
			{ yes '/* a line */' | head -n 40; cat "$file"; } >"$file.new"
			mv "$file.new" "$file"
		done
		;;
	moved)
		n=0
		find "$1" -name '*.c' | sort | while read -r file; do
			n=$((n + 1))
			{
				echo "const char *pe_said_$n(int x);"
				echo "int pe_seen_$n = $n;"
				echo "const char *pe_said_$n(int x) { pe_seen_$n += x; return \"moved by $n\"; }"
				cat "$file"
			} >"$file.new"
			mv "$file.new" "$file"
		done
		;;
	esac
	(cd "$1" && eval "$command") >"$dir/log" 2>&1 && [ -x "$1/$program" ]
}

newer=
printf '%-10s %-9s %-10s %9s %5s %7s %10s %5s %7s\n' commit against result unchanged added deleted recompiled lines ms
for commit in $(git -C "$repository" rev-list --first-parent -n "$((commits + 1))" HEAD); do
	short=$(echo "$commit" | cut -c1-10)
	if ! build_in "$dir/b/$commit" "$commit"; then
		echo "$short does not build" >&2
		newer=
		continue
	fi
	for edit in comment moved; do
		if build_in "$dir/a/longer/path/$edit" "$commit" "$edit"; then
			"$driver" "$dir/b/$commit/$program" "$dir/b/$commit" \
				"$dir/a/longer/path/$edit/$program" "$dir/a/longer/path/$edit" |
				awk -v c="$short" -v e="$edit" 'NR > 1 { print; next }
					{ printf "%-10s %-9s %-10s %9d %5d %7d %10d %5d %7.1f\n", c, e, $1, $2, $3, $4, $5, $6, $7 }'
		fi
	done
	if [ -n "$newer" ]; then
		"$driver" "$dir/b/$commit/$program" "$dir/b/$commit" "$dir/b/$newer/$program" "$dir/b/$newer" |
			awk -v c="$short" 'NR == 1 { printf "%-10s %-9s %-10s %9d %5d %7d %10d %5d %7.1f\n", c, "next", $1, $2, $3, $4, $5, $6, $7 }'
		rm -rf "$dir/b/$newer"
	fi
	newer=$commit
done
