#!/bin/sh
# The first thing to run: install what is missing, build perfevo, make a history with two known jumps, and let
# perfevo find them. Takes a few minutes on two cores and leaves the report and the table.
#
#   try.sh [DIR]    DIR holds the history afterwards; build/sample by default
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
case ${1:-} in
'') sample=$root/build/sample ;;
/*) sample=$1 ;;
*) sample=$PWD/$1 ;;
esac

step()
{
	printf '\n== %s\n' "$*"
}

"$root/scripts/install-deps.sh" --build

step "building perfevo"
cd "$root"
mkdir -p build
cmake --preset release -DPERFEVO_TESTS=OFF >build/configure.log 2>&1 || {
	cat build/configure.log >&2
	exit 128
}
rm -f build/configure.log
cmake --build --preset release
perfevo=$root/build/release/cmd/perfevo

step "making a sample history in $sample"
if [ -d "$sample/.git" ]; then
	echo "it is there already: only what is missing will be measured"
else
	"$root/scripts/sample-history.sh" "$sample"
fi
cd "$sample"
slower=$(git rev-parse --short=7 slower)
faster=$(git rev-parse --short=7 faster)

step "measuring its last 30 commits: perfevo track --last 30"
"$perfevo" track --last 30

# found COMMIT BENCHMARK METRIC: what perfevo says of a known jump
found()
{
	line=$("$perfevo" show "$1" | grep "^$2 *$3.*\(regression\|improvement\)") &&
		echo "found: $(echo "$line" | grep -o '\(regression\|improvement\).*')" ||
		echo "not found: the machine may have been too busy; 'perfevo check' says how noisy it is"
}

step "what is known about this history"
cat <<END
Two of its commits move the benchmark 'words', and none moves 'lines':

  $slower  $(git log -1 --format=%s slower)
           slower by about a third (on some processors by an eighth)
           $(found slower words 'wall time')
  $faster  $(git log -1 --format=%s faster)
           nearly no allocations are left, and it is faster by about a tenth
           $(found faster words allocations)

One commit does not build, and the next one says why:

  $(git log -1 --format='%h  %s' ':/^main: add the usage')

To look further:

  cd $sample
  $perfevo log -b words
  $perfevo show slower
END
