# Commits that do not build and commits whose benchmark fails are skipped, and said to be; where the step hides
# among them the answer is a range.
line_repo
commits 1 6 100
echo 'echo no compiler here; exit 1' >build.sh
commits 7 8 100
commits 9 10 110
echo 'exit 0' >build.sh
commits 11 12 110
cp prog.sh kept
echo 'exit 3' >prog.sh
commits 13 13 110
mv kept prog.sh
commits 14 16 110

echo '== a range'
perfevo bisect c1 c16 --no-compare -q >found
sed -n '2,7p' found | cut -d: -f1
grep -o '[0-9]* commits do not build' found

echo '== an end that does not run'
ends 125 perfevo bisect c1 c13 --no-compare -q
sed -n '2p' ../out
