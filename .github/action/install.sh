#!/bin/sh
# Install the archive of the release of this version, after its checksum was verified, and add it to PATH.
# shellcheck source=.github/action/lib.sh
. "$(dirname "$0")/lib.sh"

# It would give what a stranger proposes the secrets and the right to write of this repository.
[ "$EVENT_NAME" != pull_request_target ] ||
	fail "perfevo builds and runs what a pull request proposes, and does not do that under pull_request_target: use pull_request."

root=$(dirname "$0")/../..
version=$(sed -n 's/^project(perfevo VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
archive=perfevo-$version-linux-$(uname -m).tar.zst
# GitHub promises composite actions no variable with their repository; the folder that they are put in is named by it.
repository=$(printf '%s\n' "$GITHUB_ACTION_PATH" | sed -n 's|.*/_actions/\([^/]*/[^/]*\)/.*|\1|p')
from=${INPUT_RELEASE:-$GITHUB_SERVER_URL/${ACTION_REPOSITORY:-$repository}/releases/download/v$version}
mkdir -p "$perfevo_home/download" "$perfevo_home/answer" "$perfevo_home/store"
cd "$perfevo_home/download"

# download NAME: 0 where it is there now
download()
{
	curl --silent --show-error --fail --location --retry 2 --output "$1" "$from/$1"
}

download "$archive" || fail "There is no $archive in $from."
download SHA256SUMS || fail "There is no SHA256SUMS in $from."
# The keys of those who may release are pinned with this file, where there are any.
if [ -s "$root/.github/action/maintainers" ]; then
	download SHA256SUMS.sig || fail "There is no SHA256SUMS.sig in $from."
	signer=$(ssh-keygen -Y find-principals -f "$root/.github/action/maintainers" -s SHA256SUMS.sig | head -n 1)
	ssh-keygen -Y verify -f "$root/.github/action/maintainers" -I "${signer:-nobody}" -n perfevo-release -s SHA256SUMS.sig <SHA256SUMS ||
		fail "SHA256SUMS in $from is not signed by a maintainer."
fi
found=$(sha256sum "$archive" | cut -d ' ' -f 1)
[ "$(sed -n "s/^\([0-9a-f]*\)  $archive\$/\1/p" SHA256SUMS)" = "$found" ] ||
	fail "$archive is not what SHA256SUMS says: it has the checksum $found."
[ "${INPUT_SHA256:-$found}" = "$found" ] || fail "$archive has the checksum $found, and not that of 'sha256'."
tar --zstd -xof "$archive" -C "$perfevo_home"
printf '%s\n' "$perfevo_home/${archive%.tar.zst}/bin" >>"$GITHUB_PATH"

# Counts are valgrind's. A machine that GitHub lends for one job may be changed.
if [ "${RUNNER_ENVIRONMENT-}" = github-hosted ] && sudo -n true 2>/dev/null; then
	command -v valgrind >/dev/null || [ "$INPUT_COUNTS_ONLY" != true ] ||
		{ sudo apt-get -qq update && sudo apt-get -qq install -y --no-install-recommends valgrind >/dev/null; }
	# The sandbox of builds needs namespaces, which Ubuntu gives to programs alone that it knows.
	sudo sysctl -q -w kernel.apparmor_restrict_unprivileged_userns=0 2>/dev/null || true
fi
