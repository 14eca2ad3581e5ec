# A jump between two measured commits lies in any of those between them. track, status, log and show say so, and status says the same
# of it however many commits it looks at, as long as the jump is among these.
empty_repo
cat >perfevo.yml <<'END'
metrics: {wall: {judge: false}, max-rss: {judge: false}}
benchmarks:
  score: {command: sh prog.sh, warmup: 0, repeats: 3, allocations: false, metrics: {score: {unit: points, regex: 'score ([0-9]+)'}}}
END
for n in 1 2 3 4 5 6 7 8 9 10; do
	echo "echo score $((n > 5 ? 200 : 100)) # $n" >prog.sh
	save "c$n"
done
perfevo track -q --no-open --no-confirm --steps 4 >../track
at=$(git rev-parse --short=8 HEAD~3)
range=$(git rev-parse --short=8 HEAD~6)..$at
for last in 4 6 10; do
	same "status of the last $last" "suspected   slower, suspected: score score +100 % in $range (3 commits)" "$(perfevo status --last "$last" | grep suspected)"
done
grep -q "^in $range (3 commits)" ../track || fail "no subject, as though the last were the culprit: $(cat ../track)"
perfevo log >../log
grep -q "$at .*▲ c7  slower, suspected: score score +100 % in 3 commits$" ../log || fail "a commit that need not be the culprit: $(cat ../log)"
COLUMNS=80 perfevo show HEAD~3 >../show
has 'one of three' ../show "that it is one of the 3 commits"
has 'which' ../show "$range"
has_not 'a line that is cut' ../show '…'
