# A count that runs of one build differ by is bisected as a noisy metric: by counting runs, as many as it takes.
. "$CASE_DIR/../confirm/lib.sh"
threads_repo
for i in 1 2 3 4 5 6 7 8 9; do level 1 "c$i"; done
for i in 10 11 12 13; do level 2 "c$i"; done
bisected()
{
	perfevo bisect HEAD~12 HEAD -b pool --no-compare -q "$@" >../found 2>&1 || echo "status $?"
	sed -n '1s/ between.*//; 1s/+[0-9.]* % (.*to \(+[0-9.]*\) %)/N %/; 1,3p' ../found | cut -d: -f1 | sed 's/^[0-9a-f]*  .*  //'
	grep -c 'not exact: runs of one build differ' ../found || true
}
bisected -m allocated-peak
bisected -m allocated-bytes
