#!/bin/sh
# How many cells (a benchmark at a commit) `track` does not run on a real history, and whether any of them is wrong.
#
#   bench/skips.sh BUILD_DIR CLONE CONFIG [COMMITS]     100
#   bench/skips.sh build/release cJSON bench/skips_cjson.yml
#
# A copy of the clone's last COMMITS commits is tracked with CONFIG (and the files beside it that have its name), in pieces
# of 50, of which each commit is looked at; then once more with --all, which runs all that was skipped. Printed are the
# shares of cells that were run, reused of identical builds, not built, and skipped (their builds differ); and of those that
# were skipped, how many of their exact counts are there, and how many differ from the source's by more than a change that
# is worth reporting: half of a per mille of simulated instructions, nothing of the others.
# Exit status 1 where any differs, or less than 70 % of the cells that the first commit does not need were left out.
#
# Needs sqlite3. PERFEVO_VALGRIND='' leaves out the simulated instructions, and counts allocations alone.
set -eu

usage='usage: bench/skips.sh BUILD_DIR CLONE CONFIG [COMMITS]'
build=$(cd "${1:?"$usage"}" && pwd)
clone=$(cd "${2:?"$usage"}" && pwd)
config=$(realpath "${3:?"$usage"}")
commits=${4:-100}

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
mkdir "$dir/home"
export HOME="$dir/home" XDG_CACHE_HOME="$dir/home/.cache" PERFEVO_BACKGROUND=normal
git clone -q "$clone" "$dir/repository"
cd "$dir/repository"
cp "${config%.*}".* .
mv "$(basename "$config")" perfevo.yml
store=.git/perfevo/perfevo.db

track()
{
	"$build/cmd/perfevo" track --no-confirm --no-open "$@" >"$dir/out" 2>"$dir/err" || {
		cat "$dir/err" >&2
		exit 1
	}
}

begun=$(date +%s)
at=$commits
while [ "$at" -gt 0 ]; do
	next=$((at > 50 ? at - 50 : 0))
	track "HEAD~$at..HEAD~$next"
	at=$next
done
echo "track: $(($(date +%s) - begun)) s"
cp "$store" "$dir/skipped.db"
begun=$(date +%s)
track --all --last "$commits"
echo "track --all: $(($(date +%s) - begun)) s"
grep -h 'although' "$dir/err" || true

sqlite3 "$dir/skipped.db" >"$dir/shares" <<'END'
WITH run AS (SELECT DISTINCT benchmark, revision FROM runs),
     cells AS (SELECT benchmark, revision, 0 AS kind FROM run
	UNION ALL SELECT benchmark, revision, CASE WHEN unbuilt THEN 2 WHEN skipped THEN 3 ELSE 1 END
	FROM reused WHERE (benchmark, revision) NOT IN run)
SELECT count(*), sum(kind = 0), sum(kind = 1), sum(kind = 2), sum(kind = 3), count(DISTINCT benchmark) FROM cells;
END
IFS='|' read -r cells run identical unbuilt skipped benchmarks <"$dir/shares"
echo "$cells cells of $benchmarks benchmarks: $run run, $identical identical, $unbuilt not built, $skipped skipped"

sqlite3 "$store" "ATTACH '$dir/skipped.db' AS before" '
WITH counts AS (SELECT r.benchmark, r.revision, s.metric, m.name, min(s.value) AS low, max(s.value) AS high
	FROM runs r JOIN samples s ON s.run = r.key JOIN metrics m ON m.key = s.metric
	WHERE m.name IN ("allocations", "allocated-bytes", "allocated-peak", "simulated-instructions") GROUP BY 1, 2, 3),
     pairs AS (SELECT a.name, a.low AS here, b.low AS there FROM before.reused c
	JOIN counts a ON a.benchmark = c.benchmark AND a.revision = c.revision
	JOIN counts b ON b.benchmark = c.benchmark AND b.revision = c.source AND b.metric = a.metric
	WHERE c.skipped AND a.low = a.high AND b.low = b.high)
SELECT count(*), coalesce(sum(abs(here - there) > CASE name WHEN "simulated-instructions" THEN 0.0005 * there ELSE 0 END), 0)
FROM pairs' >"$dir/counts"
IFS='|' read -r compared wrong <"$dir/counts"
echo "$compared exact counts of skipped cells: $wrong differ"
share=$((100 * (identical + unbuilt + skipped) / (cells - benchmarks)))
echo "left out, beyond the first commit: $share %"
[ "$wrong" = 0 ] && [ "$share" -ge 70 ]
