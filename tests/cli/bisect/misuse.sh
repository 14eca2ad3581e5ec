# What is asked for wrongly is told what is right.
line_repo
commits 1 4 100

for words in 'c1' 'c4 c1' 'c1 nowhere' '--step' '--step --good c1 c2' 'c1 c4 --good c1' 'c1 c4 -m nope' \
	'c1 c4 --largest --first' 'c1 c4 -m score --simulated' 'c1 c4 -b nope' 'c1 c4 --confidence 20%' 'c1 c4 --min-change much'; do
	status=0
	perfevo bisect $words 2>&1 >/dev/null | sed 's/; it has .*//' || true
done
printf 'suites: {s: ./none}\n' >none.yml
for words in 'bisect c1 c4' 'ci --base c1 c4'; do
	perfevo --config none.yml $words 2>&1 >/dev/null | tail -n 1
done
