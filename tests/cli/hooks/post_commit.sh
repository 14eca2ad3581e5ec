# After a commit: it is measured in the background, its result is shown at the next one, once.
# shellcheck source=tests/cli/hooks/lib.sh
. "$CASE_DIR/lib.sh"

measured_project
perfevo hooks install --post-commit >/dev/null

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
grep -o 'five: worse: score score +100 %' ../said
idle
commit 'seven'
has_not 'a result is shown once' ../said five
idle

echo '--- two commits at once'
# A benchmark that waits for us: the second commit finds the worker busy.
mkfifo ../gate
cat >prog.sh <<END
[ -e "$PWD/../open" ] || read -r line <"$PWD/../gate"
echo score 200
END
commit 'eight'
until_holds 'a run waits' sh -c 'perfevo status --format json | grep -q "\"phase\":\"run\""'
first=$(sed -n 's/^pid //p' "$(hooks_dir)/worker")
commit 'nine'
commit 'ten'
perfevo status --format json | grep -o '"waiting":\[[^]]*\]' | tr -cd , | wc -c
same 'one worker' "$first" "$(sed -n 's/^pid //p' "$(hooks_dir)/worker")"
: >../open
# Readers that came meanwhile.
while ! perfevo status --format json | grep -q '"running":null,"waiting":\[\]'; do
	timeout 0.2 sh -c "echo go >../gate" || :
done
same 'all are measured' 'pass pass pass' "$(echo $(result HEAD; result HEAD^; result HEAD~2))"

echo '--- a killed worker'
rm ../open
commit 'eleven'
until_holds 'a run waits' sh -c 'perfevo status --format json | grep -q "\"phase\":\"run\""'
kill -KILL "$(sed -n 's/^pid //p' "$(hooks_dir)/worker")"
: >../open
until_holds 'the worker is gone' sh -c 'perfevo status --format json | grep -q "\"running\":null"'
same 'no result' '' "$(result HEAD)"
perfevo status --format json | grep -c '"waiting":\["'
cat >prog.sh <<'END'
echo score 200
END
commit 'twelve'
idle
same 'both are measured' 'pass pass' "$(echo $(result HEAD; result HEAD^))"
