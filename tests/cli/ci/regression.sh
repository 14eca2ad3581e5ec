# A confirmed regression fails, in every form; an accepted one does not.
topic_repo
figures 120
save slower
echo more >notes
save 'something else'
ci --markdown ../ci.md --junit ../ci.xml --sarif ../ci.sarif --gitlab ../ci.gitlab --json ../ci.json
echo "# what main did meanwhile does not count"
grep -c '"old":50,' ../ci.json || true
sed 's/machine: .*/machine: MACHINE./' ../ci.md
echo "# JUnit"
cat ../ci.xml
echo "# SARIF"
grep -o '"ruleId":"[a-z]*"' ../ci.sarif
echo "# GitLab"
grep -o '"severity":"[a-z]*"' ../ci.gitlab
echo "# GitHub"
GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$PWD/../summary" ci | grep '^::'
grep -c '^### perfevo' ../summary
echo "# accepted"
perfevo accept score --rev HEAD~1 --why 'it is worth it' >/dev/null
ci
