# Whatever is wrong with perfevo, its config or its disk: a commit goes through.

measured_project
perfevo hooks install >/dev/null

echo '--- no perfevo'
mkdir ../bin
for tool in git sh cat; do
	ln -s "$(command -v $tool)" ../bin/$tool
done
printf '#!/bin/sh\necho "old hook ran"\n' >../old
chmod +x ../old
for hook in post-commit pre-commit pre-push; do
	cp ../old .git/hooks/$hook.before-perfevo
done
git init -q --bare ../other.git
PATH=$PWD/../bin git commit -q --allow-empty -m 'without perfevo' 2>&1
PATH=$PWD/../bin git push -q ../other.git HEAD:main 2>&1
rm .git/hooks/*.before-perfevo
PATH=$PWD/../bin git commit -q --allow-empty -m 'without perfevo' 2>&1
PATH=$PWD/../bin git push -q ../other.git HEAD:main 2>&1
[ ! -e .git/perfevo ] || fail 'something was written'

echo '--- PERFEVO_SKIP'
PERFEVO_SKIP=1 git commit -q --allow-empty -m 'skipped' 2>&1
[ ! -e .git/perfevo ] || fail 'something was written'

echo '--- no config'
git mv perfevo.yml hidden
git commit -q -m 'without config' 2>&1
[ ! -e .git/perfevo ] || fail 'something was written'

echo '--- a broken config'
git mv hidden perfevo.yml
printf 'benchmarks: [\n' >perfevo.yml
git add -A
git commit -q -m 'broken' 2>&1 && fail 'the staged config is not looked at'
git commit -q --no-verify -m 'broken' 2>&1
idle
same 'the verdict' failed "$(result HEAD)"
git commit -q --no-verify --allow-empty -m 'still broken' 2>&1 | sed 's/[0-9a-f]\{8\} broken/ID broken/'
git push -q ../other.git HEAD:main 2>&1
idle

echo '--- a program that does not build, one that fails'
git show HEAD~2:hidden >perfevo.yml
echo 'exit 3' >build.sh
commit 'no build'
idle
echo 'exit 0' >build.sh
echo 'exit 4' >prog.sh
commit 'no run'
sed 's/^perfevo: [0-9a-f]*/perfevo: ID/' ../said
idle
same 'the verdicts' 'failed failed' "$(results HEAD HEAD^)"

echo '--- nowhere to write'
figure 100
git add -A
git commit -q -m 'mended' 2>/dev/null
idle
rm -r .git/perfevo/hooks
echo file >.git/perfevo/hooks
git commit -q --allow-empty -m 'a file in the way' 2>&1 | sed "s|$PWD|@REPO@|"
rm .git/perfevo/hooks
if [ "$(id -u)" -ne 0 ]; then
	mkdir .git/perfevo/hooks
	chmod 555 .git/perfevo/hooks
	git commit -q --allow-empty -m 'no permission' 2>/dev/null
	chmod 755 .git/perfevo/hooks
fi
(
	# Not a byte may be written to a file.
	ulimit -f 0
	perfevo hook post-commit
) 2>/dev/null || fail 'a full disk fails the hook'
git log --format=%s -n 2
