# Instruction counts are compared as counts, in their own unit, and not with times.
mkdir old new times

# profile FILE INSTRUCTIONS: callgrind's
profile()
{
	cat >"$1" <<END
# callgrind format
events: Ir
fn=main
1 1000
cfn=parse
calls=1 2
1 $2
fn=parse
2 $2
END
}
for i in 1 2 3; do
	profile old/$i.callgrind 200000
	profile new/$i.callgrind 500000
	echo "main;parse $i" >times/$i.folded
done
perfevo localize -q --old old --new new
perfevo localize -q --old old --new new -o graph.json
sqlite3 :memory: "SELECT readfile('graph.json') ->> 'unit'"
ends 128 perfevo localize -q --old times --new new
has "what cannot be compared" "$case_dir/err" "holds times and new/1.callgrind holds Ir: these cannot be compared"
ends 128 perfevo localize -q --old old --new new --min-diff 50ms
has "what a count is no" "$case_dir/err" "--min-diff is a duration, and these profiles count Ir: leave it out"
