#!/bin/sh
# Write the answer into the pull request that this job is of. The token of a fork's may not: there the second workflow does.
# shellcheck source=.github/action/lib.sh
. "$(dirname "$0")/lib.sh"

[ -n "$NUMBER" ] && [ -s "$answer/perfevo.md" ] || exit 0
if [ "$HEAD_REPOSITORY" != "$GITHUB_REPOSITORY" ]; then
	echo "perfevo: a pull request from a fork: the second workflow writes the comment (docs/ci.md)"
	exit 0
fi
stick "$((NUMBER))" "$answer/perfevo.md"
