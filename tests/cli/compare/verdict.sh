# The verdict names who calls what how often, with its evidence; the parts sum up to the whole. What was measured
# and collected is not done again, and --fail-on-regression speaks by the exit status.
project
probe_thrice
save 'probe thrice'
perfevo compare -q --tree --all HEAD~1 HEAD | tee ../fresh
perfevo compare -q --tree --all --stored HEAD~1 HEAD | cmp - ../fresh
perfevo compare -q --tree --all HEAD~1 HEAD | cmp - ../fresh
echo "--- one benchmark, for programs"
perfevo compare -b large --format json HEAD~1 >../one 2>../messages
cat ../messages
json()
{
	sqlite3 -separator ' | ' :memory: "SELECT $1 FROM json_each(readfile('../one'), '$2')"
}
json "value ->> 'text', value ->> 'kind', value ->> 'function', value ->> 'caller', value ->> 'amount', value ->> 'amount_ns', value ->> 'source', value ->> 'code'" '$.verdict'
json "value ->> 'name', value ->> 'old', value ->> 'new', value ->> 'relative', value ->> 'exact', value ->> 'verdict'" '$.benchmarks[0].metrics'
json "value ->> 'name', value ->> 'source', value ->> 'calls_old', value ->> 'calls_new'" '$.benchmarks[0].methods'
json "value ->> 'calls'" '$.benchmarks[0].tree'
perfevo compare -q --fail-on-regression HEAD~1 >/dev/null || echo "status $?"
echo "--- the other way round it is better"
perfevo compare -q -b small --fail-on-regression HEAD HEAD~1
