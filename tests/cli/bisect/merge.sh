# A merge that is to blame, and the commit that it brought. A revert: the same figures before and after.
line_repo
commits 1 5 100
git checkout -q -b side
echo one >side
save 'side: begin'
echo 110 >level
save 'side: slow down'
echo two >side
save 'side: end'
git checkout -q main
echo main >other
save 'commit 6'
git merge -q --no-ff --no-commit side 2>/dev/null >/dev/null
save 'merge side'
git tag merged
commits 8 14 110

echo '== the merge'
perfevo bisect c1 c14 --no-compare -q | sed -n '2,3p' | cut -d: -f1
echo '== and what it brought'
perfevo bisect c1 c14 --no-compare -q --all-parents | grep -B 1 'began here' | cut -d: -f1
echo '== undone'
git revert --no-edit -m 1 --no-commit merged
save 'revert the merge'
ends 125 perfevo bisect c5 HEAD --min-change 4% --confidence 99.9% --no-compare -q
cut -d' ' -f1-4 ../out | head -n 1
