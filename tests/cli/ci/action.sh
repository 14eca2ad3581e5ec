# The action for GitHub, in a stand-in of its runner (runner.py): outputs, summary, one comment that is edited in place, and
# what fails the job. The runner's API and the release are a server on this machine.
. "$CASE_DIR/action_lib.sh"

figures 120
save slower
pull_request o/r topic
echo "# the first run"
run comment=true
has 'the answer' "$state/summary" '### perfevo: slower: 1 regression in 1 check'
comments
echo "# the second one"
figures 110
save 'less slow'
run comment=true fail-on=never
comments
ls "$state/artifact"
echo "# counts alone fail, and this is none"
run fail-on=counts
echo "# of a push what the commit before it had"
figures 90
save faster
before=$(git rev-parse HEAD~1)
event push '"before": "'"$before"'"'
run
echo "# a branch that is new is compared with the default one, which is unknown here"
event push '"before": "0000000000000000000000000000000000000000"'
run fail-on=never
tail -n 1 "$state/summary"
