# 125: nothing could be measured, because no revision builds or because no benchmark runs.

new_repo
echo 'exit 1' >build.sh
history 3
plain_config
track 125 --last 3
same "runs" 0 "$(db 'SELECT count(*) FROM runs')"
same "failed builds" 3 "$(db 'SELECT count(*) FROM builds WHERE outcome = 2')"
# With nothing measured at all, the log is there all the same.
perfevo show -q HEAD >show.log
grep -q '^build failed' show.log || { echo "show does not tell of a build that failed"; cat show.log; }

sed -i 's/^build: .*/build: "true"/; s,\./prog,exit 9,' perfevo.yml
track 125 --last 3
same "measured runs" 0 "$(db 'SELECT count(*) FROM runs WHERE outcome = 0')"
