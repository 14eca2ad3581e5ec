# The commit at which a noisy figure moved is found, with far fewer runs than there are commits to run three times
# each, and named with its author, date and subject. What the store has is used: asked again, nothing is run.
# Then both ends of a stretch without a step, and a step the other way.
line_repo
commits 1 16 100
commits 17 30 110

echo '== found'
perfevo bisect c1 c30 --no-compare -q >../found
sed -n '2,3p' ../found | cut -d: -f1
runs=$(sed -n 's/ runs, .*//p' ../found)
[ "$runs" -lt 45 ] || echo "$runs runs"
perfevo bisect c1 c30 --no-compare -q | grep -o '^0 runs, 0 builds'

echo '== for programs'
perfevo bisect c1 c30 --no-compare -q --format json >../json
grep -o '"answer":"[^"]*"' ../json
grep -o '"regression":[a-z]*' ../json
grep -o '"subject":"[^"]*"' ../json | head -n 1

echo '== no difference'
ends 125 perfevo bisect c18 c30 --min-change 4% --confidence 99.9% --no-compare -q
grep -o '^score, score: no difference between .*' ../out
grep -o 'pairs of fresh runs of both ends differ by' ../out
grep -o 'would have been detected' ../out

echo '== improvement'
commits 31 38 90
perfevo bisect c20 c38 --no-compare -q | sed -n '2,3p' | cut -d: -f1
