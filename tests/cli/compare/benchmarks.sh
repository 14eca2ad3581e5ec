# Two benchmarks of one commit: --bench is old, --with is new; names, not expressions.
project
perfevo compare -q --tree --bench small --with large
set +e
for with in larger small; do
	perfevo compare -q --bench small --with $with 2>&1
	echo "status $?"
done
perfevo compare -q --with small 2>&1
perfevo compare -q --bench small --with large HEAD HEAD~1 2>&1
