# What one commit did to many benchmarks is one paragraph of the news, told once; what of it was not told is told
# alone.

# configure NAME ...: benchmarks of which each prints a figure of its own
configure()
{
	score_config 'sh build.sh' 5 'nightly: {last: 20, notify: {file: ../news.json}}' none
	for name in "$@"; do
		scored "$name" "sh prog.sh $name"
	done
}

# levels SLOW FAST OTHER SUBJECT: a commit with these figures of a to d, f and g
levels()
{
	printf 'case $1 in\n%s) echo score %s ;;\nf) echo score %s ;;\n*) echo score %s ;;\nesac\n' '[a-d]' "$1" "$2" "$3" >prog.sh
	save "$4"
}

# told: the printed news; the ids of commits, which differ, as COMMIT
told()
{
	perfevo nightly 2>../night.err >../news.txt || echo "status $?"
	sed 's/[0-9a-f]\{10\}/COMMIT/g; s/^[0-9a-f]\{8\} /COMMIT /; s/  \[[^]]*\]/  [INTERVAL]/; s|^report: .*|report: FILE|' ../news.txt
}

empty_repo
echo 'exit 0' >build.sh
configure a b c d f g
levels 1000 500 100 start
levels 1000 500 100 'nothing new'
levels 1300 400 100 'share a lock'
levels 1300 400 100 'nothing new either'
levels 1300 400 130 'sort twice'
told
echo "# as JSON"
sqlite3 :memory: "SELECT value ->> 'subject', value ->> 'author', value ->> 'class', value ->> 'standing',
	json_array_length(value -> 'jumps'), value ->> '\$.jumps[0].benchmark' FROM json_each(readfile('../news.json'), '\$.events');
SELECT value ->> 'benchmark', value ->> 'subject', value ->> 'event' FROM json_each(readfile('../news.json'), '\$.regressions')"
echo "# the next night"
rm ../news.json
told
ls ../news.json 2>/dev/null || echo "no news"
echo "# what of it was not told yet"
sed -i '/^a	/d' .git/perfevo/nightly/told
told
