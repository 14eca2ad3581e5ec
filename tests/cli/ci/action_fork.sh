# A pull request from a fork: its branch, its names and its answer are a stranger's. The first workflow may not write, and does
# not try; the second one writes what the first one left, as text, and only into the pull request that GitHub says it is of.
. "$CASE_DIR/action_lib.sh"

# What may stand in a branch's name, in a benchmark's and in a subject, and is a command somewhere.
branch='x;touch${IFS}pwned$(touch${IFS}pwned)`touch${IFS}pwned`"|&::error::y'
score_config 'sh build.sh' '' '' none
scored '"::set-env name=PATH::x @everybody $(touch pwned) \"answer\":\"improved\""' 'sh prog.sh'
# A build that finds a file which commands the runner, or a token, fails.
echo 'echo "::error::from the build"; test -z "$GITHUB_ENV$GITHUB_OUTPUT$GITHUB_PATH$GITHUB_STEP_SUMMARY"; ! env | grep -q token' >build.sh
save 'what is measured'
git update-ref refs/remotes/origin/main HEAD
figures 120
save '::stop-commands::x'
pull_request stranger/r "$branch"
jq '.read_only = true | .pulls = []' "$state/api.json" >"$state/api" && mv "$state/api" "$state/api.json"
echo "# the first workflow, whose token cannot write"
run comment=true
test ! -e pwned || fail 'a name was run'
comments

# The second one has a token that can. The stranger's workflow was another one, and left more.
second()
{
	jq -n --arg branch "$branch" --arg sha "$(git rev-parse HEAD)" --arg event "${1:-pull_request}" '{_name: "workflow_run", workflow_run: {
		event: $event, id: 42, head_sha: $sha, head_branch: $branch, head_repository: {owner: {login: "stranger"}}}}' >"$event"
	action=$SOURCE_DIR/.github/action/comment
	run sarif=true
}
echo "# no pull request has this commit"
jq '.read_only = false' "$state/api.json" >"$state/api" && mv "$state/api" "$state/api.json"
second
echo "# one has, and somebody wrote a comment that begins like ours"
jq --arg branch "stranger:$branch" --arg sha "$(git rev-parse HEAD)" '.pulls = [{number: 5, head: {label: $branch, sha: $sha}}] |
	.comments["5"] = [{id: 3, user: {type: "User"}, body: "<!-- perfevo -->\n### perfevo: faster"}]' "$state/api.json" >"$state/api" &&
	mv "$state/api" "$state/api.json"
printf '#!/bin/sh\ntouch pwned\n' >"$state/artifact/perfevo.sh"
second
second
comments
jq -r '.comments["5"][1].body' "$state/api.json" >body
has_not 'a mention' body '@everybody'
echo "# what is no answer"
head -c 300000 /dev/zero | tr '\0' x >"$state/artifact/perfevo.md"
echo 'not JSON' >"$state/artifact/perfevo.sarif"
second
jq -r '.comments["5"][1].body | length' "$state/api.json"
rm "$state/artifact/"*
echo x >"$state/artifact/other"
second
echo "# of no pull request"
second push
test ! -e pwned || fail 'an artifact was run'

echo "# pull_request_target would give the build all rights"
unset action
event pull_request_target '"pull_request": {"base": {"ref": "main"}, "head": {"ref": "x"}}'
run
