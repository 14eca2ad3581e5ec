# After a commit: it is measured in the background, its result is shown at the next one, once.
# shellcheck source=tests/cli/hooks/lib.sh
. "$CASE_DIR/lib.sh"

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
sed 's/^perfevo: [0-9a-f]*/perfevo: ID/' ../said
idle
same 'the verdict' suspected "$(result HEAD | sed 's/regressed/suspected/')"
commit 'six'
sed -n 's/, suspected//; s/.*\(five: slower: score score +100 %\).*/\1/p' ../said
until_holds 'the desktop is told' test -s ../told
sed 's/, suspected//' ../told
echo
idle
commit 'seven'
has_not 'a result is shown once' ../said five
idle

echo '--- what runs in the background gives way'
# At idle priority it would wait for every other test: it is looked at, and killed.
until_holds 'the worker has ended' test ! -e "$(hooks_dir)/worker"
git add -A
env -u PERFEVO_BACKGROUND git commit -q --allow-empty -m 'idle' 2>/dev/null
until_holds 'another works' grep -qs '^pid [1-9]' "$(hooks_dir)/worker"
worker=$(sed -n 's/^pid //p' "$(hooks_dir)/worker")
# Nice value and scheduling policy, 5 being SCHED_IDLE (proc(5), sched(7)).
sed 's/.*) //' "/proc/$worker/stat" | cut -d ' ' -f 17,39
kill -KILL "$worker"
gone
commit 'on'
idle

echo '--- two commits at once'
# A benchmark that waits for us: the second commit finds the worker busy.
mkfifo ../gate
cat >prog.sh <<END
[ -e "$PWD/../open" ] || read -r line <"$PWD/../gate"
echo score 200
END
commit 'eight'
running
first=$(sed -n 's/^pid //p' "$(hooks_dir)/worker")
commit 'nine'
commit 'ten'
perfevo status --format json | grep -o '"waiting":\[[^]]*\]' | tr -cd , | wc -c
same 'one worker' "$first" "$(sed -n 's/^pid //p' "$(hooks_dir)/worker")"
: >../open
# Readers that came meanwhile.
while ! is_empty; do
	timeout 0.2 sh -c "echo go >../gate" || :
done
same 'all are measured' 'pass pass pass' "$(results HEAD HEAD^ HEAD~2)"

echo '--- a killed worker'
rm ../open
commit 'eleven'
running
kill -KILL "$(sed -n 's/^pid //p' "$(hooks_dir)/worker")"
: >../open
gone
same 'no result' '' "$(result HEAD)"
perfevo status --format json | grep -c '"waiting":\["'
cat >prog.sh <<'END'
echo score 200
END
commit 'twelve'
idle
same 'both are measured' 'pass pass' "$(results HEAD HEAD^)"
