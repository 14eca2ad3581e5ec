# Profiles of two folders in pairs, in the order of their names: the lowest calls that got slower are the causes,
# and a method that got slower a little in many places shows by its sum.
mkdir old new
# profile FOLDER NUMBER UTF ESCAPE: collapsed stacks, in microseconds
profile()
{
	cat >"$1/run$2.folded" <<END2
main;query;layer;utf $3
main;query;layer 20000
main;render;left;escape $4
main;render;middle;escape $4
main;render;right;escape $4
main;render 10000
END2
}
for i in 1 2 3; do
	profile old $i $((30000 + i * 100)) 5000
	profile new $i $((130000 + i * 100)) 45000
done
localize()
{
	perfevo localize -q --old old --new new --sample-interval 1us "$@"
}
localize --min-diff 50ms
echo "--- by noise, new against itself"
perfevo localize -q --old new --new new --sample-interval 1us
echo "--- one pair, half as much"
localize --min-diff 25ms --pairs 1 --top 1
echo "--- as a graph"
localize --min-diff 90ms -o graph.dot
cat graph.dot
echo "--- for programs"
localize --min-diff 90ms -o graph.json
sqlite3 -separator ' | ' :memory: "
	SELECT value ->> 'name', value ->> 'parent', value ->> 'cause', value ->> 'old_ns', value ->> 'new_ns' FROM json_each(readfile('graph.json'), '\$.nodes');
	SELECT key, value FROM json_each(readfile('graph.json')) WHERE type NOT IN ('array', 'object')"
