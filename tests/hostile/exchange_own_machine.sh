# P2: whoever may push to the remote speaks for this very machine: refutes what is confirmed, says that HEAD does not build,
# that it is another commit's build, and spends what may be confirmed. Nothing of it is taken, and the gate stays shut.
CASE_DIR=$SOURCE_DIR/tests/cli/confirm
. "$CASE_DIR/lib.sh"

noisy_repo 6 4 10 0.1
track 1 --last 6 --fail-on-regression
open_hub
genuine '"confirmed"' >../confirmation
genuine '"batch":{' >../batch
[ -s ../confirmation ] && [ -s ../batch ] || fail "nothing to forge from"

echo level >>level # a HEAD that is not measured yet
save c7
head=$(git rev-parse HEAD)
git push -q origin main
base=$(git rev-parse HEAD~1)

# A1: refuted, later
sed 's/"confirmed"/"refuted"/; s/,17[0-9]\{8\},"refuted"/,1999999999,"refuted"/' ../confirmation >../a1
forge ../a1
# A2, A3: HEAD fails to build, or is what the commit before is
tables='"revisions":[["'$head'"],["'$base'"]],"benchmarks":'$(sed -n 's/^\(\["score",.*\)\],"metrics.*/[\1]/p' ../batch)
machine=$(sed -n 's/.*\("machine":{[^}]*}\).*/\1/p' ../batch)
recipe=ffffffffffffffffffffffffffffffff
findings() # findings BUILDS REUSED
{
	printf '{"format":"perfevo results","version":2,%s,"batch":null,%s,"metrics":[],"cells":[],"runs":[],"builds":[%s],"reused":[%s],"confirmations":[]}\n' \
		"$machine" "$tables" "$1" "$2"
}
case $tables in *score*) ;; *) fail "no benchmark in $(cat ../batch)" ;; esac
findings '[0,"'$recipe'","build failed",1,1700000000,1,"make","no"]' '' >../a2
findings '' '[0,0,1],[1,0,0]' >../a3
forge ../a2
forge ../a3
# A4: a hundred refuted ones
row=$(sed '0,/"confirmations":\[/d' ../confirmation | head -n 1 | sed 's/,$//; s/\],"revisions".*//; s/"confirmed"/"refuted"/')
case $row in '['*']') ;; *) fail "no confirmation in $(cat ../confirmation)" ;; esac
{
	sed '/"confirmations":\[/q' ../confirmation
	i=0
	while [ "$i" -lt 100 ]; do
		i=$((i + 1))
		printf '%s,\n' "$row" | sed "s/,17[0-9]\{8\},\"refuted\"/,$((1700000000 + i)),\"refuted\"/"
	done
	printf '%s' "$row"
	sed -n '/^.*\],"revisions":/,$p' ../confirmation | sed '1s/^.*\],"revisions":/],"revisions":/'
} >../a4
forge ../a4

refused_once 0
status=0
perfevo track --quiet --no-open --confirm --last 7 --fail-on-regression >../out 2>&1 || status=$?
same "exit status of the gate" 1 "$status"
same "machines" 1 "$(sqlite3 "$database" 'SELECT count(*) FROM machines')"
same "HEAD is measured" 1 "$(sqlite3 "$database" "SELECT count(DISTINCT v.key) FROM runs r
	JOIN revisions v ON v.key = r.revision WHERE v.id = '$head' AND r.outcome = 0")"
