# Counts that differ from run to run are compared in pairs, as times are: chance stops nobody, a peak that doubles
# does, and what is exact of the same program is said to be.
. "$CASE_DIR/../confirm/lib.sh"
threads_repo
level 1 start
git switch -q -c topic
sed -i 's|block\[0\] = 1|block[0] = 2|' main.c
level 1 'other code, no other counts'

# judged: each metric, its answer, and whether pairs of runs were needed for it; of the peak of threads, which may happen
# to agree in the few runs that are made, the answer alone
judged()
{
	tr '{' '\n' <../ci.json |
		sed -n 's/.*"metric":"\([a-z-]*\)".*"answer":"\([a-z ]*\)".*"pairs":\([0-9]*\).*/\1 \2 \3/p' |
		sed 's/ [1-9][0-9]*$/ pairs/; s/ 0$/ exact/; s/^\(allocated-peak .*\) [a-z]*$/\1/' | sort
}
perfevo ci --base main --no-profile --json ../ci.json -q >../out || echo "status $?"
judged
echo "# doubled"
level 2 doubled
perfevo ci --base main --no-profile --json ../ci.json -q >../out || echo "status $?"
judged
