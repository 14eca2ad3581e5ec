# Without two commits it takes what the store suspects among several commits: the only one, or all in turn, the worst
# first; not what is accepted. What is pinned is left alone.
line_repo
commits 1 8 100
commits 9 15 110

# bisected: what is taken, and what came of it
bisected()
{
	perfevo bisect --no-compare >../found 2>../said
	sed -n '/ build/d; s/^perfevo: //p' ../said
	sed -n '/^score,/d; / began here/s/:.*//p; /^[0-9a-f]\{10\}  /p' ../found
}

echo '== one'
perfevo track --quiet --no-open --no-confirm --last 15 --steps 5 >../tracked
grep -c ' commits)  .*, suspected$' ../tracked
bisected

echo '== several'
commits 16 22 160
commits 23 30 120
rm -rf .git/perfevo
perfevo track --quiet --no-open --no-confirm --last 30 --steps 8 >../tracked
grep -c ' commits)  .*, suspected$' ../tracked
cp -r .git/perfevo ../kept
bisected

echo '== but for what is accepted'
rm -rf .git/perfevo
cp -r ../kept .git/perfevo
perfevo accept --quiet score --rev "$(sed -n 's/.*\.\.\([0-9a-f]*\) (.*/\1/p' ../tracked | head -n 1)" --why 'more to do'
bisected

echo '== of one benchmark'
rm -rf perfevo-accepted.yml .git/perfevo
cp -r ../kept .git/perfevo
perfevo bisect -b nothing 2>&1 || echo "$?"
perfevo bisect --no-compare -b 'sco' 2>/dev/null | grep -c 'began here'

echo '== nothing to search'
rm -rf .git/perfevo
perfevo track --quiet --no-open --no-confirm c7..c11 >../tracked
grep -c ', suspected$' ../tracked
perfevo bisect 2>&1
