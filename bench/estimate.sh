#!/bin/sh
# shellcheck disable=SC1091,SC2154 # made_history.sh sets what is used here
# How good is the estimate of `track --dry-run`? A few commits are tracked, so that something is known; then it is asked what
# more of them take, and they are tracked with a watch in hand. Printed: estimate, time, and time over estimate; exit
# status 1 when one is off by more than a quarter.
#
#   bench/estimate.sh BUILD_DIR [CASE...]                 every made one
#
#   sleeps      builds sleep for a second and runs for a tenth: no other load of the machine matters
#   setup       likewise with setup, cleanup and warm-ups that take longer than the runs
#   reused      likewise, and two commits in three build what the one before them built
#   jump        likewise, and one commit makes it slower: fresh runs confirm it
#   adaptive    sleeps, explored
#   REPOSITORY,CONFIG,FEW,MANY
#               one of yours: FEW commits are tracked first, then it is asked about MANY
#
# A real build shares the processors with whatever else runs: on a loaded machine say so with the figures (`load`).
set -eu

build=$(cd "${1:?usage: bench/estimate.sh BUILD_DIR [CASE...]}" && pwd)
shift
[ $# -gt 0 ] || set -- sleeps setup reused jump adaptive
here=$(cd "$(dirname "$0")" && pwd)
. "$here/made_history.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
history_env "$build" "$dir"

# made COMMITS SAME SLOWER: a history whose program is a script that sleeps; of SAME commits in a row one changes it, and
# from commit SLOWER on it sleeps half as long again
made()
{
	git init -q -b main "$dir/made"
	cd "$dir/made"
	i=0
	while [ "$i" -lt "$1" ]; do
		i=$((i + 1))
		long=0.1
		[ "$i" -lt "$3" ] || long=0.15
		printf '#!/bin/sh\n# %s\nsleep %s\n' "$((i / $2))" "$long" >prog.sh
		chmod +x prog.sh
		echo "$i" >number
		git add -A
		git commit -q -m "change $i"
	done
}

# config WARMUP REPEATS SETUP
config()
{
	cat >"$dir/perfevo.yml" <<END
build: {steps: sleep 1, ccache: false}
metrics:
  wall: {min-change: 10%}
  max-rss: {judge: false}
benchmarks:
  nap: {command: ./prog.sh, warmup: $1, repeats: $2, setup: sleep $3, cleanup: sleep $3}
END
}

# seconds TEXT: of '1 h 2 min', '3 min 4 s', '340 ms'
seconds()
{
	echo "$1" | awk '{
		for (i = 1; i < NF; i += 2)
			sum += $i * ($(i + 1) == "h" ? 3600 : $(i + 1) == "min" ? 60 : $(i + 1) == "ms" ? 0.001 : 1)
		print sum
	}'
}

# row NAME CONFIG FEW MANY [OPTION]: in the current folder
row()
{
	name=$1 config=$2 few=$3 many=$4
	shift 4
	"$perfevo" track --quiet --no-open --config "$config" --store "$dir/$name.db" --html "$dir/page.html" \
		--last "$few" >/dev/null
	"$perfevo" track --dry-run --config "$config" --store "$dir/$name.db" --last "$many" "$@" >"$dir/plan"
	about=$(sed -n 's/^about \(.*\) in all:.*/\1/p' "$dir/plan")
	[ -n "$about" ] || { echo "$name: no estimate:" >&2; tail -4 "$dir/plan" >&2; exit 128; }
	begin=$(date +%s.%N)
	"$perfevo" track --quiet --no-open --config "$config" --store "$dir/$name.db" --html "$dir/page.html" \
		--last "$many" "$@" >"$dir/out"
	end=$(date +%s.%N)
	awk -v name="$name" -v about="$(seconds "$about")" -v begin="$begin" -v end="$end" -v load="$(history_load)" '
	BEGIN {
		took = end - begin
		printf "%-10s estimate %7.1f s, took %7.1f s, ratio %.2f (%s)\n", name, about, took, took / about, load
		exit !(took <= 1.25 * about && about <= 1.25 * took)
	}' || missed=$((missed + 1))
	[ -z "${SHOW:-}" ] || tail -2 "$dir/plan"
}

missed=0
for case; do
	rm -rf "$dir/made" "$dir/cache"
	case $case in
	sleeps) made 24 1 100; config 1 6 0; row "$case" "$dir/perfevo.yml" 6 24 --all ;;
	setup) made 18 1 100; config 3 4 0.2; row "$case" "$dir/perfevo.yml" 6 18 --all ;;
	reused) made 24 3 100; config 1 6 0; row "$case" "$dir/perfevo.yml" 12 24 --all ;;
	jump) made 24 1 8; config 1 6 0; row "$case" "$dir/perfevo.yml" 8 24 --all ;;
	adaptive) made 80 1 100; config 1 6 0; row "$case" "$dir/perfevo.yml" 6 80 --adaptive ;;
	*,*,*,*)
		repository=${case%%,*} rest=${case#*,}
		file=$(realpath "${rest%%,*}") rest=${rest#*,}
		git clone -q "$repository" "$dir/made"
		cd "$dir/made"
		row "$(basename "$repository")" "$file" "${rest%%,*}" "${rest#*,}"
		;;
	*) echo "estimate: there is no case $case" >&2; exit 129 ;;
	esac
	cd "$here"
done
[ "$missed" -eq 0 ]
