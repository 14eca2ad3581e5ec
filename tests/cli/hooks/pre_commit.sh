# Before a commit: the staged perfevo.yml counts, not the one that lies in the tree.

measured_project
perfevo hooks install --pre-commit >/dev/null

try()
{
	echo "$*"
	git commit -q "$@" 2>&1 || echo "  status $?"
}

cp perfevo.yml ../good.yml
echo 'benchmark: {}' >>perfevo.yml
try --allow-empty -m 'bad in the tree alone'
git add perfevo.yml
cp ../good.yml perfevo.yml
try -m 'bad and staged'
try -a -m 'good by commit -a'
echo 'benchmark: {}' >>perfevo.yml
try -a -m 'bad by commit -a'
try perfevo.yml -m 'bad by its name'
echo x >x
git add x
try x -m 'another file alone'
try --no-verify -a -m 'not looked at'
cp ../good.yml perfevo.yml
try -a -m mended
git mv perfevo.yml .perfevo.yml
echo 'benchmark: {}' >>.perfevo.yml
try -a -m 'by its other name'
git rm -q -f .perfevo.yml
try -m 'no config any more'
echo '--- an index that is read in parts'
cp ../good.yml perfevo.yml
git add perfevo.yml
git update-index --split-index
try -m 'split index'
git -C "$PWD" status --porcelain
