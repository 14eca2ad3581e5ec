# P8: a build that puts a FIFO in place of a benchmark's input, and of what perfevo reads of its tree, holds nobody up; nor
# does a benchmark that stops the launcher.

empty_repo
perfevo_yml 'sh build.sh' \
	'reads: {command: cat, input: in, timeout: 2s, warmup: 0, repeats: 2, allocations: false}' \
	'stops: {command: sh stop.sh, timeout: 60s, warmup: 0, repeats: 2, allocations: false}' \
	'good: {command: "true", warmup: 0, repeats: 2, allocations: false}'
echo 'mkfifo in prog' >build.sh
echo 'sleep 1017 & kill -STOP "$(cut -d" " -f4 /proc/$PPID/stat)"; wait' >stop.sh
save one
timeout 600 perfevo track --quiet --no-open --no-confirm >../out 2>../messages || fail "track: $? $(cat ../messages)"
perfevo show HEAD >../shown
has 'the FIFO' ../shown 'its input is no file'
has 'the launcher' ../shown 'the launcher does not answer'
# What comes after it is measured all the same, by a fresh launcher.
same 'runs of the good one' 2 "$(perfevo export --samples | grep -c ',good,.*,wall' || true)"
if pgrep -f 'sleep 1017' >/dev/null; then
	pgrep -af 'sleep 1017' | head -3
	fail 'a process was left behind'
fi
