# P7, P9: what the build or a run of a change leaves in folders in memory or as System V objects, confined, is not there for its
# base, and who makes his own folders unfit for others' mounts stops nobody else's measuring.
unshare -Urm true 2>/dev/null || exit 77
export PERFEVO_BACKGROUND=normal
unset CI
empty_repo

# config MODE: builds one after the other, by the launcher that starts the runs, too
config()
{
	printf '%s\n' "sandbox: $1" 'build: {steps: sh build.sh, parallel: 1}' 'metrics: {wall: {judge: false}, max-rss: {judge: false}}' \
		"benchmarks: {prog: {command: python3 prog.py, warmup: 0, repeats: 3, allocations: false, metrics: {score: {unit: points, better: lower, regex: 'score ([0-9]+)'}}}}" >perfevo.yml
}
cat >places.py <<'END'
import ctypes, glob, os
libc = ctypes.CDLL(None)
paths = [os.path.join(folder, 'plant') for folder in (os.path.expanduser('~'), '/tmp', '/var/tmp', '/run', '/dev/shm', os.environ.get('TMPDIR', '/tmp'))]
def plant():
    for path in paths:
        try: open(path, 'w').close()
        except OSError: pass
    libc.shmget(4711, 4096, 0o1666)
def planted(): return [path for path in paths if os.path.exists(path)] + ['System V'] * (libc.shmget(4711, 4096, 0) >= 0)
END
echo 'import places; print(places.planted(), "score", 300 if places.planted() else 100)' >prog.py
echo true >build.sh
config require
save base

# gate WHAT MODE: the change is three times as slow as its base, and that is said
gate()
{
	config "$2"
	save "$1"
	status=0
	perfevo ci --base base --no-profile >../out 2>&1 || status=$?
	same "$1, $2" 1 "$status"
	has "$1, $2" ../out '100 → 300'
	git reset -q --hard base
}
for mode in require auto; do
	config "$mode"
	save "base, $mode"
	git branch -qf base HEAD
	echo 'import places; places.plant(); print("score", 300)' >prog.py
	gate 'what a run leaves' "$mode"
	echo 'print("score", 300)' >prog.py
	echo "python3 -c 'import places; places.plant()'" >build.sh
	gate 'what a build leaves' "$mode"
done

# A commit is one holder: what its build leaves is there for its runs. The next one moves all that lies in its home folder.
config require
echo "python3 -c 'import places; places.plant()'" >build.sh
save own
cat >build.sh <<'END'
cd
for name in * .[a-z]*; do mv "$name" "x$name"; ln -s /usr "$name"; done
END
save moved
echo true >build.sh
save after
perfevo track --no-open --no-confirm --last 3 >../out 2>&1 || fail "track: $? $(cat ../out)"
same 'the three' '300 100 100' "$(sqlite3 .git/perfevo/perfevo.db "SELECT DISTINCT v.subject, CAST(m.value AS integer) FROM measurements m
	JOIN revisions v ON v.id = m.revision WHERE m.metric = 'score' AND v.subject IN ('own', 'moved', 'after') ORDER BY v.subject = 'after', v.subject = 'moved'" | cut -d '|' -f 2 | xargs)"
