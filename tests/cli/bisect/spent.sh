# When the runs or the time are spent before there is an answer, the candidates so far are told with their
# probabilities and the exit status is 125; the same command goes on from the runs that are stored, and ends right.
line_repo
commits 1 16 100
commits 17 30 110

stored()
{
	sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM runs'
}

# bisected STATUS WORDS...: its answer is in ../found
bisected()
{
	expected=$1
	shift
	status=0
	perfevo bisect c1 c30 --confidence 99.9% --no-compare -q "$@" >../found 2>../said || status=$?
	[ "$status" -eq "$expected" ] || fail "exit status $status of bisect $*: $(cat ../found ../said)"
}

echo '== runs'
bisected 125 --max-runs 3
sed -n '2p' ../found
same "runs" "3 $(cat "$COUNT")" "$(stored) 3"
bisected 125 --max-runs 3
grep -o '^3 runs\|; [0-9]* stored readings' ../found
same "runs of two" "6 $(cat "$COUNT")" "$(stored) 6"

echo '== time'
bisected 125 --budget 1ms
sed -n '2,3p' ../found
grep -o '^0 runs' ../found
shares=$(sed -n 's/^ *\([0-9.]*\)%  [0-9a-f]\{10\}  .*/\1/p' ../found)
[ "$(echo "$shares" | grep -c .)" -gt 1 ] || fail "no candidates: $(cat ../found)"
same "the likeliest first" "$shares" "$(echo "$shares" | sort -rn)"
bisected 125 --budget 1ms --format json
grep -o '"answer":"[^"]*"' ../found
grep -o '"runs":[0-9]*,"stored_readings":[0-9]*' ../found

echo '== to the end'
n=0
until perfevo bisect c1 c30 --confidence 99.9% --no-compare -q --max-runs 3 >../found 2>../said; do
	n=$((n + 1))
	[ "$n" -lt 40 ] || fail "no end: $(cat ../found ../said)"
done
sed -n '2,3p' ../found | cut -d: -f1
same "runs that were stored" "$(cat "$COUNT")" "$(stored)"
bisected 0 --budget 10m
sed -n '2,3p' ../found | cut -d: -f1
