# A commit that makes many benchmarks slower is how many and the worst, in a push and after a commit; and a few
# rows in `ci`, where the comment of a pull request folds the others.

empty_repo
score_config 'sh build.sh' 3 '' none
for n in 10 11 12 13 14 15 16 17 18 19 20 21; do
	scored b$n "sh prog.sh $n"
done
echo 'exit 0' >build.sh
echo 'echo score 1000' >prog.sh
git add -A
for subject in one two three; do
	git commit -q --allow-empty -m "$subject"
done
hub
perfevo track --quiet --last 3 >/dev/null
perfevo hooks install --pre-push --post-commit >/dev/null
echo 'echo score $((1000 + $1 * 10))' >prog.sh
git commit -q -a -m slow 2>/dev/null
idle
perfevo log -n 1 >/dev/null
git commit -q --allow-empty -m next 2>../said
sed -n 's/, suspected//; s/.*\(slow: slower.*\)/\1/p' ../said
! git push -q origin main 2>../said || fail 'it went through'
grep -c '^[^ ] *b[0-9]' ../said
grep '12 regressions' ../said
perfevo hooks remove >/dev/null
! perfevo ci --base origin/main --no-profile --markdown ../ci.md --json ../ci.json >../shown 2>../said || fail 'it passed'
grep -c '^[^ ] *b[0-9]' ../shown
grep 'more regressed' ../shown
sed -n '/more regressed/,$p' ../ci.md | grep -c '^| .*regressed'
sqlite3 :memory: "SELECT count(*) FROM json_each(readfile('../ci.json'), '\$.checks') WHERE value ->> 'answer' = 'regressed'"
