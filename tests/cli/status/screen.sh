# Everything that status shows, for people and for programs; nothing of it is written.
. "$CASE_DIR/../hooks/lib.sh"

ids()
{
	sed 's/[0-9a-f]\{40\}/ID/g; s/[0-9a-f]\{8\} /ID /g; s/process [0-9]*, for [^,)]*/process N, for TIME/; s/"pid":[0-9]*/"pid":N/; s/, [0-9]* of [0-9]* commits known/, N of M commits known/; s/"done":[0-9]*,"total":[0-9]*/"done":N,"total":M/; s/20[0-9-]*T[0-9:]*Z/TIME/g'
}

echo '--- nothing yet'
git init -q empty
(cd empty && perfevo status)
measured_project
perfevo status
[ ! -e .git/perfevo ] || fail 'something was written'
perfevo track --quiet --no-open >/dev/null
perfevo status

echo '--- a regression, a failure, results'
perfevo hooks install >/dev/null
figure 200
commit 'slower'
idle
echo 'exit 3' >build.sh
commit 'does not build'
idle
echo 'exit 0' >build.sh
commit 'builds again'
idle
gone
perfevo status | ids | sed 's/^\(suspected\|confirmed\) /jump      /'
echo '--- of the last two'
perfevo status --last 2 | ids | head -n 1

echo '--- at work'
mkfifo ../gate
cat >prog.sh <<END
: >"$PWD/../began"
[ -e "$PWD/../open" ] || read -r line <"$PWD/../gate"
echo score 200
END
commit 'waits'
running
for i in 1 2 3 4 5 6 7; do
	commit "later $i"
done
perfevo status | ids | grep -v '^results\|^            ID.*: \|jump\|suspected\|confirmed'
perfevo status --format json | ids | grep -o '"running":{[^}]*}'
kill "$(job)"
gone
perfevo status | ids | sed -n '/^running/,/starts/p'
perfevo status --format json >../status
grep -o '"[a-z_]*":' ../status | sort -u | tr -d '\n'
echo
echo '--- in a narrow terminal'
script -qec 'stty cols 50 rows 40; perfevo status --no-pager --color=never' /dev/null </dev/null |
	tr -d '\r' | sed -n '1p' | ids
