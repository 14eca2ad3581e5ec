# P8: folders that a build nests deeper than a process may have files open, and deeper than PATH_MAX, wedge neither the
# next commit nor gc. Names of 10 bytes: from a depth of 400 on, no path leads there.
command -v perl >/dev/null || exit 77

empty_repo
perfevo_yml '{steps: [sh build.sh], clean: always, parallel: 1}' \
	'prog: {command: "true", warmup: 0, repeats: 2, allocations: false}'
cat >build.sh <<'END'
perl -e 'for (1 .. 1200) { mkdir "nestednest" and chdir "nestednest" or die }' || exit 2
mkdir -p closed/in
chmod 0 closed
exit 1
END
save deep
echo 'exit 0' >build.sh
save shallow
# shellcheck disable=SC3045
ulimit -n 256
timeout 600 perfevo track --quiet --no-open --no-confirm >../out 2>../messages || fail "track: $? $(cat ../messages)"
has_not 'no wedge' ../messages 'cannot'
slot=$(echo "$HOME"/cache/perfevo/*/slots/0000/tree)
[ ! -e "$slot/nestednest" ] || fail 'the folders are still there'
timeout 600 perfevo gc --cache >../out || fail "gc: $?"

# The same where gc finds them.
git checkout -q HEAD~1
timeout 600 perfevo track --quiet --no-open --no-confirm --again >../out 2>../messages || true
[ -e "$slot/nestednest" ] || fail 'the build did not nest'
timeout 600 perfevo gc --cache >../out || fail "gc: $?"
[ ! -e "$slot" ] || fail 'gc left the cache'
