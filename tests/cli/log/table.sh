# shellcheck source=tests/cli/lib.sh
. "$CASE_DIR/../lib.sh"
measured_repo
echo "# newest first, with the change against the commit before"
perfevo log --metric score
echo "# the newest two keep their differences"
perfevo log --metric score -n 2
echo "# a range"
perfevo log --metric score HEAD~4..HEAD~2
echo "# a benchmark that is not there"
perfevo log -b '^none$' || echo "status $?"
echo "# a range without commits"
perfevo log HEAD..HEAD || echo "status $?"
echo "# no range"
perfevo log nowhere || echo "status $?"
