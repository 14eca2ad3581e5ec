# How much of the tree is shown, and the comparison as a picture and as a comment on a pull request.
is_xml()
{
	if command -v xmllint >/dev/null; then
		xmllint --noout -
	else
		cat >/dev/null
	fi && echo "xml"
}
project
probe_thrice
sed -i 's/^\tparse(/\tabs(argc);\n\tparse(/' prog.c
save 'probe <thrice> & |once|'
perfevo compare -q -b small HEAD~1 | grep -c "call path" || :
echo "--- all of it"
perfevo compare -q -b small --tree --all HEAD~1 | sed -n '/itself/,$p'
echo "--- with callees, and by shares"
perfevo compare -q -b small --tree --all --basis time HEAD~1 | sed -n '/of old/,$p'
perfevo compare -q -b small --tree --all --basis share HEAD~1 | sed -n '/share/,$p'
echo "--- a picture"
perfevo compare -q -b small --format svg HEAD~1 >../picture.svg
is_xml <../picture.svg
grep -c '<g class="node">' ../picture.svg
echo "--- a comment"
perfevo compare -q --format md HEAD~1
echo "--- what does not go together"
perfevo compare -q --stages --format md HEAD~1 2>&1 || echo "status $?"
