# Builds side by side: four are at work at one time and none beside a run; what is stored is what one lane stores; Ctrl-C
# and a kill leave no process and lose no build that was over; nor do they in a sandbox.

# The newest is not built alone before, to learn what builds cost.
export PERFEVO_PATIENCE=0
new_repo
log=$case_dir/log
mkdir "$log"
mark=86400.$$
# The first four wait for each other. To see what builds read, both ends and two between them come first: of eight commits
# the 1st, 3rd, 5th and 8th. While there is a file `hold`, the others wait for their end.
cat >build.sh <<END
read -r level <level
: >$log/at.\$level
echo "\$level \$PERFEVO_JOBS" >>$log/builds
n=0
while [ -e $log/meet ] && [ "\$(ls $log | grep -c '^at\.')" -lt 4 ] && [ \$n -lt 12000 ]; do
	sleep 0.05
	n=\$((n + 1))
done
ls $log | grep -c '^at\.' >>$log/seen
rm -f $log/meet
[ ! -e hold ] || case \$level in 2 | 4 | 6 | 7) sleep $mark ;; esac
rm -f $log/at.\$level
[ "\$level" != 4 ] || exit 3
cp prog.sh prog
chmod +x prog
END
cat >prog.sh <<END
#!/bin/sh
for at in $log/at.*; do [ ! -e "\$at" ] || echo "\$at" >>$log/beside; done
read -r level <level
echo "level \$level"
END
history 7
plain_config
# configure LANES [SANDBOX]
configure()
{
	cat >perfevo.yml <<END
build: {steps: [sh build.sh], parallel: $1, jobs: 8}
sandbox: {mode: ${2:-off}, write: [$log]}
benchmarks:
  prog: {command: ./prog, warmup: 1, repeats: 3, allocations: false}
END
}

# --- Four at a time, and one ---
# What is at work is listed by runs and changed by builds: as all that commits share, it has a commit built again before its runs.
: >"$log/meet"
configure 4
track 0 --last 7
same 'at work at one time' 4 "$(sort -n "$log/seen" | tail -1)"
same 'jobs of four' 2 "$(head -4 "$log/builds" | cut -d ' ' -f 2 | sort -u)"
same 'beside a run' '' "$(cat "$log/beside" 2>/dev/null)"
db 'SELECT DISTINCT v.subject, b.outcome, b.status FROM builds b JOIN revisions v ON v.key = b.revision ORDER BY 1' >"$case_dir/side"
all_runs >>"$case_dir/side"
rm -rf .git/perfevo "$HOME/cache" "${log:?}"/*
configure 1
track 0 --last 7
same 'at work in one lane' 1 "$(sort -n "$log/seen" | tail -1)"
db 'SELECT DISTINCT v.subject, b.outcome, b.status FROM builds b JOIN revisions v ON v.key = b.revision ORDER BY 1' >"$case_dir/one"
all_runs >>"$case_dir/one"
same 'what is stored' "$(cat "$case_dir/one")" "$(cat "$case_dir/side")"

# --- Four are at work, and perfevo ends ---
touch hold
git add hold
save hold
for i in 1 2 3 4 5 6 7 8; do echo "$i" >level && save "d$i"; done

four_sleep() { [ "$(strays "sleep $mark" | wc -l)" -ge 4 ]; }
none_sleeps() { [ -z "$(strays "sleep $mark")" ]; }
three_stored() { [ "$(db "SELECT count(*) FROM builds b JOIN revisions v ON v.key = b.revision WHERE v.subject IN ('d1', 'd3', 'd5')")" = 3 ]; }

# ended_by STATUS COMMAND...: four at work, then each of these commands is given its process
ended_by()
{
	expected=$1
	shift
	perfevo track --quiet --no-confirm --last 8 >"$case_dir/out" 2>"$case_dir/err" </dev/null &
	tool=$!
	wait_for 'four builds' four_sleep
	wait_for 'those that are over' three_stored
	for signal; do
		$signal "$tool"
	done
	ended "$expected"
	wait_for 'the end of all builds' none_sleeps
	store_is_whole
	: >"$log/builds"
}
for sandbox in off auto; do
	rm -rf .git/perfevo "$HOME/cache" "${log:?}"/*
	configure 4 $sandbox
	ended_by 137 'kill -KILL'
	ended_by 128 ctrl_c ctrl_c
	same 'built again' '' "$(grep '^[135] ' "$log/builds" || true)"
done
