# Installing, looking and removing, once and twice; what was there is chained and comes back byte for byte.

measured_project
rm -f .git/hooks/*
perfevo hooks status
perfevo hooks install
perfevo hooks install
perfevo hooks status
perfevo hooks remove --pre-commit
perfevo hooks remove
perfevo hooks remove
same 'nothing is left' '' "$(ls -A .git/hooks)"

echo '--- beside another hook'
printf '#!/bin/sh\necho "old $*"; cat; echo "$GIT_INDEX_FILE" >../index; exit 0\n\0tail' >.git/hooks/pre-commit
chmod 751 .git/hooks/pre-commit
cp -p .git/hooks/pre-commit ../saved
perfevo hooks install --pre-commit
figure 101
commit 'with both'
has 'the old hook runs' ../said 'old'
has 'with the same environment' ../index 'index'
perfevo hooks status
perfevo hooks remove
cmp .git/hooks/pre-commit ../saved
same 'its mode' 751 "$(stat -c %a .git/hooks/pre-commit)"

echo '--- its failure is the failure of the hook'
printf '#!/bin/sh\nexit 3\n' >.git/hooks/pre-commit
perfevo hooks install --pre-commit
figure 102
git add -A
! git commit -q -m no || fail 'the commit went through'
perfevo hooks remove

echo '--- edited meanwhile'
perfevo hooks install --pre-commit
echo '# mine' >>.git/hooks/pre-commit.before-perfevo
perfevo hooks remove
tail -n 1 .git/hooks/pre-commit
rm .git/hooks/pre-commit
perfevo hooks install --pre-commit
echo '# mine too' >>.git/hooks/pre-commit
perfevo hooks status
perfevo hooks remove
tail -n 1 .git/hooks/pre-commit.perfevo-edited
rm .git/hooks/*

echo '--- written over'
printf '#!/bin/sh\nexit 0\n' >.git/hooks/pre-commit
chmod +x .git/hooks/pre-commit
perfevo hooks install --pre-commit
echo other >.git/hooks/pre-commit
perfevo hooks remove
perfevo hooks install --pre-commit 2>&1 && fail 'installed over two hooks'
cat .git/hooks/pre-commit
