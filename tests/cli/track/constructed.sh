# A table of constructed events (constructed.py), written into a store: every output lists each jump once, with the same class
# and the same numbers.
command -v python3 >/dev/null || exit 77
script=$CASE_DIR/constructed.py
new_repo
python3 "$script" history | git fast-import --quiet
git checkout -q -f main
perfevo track --last 1 --no-confirm -q --no-open >"$case_dir/first" 2>&1 || fail "track: $(cat "$case_dir/first")"
python3 "$script" fill "$store"
out=$case_dir/out
mkdir -p "$out/show"
runs=$(db 'SELECT count(*) FROM runs')
answer()
{
	perfevo track --all --last 200 --no-confirm --no-open -q "$@" 2>"$case_dir/err" || fail "track $*: $(cat "$case_dir/err")"
}
answer --format json >"$out/track.json"
answer --format md >"$out/track.md"
COLUMNS=120 answer >"$out/track.txt"
same 'nothing is measured' "$runs" "$(db 'SELECT count(*) FROM runs')"
cp .git/perfevo/report.html "$out/report.html"
perfevo export --events >"$out/events.csv"
perfevo status >"$out/status.txt"
perfevo log >"$out/log.txt"
# A third of the commits: each takes a start of the tool.
git log --first-parent --format='%H %s' main | grep -E ' event [0-9]*[147]$' | while read -r id _ number; do
	perfevo show --format json "$id" >"$out/show/$number.json" || fail "show $id"
done
python3 "$script" check "$out"
