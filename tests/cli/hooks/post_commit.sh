# After a commit: it is measured in the background, its result is shown at the next one, once.

measured_project
perfevo hooks install --post-commit >/dev/null

# A desktop that writes down what it is told.
mkdir ../bin
cat >../bin/notify-send <<END
#!/bin/sh
printf '%s|' "\$@" >>"$PWD/../told"
END
chmod +x ../bin/notify-send
PATH=$PWD/../bin:$PATH
DISPLAY=:0
export DISPLAY

echo '--- three commits'
commit 'four'
same 'nothing is known yet' '' "$(cat ../said)"
idle
figure 200
commit 'five'
sed 's/^perfevo: [0-9a-f]*/perfevo: ID/; s/; .*/; BOUND/' ../said
idle
same 'the verdict' suspected "$(result HEAD | sed 's/regressed/suspected/')"
commit 'six'
sed -n 's/, suspected//; s/.*\(five: slower: score score +100 %\).*/\1/p' ../said
wait_for 'the desktop is told' test -s ../told
sed 's/, suspected//' ../told
echo
idle
commit 'seven'
has_not 'a result is shown once' ../said five
idle

# A benchmark that waits for us.
mkfifo ../gate
waiting_program()
{
	cat >prog.sh <<END
: >"$PWD/../began"
[ -e "$PWD/../open" ] || read -r line <"$PWD/../gate"
echo score $1
END
}

# open_gate: also for runs that wait there
open_gate()
{
	: >../open
	while ! is_idle; do
		timeout 0.2 sh -c "echo go >../gate" || :
	done
}

echo '--- what runs in the background gives way'
# At idle priority it would wait for every other test: it is looked at, and killed.
gone
waiting_program 200
git add -A
env -u PERFEVO_BACKGROUND git commit -q --allow-empty -m 'idle' 2>/dev/null
wait_for 'another works' sh -c '[ -n "$(perfevo status --format json | grep "\"running\":{")" ]'
worker=$(job)
# Nice value and scheduling policy, 5 being SCHED_IDLE (proc(5), sched(7)).
gives_way()
{
	[ "$(sed 's/.*) //' "/proc/$worker/stat" | cut -d ' ' -f 17,39)" = '19 5' ]
}
wait_for 'it gives way' gives_way
kill -KILL "$worker"
gone
rm -f ../began
figure 200
commit 'on'
: >../open
idle
rm ../open

echo '--- two commits at once'
# The second commit finds the job busy.
waiting_program 200
commit 'eight'
running
first=$(job)
commit 'nine'
commit 'ten'
perfevo status --format json | grep -o '"waiting":\[[^]]*\]' | tr -cd , | wc -c
same 'one job' "$first" "$(job)"
open_gate
same 'all are measured' 'pass pass pass' "$(results HEAD HEAD^ HEAD~2)"

echo '--- a killed job'
gone
rm -f ../open ../began
commit 'eleven'
running
kill -KILL "$(job)"
: >../open
gone
same 'no result' '' "$(result HEAD)"
perfevo status --format json | grep -c '"waiting":\["'
figure 200
commit 'twelve'
idle
same 'both are measured' 'pass pass' "$(results HEAD HEAD^)"
