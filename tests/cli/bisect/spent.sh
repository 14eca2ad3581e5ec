# When the runs or the time are spent before there is an answer, the candidates so far are told with their
# probabilities and the exit status is 125; the same command goes on from the runs that are stored, and ends right.
line_repo
commits 1 16 100
commits 17 30 110

stored()
{
	sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM runs'
}

# bisected STATUS WORDS...: its answer is in ../out
bisected()
{
	expected=$1
	shift
	ends "$expected" perfevo bisect c1 c30 --confidence 99.9% --no-compare -q "$@"
}

echo '== runs'
bisected 125 --max-runs 3
sed -n '2p' ../out
same "runs" "3 $(cat "$COUNT")" "$(stored) 3"
bisected 125 --max-runs 3
grep -o '^3 runs\|; [0-9]* stored readings' ../out
same "runs of two" "6 $(cat "$COUNT")" "$(stored) 6"

echo '== time'
bisected 125 --budget 1ms
sed -n '2,3p' ../out
grep -o '^0 runs' ../out
shares=$(sed -n 's/^ *\([0-9.]*\) %  [0-9a-f]\{10\}  .*/\1/p' ../out)
[ "$(echo "$shares" | grep -c .)" -gt 1 ] || fail "no candidates: $(cat ../out)"
same "the likeliest first" "$shares" "$(echo "$shares" | sort -rn)"
bisected 125 --budget 1ms --format json
grep -o '"answer":"[^"]*"' ../out
grep -o '"runs":[0-9]*,"stored_readings":[0-9]*' ../out

echo '== to the end'
n=0
until perfevo bisect c1 c30 --confidence 99.9% --no-compare -q --max-runs 3 >../out 2>../err; do
	n=$((n + 1))
	[ "$n" -lt 40 ] || fail "no end: $(cat ../out ../err)"
done
sed -n '2,3p' ../out | cut -d: -f1
same "runs that were stored" "$(cat "$COUNT")" "$(stored)"
bisected 0 --budget 10m
sed -n '2,3p' ../out | cut -d: -f1
