#!/bin/sh
# Write what a workflow of a pull request left into that pull request. Its artifact is text of a stranger, who may have
# changed that workflow: nothing of it is run, unpacked or believed; which pull request it is comes from GitHub.
# shellcheck source=.github/action/lib.sh
. "$(dirname "$0")/../lib.sh"

[ "$EVENT" = pull_request ] || exit 0
mkdir -p "$perfevo_home"
cd "$perfevo_home"

# part NAME MOST: the file NAME of the artifact as it is, MOST bytes of it
part()
{
	unzip -p -qq artifact.zip "$1" 2>/dev/null | head -c "$2"
}

head=$(jq -rn --arg head "$HEAD_OWNER:$HEAD_BRANCH" '$head | @uri')
api GET "/repos/$GITHUB_REPOSITORY/pulls?state=open&per_page=100&head=$head" >pulls
number=$(jq -r --arg sha "$HEAD_SHA" '[.[] | select(.head.sha == $sha) | .number | numbers] | first // empty' pulls)
if [ -z "$number" ]; then
	echo "perfevo: the pull request is closed, or has newer commits"
	exit 0
fi
api GET "/repos/$GITHUB_REPOSITORY/actions/runs/$((RUN_ID))/artifacts?name=perfevo" >artifacts
id=$(jq -r '[.artifacts[] | select(.name == "perfevo" and (.expired | not)) | .id | numbers] | first // empty' artifacts)
if [ -z "$id" ]; then
	echo "perfevo: that workflow left no answer"
	exit 0
fi
api GET "/repos/$GITHUB_REPOSITORY/actions/artifacts/$id/zip" >artifact.zip

# A stranger's text calls nobody: a mention is one no more with an invisible character in it.
part perfevo.md 200000 | jq -Rrs 'split("@") | join("@\u200b")' >answer.md
[ "$(wc -c <answer.md)" -le 1 ] || stick "$number" answer.md

if [ "$INPUT_SARIF" = true ]; then
	part perfevo.sarif 10000000 >answer.sarif
	[ -s answer.sarif ] && jq -e '.version == "2.1.0"' answer.sarif >/dev/null 2>&1 || exit 0
	gzip -9n <answer.sarif | base64 | tr -d '\n' >answer.sarif.64
	jq -n --arg sha "$HEAD_SHA" --arg ref "refs/pull/$number/head" --rawfile sarif answer.sarif.64 \
		'{commit_sha: $sha, ref: $ref, sarif: $sarif, tool_name: "perfevo"}' >body
	api POST "/repos/$GITHUB_REPOSITORY/code-scanning/sarifs" body >/dev/null
fi
