# A metric that does not vary takes one run of each commit that is asked, two of the ends, and is certain.
line_repo
sed -i "s/better: lower, /better: lower, deterministic: true, /" perfevo.yml
echo 'echo "score $(cat level)"' >prog.sh
commits 1 20 100
commits 21 30 101

perfevo bisect c1 c30 --no-compare -q >found
sed -n '1,3p' found
runs=$(sed -n 's/ runs, .*//p' found)
[ "$runs" -le 9 ] || echo "$runs runs"
echo '== no difference'
perfevo bisect c1 c20 --no-compare -q | sed -n '1,2p'
