# A repository with a pull request, a release to install, and a runner.
. "$CASE_DIR/lib.sh"
for tool in curl jq unzip zstd; do
	command -v $tool >/dev/null || exit 77
done
python3 -c 'import yaml' 2>/dev/null || exit 77

# The archive of a release, with a program that calls the one that was built.
version=$(sed -n 's/^project(perfevo VERSION \([0-9.]*\).*/\1/p' "$SOURCE_DIR/CMakeLists.txt")
mkdir -p state/release "perfevo-$version-linux-$(uname -m)/bin"
# Functions that caused it are not what is tested.
printf '#!/bin/sh\ncommand=$1\nshift\nexec %s/cmd/perfevo "$command" --no-profile "$@"\n' "$BUILD_DIR" >"perfevo-$version-linux-$(uname -m)/bin/perfevo"
chmod +x perfevo-*/bin/perfevo
tar --zstd -cf "state/release/perfevo-$version-linux-$(uname -m).tar.zst" perfevo-*
(cd state/release && sha256sum -- *.zst >SHA256SUMS)
echo '{"comments": {}, "pulls": []}' >state/api.json
state=$PWD/state
event=$PWD/event.json

topic_repo
git update-ref refs/remotes/origin/main main

# event NAME MEMBERS: what happened, as GitHub's documentation has it
event()
{
	printf '{"_name": "%s", %s}\n' "$1" "$2" >"$event"
}

# pull_request REPOSITORY BRANCH: of a branch of a repository; o/r is the one it is for
pull_request()
{
	jq -n --arg repository "$1" --arg branch "$2" '{_name: "pull_request", pull_request: {number: 5,
		base: {ref: "main", repo: {full_name: "o/r"}}, head: {ref: $branch, repo: {full_name: $repository}}}}' >"$event"
}

# run INPUT=VALUE...: the action
run()
{
	python3 "$CASE_DIR/runner.py" "${action:-$SOURCE_DIR/.github/action}" "$event" "$state" "$@"
}

# The comments of the pull request: who, the first words
comments()
{
	jq -r '.comments["5"][]? | "\(.id) \(.user.type): \(.body | gsub("\n"; " ") | .[0:70])"' "$state/api.json"
}
