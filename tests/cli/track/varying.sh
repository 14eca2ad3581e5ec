# A program whose instructions differ from run to run is simulated no longer than it is timed: as often as that pays, not at
# all where it does not, and always where the config asks for it. What it is timed for is measured all the same.
# What varies is counted more often than a plan can know.
unplanned=1
new_repo
mkdir "$case_dir/at_work"
echo 1000000 >"$case_dir/alone"
# It counts a little more or less each time.
cat >"$case_dir/valgrind" <<END
#!/bin/sh
echo x >>"$case_dir/made"
: >"$case_dir/at_work/\$\$"
trap 'rm -f "$case_dir/at_work/\$\$"' EXIT
i=0
while [ "\$(wc -l <"$case_dir/made")" -gt "\$(cat "$case_dir/alone")" ] && [ ! -e "$case_dir/met" ] && [ "\$i" -lt 12000 ]; do
	set -- "$case_dir"/at_work/* "\$@"
	[ ! -e "\$2" ] || : >"$case_dir/met"
	sleep 0.05
	i=\$((i + 1))
done
count=\$((1000000 + \$(wc -l <"$case_dir/made") % 5 * 1000))
for word; do
	case \$word in --cachegrind-out-file=*) records=\${word#*=} ;; esac
done
printf 'events: Ir\nfl=prog.c\nfn=main\n1 %s\nsummary: %s\n' "\$count" "\$count" >"\${records%/*}/count.\$\$"
: >"\${records%/*}/log.\$\$"
END
chmod +x "$case_dir/valgrind"
PERFEVO_VALGRIND=$case_dir/valgrind
export PERFEVO_VALGRIND
# config INSTRUCTIONS
config()
{
	cat >perfevo.yml <<END
build: sh build.sh
run: {instructions: $1}
benchmarks:
  prog: {command: ./prog, warmup: 0, repeats: 3}
END
}

# visited SUBJECT TIMED SIMULATED: a new commit, where a timed and a simulated run take so many seconds by what is known
visited()
{
	db "UPDATE costs SET n = 200, seconds = 200 * $2 WHERE kind = 0; UPDATE costs SET n = 200, seconds = 200 * $3 WHERE kind = 5"
	echo "$1" >level
	save "$1"
	perfevo track --last 1 --all --no-confirm --no-open >"$case_dir/out" 2>"$case_dir/err" || fail "track: $(cat "$case_dir/err")"
	db "SELECT m.metric, count(DISTINCT m.round) FROM measurements m JOIN revisions r ON r.id = m.revision
		WHERE r.subject = '$1' AND m.metric IN ('wall', 'simulated-instructions') GROUP BY 1 ORDER BY 1" | tr '\n' ' '
}

config auto
history 1
track 0 --last 1 --all
same 'what it is known by' 1 "$(db "SELECT count(DISTINCT round) >= 2 FROM measurements WHERE metric = 'simulated-instructions'")"
same 'what both take is known' '0
5' "$(db 'SELECT kind FROM costs WHERE kind IN (0, 5) ORDER BY 1')"
same 'dear' 'wall|3 ' "$(visited dear 0.01 1000)"
has 'told' "$case_dir/err" 'prog: instructions are not simulated: they differ from run to run, and counting them takes longer'
has 'what helps' "$case_dir/err" 'PYTHONHASHSEED=0'
same 'a little time' 'simulated-instructions|2 wall|3 ' "$(visited little 0.01 2.4)"
has_not 'nothing is left out' "$case_dir/err" 'not simulated'
same 'as long as it is timed' 'simulated-instructions|7 wall|3 ' "$(visited timed 6 2.4)"
same 'cheap' 'simulated-instructions|8 wall|3 ' "$(visited cheap 0.01 0.01)"
config simulated
same 'asked for' 'simulated-instructions|8 wall|3 ' "$(visited asked 0.01 1000)"
# Two builds that are compared again are counted as often as decides, all but the first times of both at one time.
config auto
sed -i 's/^build:.*/build: {steps: [sh build.sh], parallel: 2}/' perfevo.yml
perfevo compare -q --budget 1ms HEAD~1 HEAD >"$case_dir/out" 2>"$case_dir/err" || true
db 'UPDATE costs SET n = 200, seconds = 200 * 1000 WHERE kind = 5'
echo $(($(wc -l <"$case_dir/made") + 4)) >"$case_dir/alone"
perfevo compare -q --again --budget 1ms HEAD~1 HEAD >"$case_dir/out" 2>"$case_dir/err" || true
same 'compared again' 10 "$(db "SELECT count(*) FROM runs r JOIN samples s ON s.run = r.key JOIN metrics m ON m.key = s.metric
	WHERE r.kind = 1 AND m.name = 'simulated-instructions' AND r.batch = (SELECT max(key) FROM batches)")"
[ -e "$case_dir/met" ] || fail 'no two were counted at one time'
store_is_whole
