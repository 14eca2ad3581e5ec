# shellcheck source=tests/cli/lib.sh
. "$CASE_DIR/../lib.sh"
measured_repo
echo "# a jump"
perfevo show HEAD~2 | grep -v -e 'CPU' -e 'time' -e 'memory' -e 'faults' -e 'switches'
echo "# a build that failed, with its log"
perfevo show HEAD~1
echo "# a commit that was not measured"
git switch -q -c aside
save aside
perfevo show || echo "status $?"
echo "# not a commit"
perfevo show nothing || echo "status $?"
perfevo show HEAD HEAD || echo "status $?"
