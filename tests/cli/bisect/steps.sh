# Several commits that moved a figure are all named, each with its own size, also a small one beside one that doubles it;
# --largest and --first name one and say where the rest lies. Where steps are smaller than what matters none is named. What
# needs no run does not wait for another perfevo that measures. A figure that is exact takes a run of each commit asked.
line_repo
sed -i 's/0\.01/0.004/' prog.sh
commits 1 10 100
commits 11 20 105
commits 21 30 210

# named: the steps, without what the runs decide
named()
{
	sed -n '/ steps: /p; s/ (95 %.* began here.*/ began here/; s/ (95 %.*//; s/: .* sure$//; /^[0-9a-f]\{10\}  /p; / began here/p; /^  another /p' ../found |
		sed 's/ [+−][0-9.]* %/ S/g; s/ [0-9.]* points/ P/g'
}

echo '== all'
perfevo bisect c1 c30 --no-compare -q >../found
named

echo '== without a run, while another one measures'
cache=$(dirname "$(find "$HOME" -name measure.lock | head -n 1)")
flock "$cache/measure.lock" timeout 60 perfevo bisect c1 c30 >../found 2>../err || echo "status $?"
grep -o '^0 runs' ../found
grep -o 'another perfevo is measuring: stored results are compared' ../err | uniq -c

echo '== one of them'
perfevo bisect c1 c30 --no-compare -q --first >../found
named
perfevo bisect c1 c30 --no-compare -q --largest >../found
named

echo '== for programs'
perfevo bisect c1 c30 --no-compare -q --format json >../json
python3 - <<'END'
import json
answer = json.load(open('../json'))
print(answer['answer'], answer['partial'], answer['rests'])
print([step['commits'][0]['subject'] for step in answer['steps']])
for step, size in zip(answer['steps'], [.05, 1]):
    assert abs(step['relative'] - size) < .02 * (1 + size), step['relative']
whole = 1 + answer['relative']
for step in answer['steps']:
    whole /= 1 + step['relative']
    assert step['probability'] > .9 and step['others'] < .05
assert abs(whole - 1) < .02, whole
END

echo '== exact'
cd ..
rm -r repo
line_repo
sed -i "s/better: lower, /better: lower, deterministic: true, /" perfevo.yml
echo 'echo "score $(cat level)"' >prog.sh
commits 1 8 100
commits 9 16 100.7
commits 17 24 200
perfevo bisect c1 c24 --no-compare -q >../found
sed '$d' ../found

echo '== smaller than matters'
commits 25 27 202
commits 28 30 204
ends 125 perfevo bisect c20 c30 --no-compare -q --min-change 1.5%
sed '$d' ../out
