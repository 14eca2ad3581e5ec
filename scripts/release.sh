#!/bin/sh
# Make what a release consists of: the sources as one archive, which is the same byte for byte wherever it is made from the
# same tag; a list of what is in it; checksums of both; and a signature of these.
#
#   scripts/release.sh TAG FOLDER [KEY]
#
# FOLDER is made. KEY is a private key of ssh, or a public one whose other half an agent has; without it nothing is signed.
set -eu

usage='usage: scripts/release.sh TAG FOLDER [KEY]'
tag=${1:?"$usage"}
folder=${2:?"$usage"}
key=${3-}

cd "$(dirname "$0")/.."
version=$(git show "$tag:CMakeLists.txt" | sed -n 's/^project(perfevo VERSION \([0-9.]*\).*/\1/p')
if [ "$tag" != "v$version" ]; then
	echo "release.sh: the sources of '$tag' are those of version '$version': tag them v$version" >&2
	exit 1
fi
name=perfevo-$version
mkdir -p "$folder"
# Neither the time nor anybody's settings are part of it.
git -c tar.umask=0022 -c core.autocrlf=false archive --format=tar --prefix="$name/" "$tag^{commit}" |
	gzip -n -9 >"$folder/$name.tar.gz"
git ls-tree -r "$tag^{commit}" >"$folder/$name.contents"
(
	cd "$folder"
	sha256sum "$name.tar.gz" "$name.contents" >SHA256SUMS
)
[ -z "$key" ] || ssh-keygen -Y sign -n perfevo-release -f "$key" "$folder/SHA256SUMS"
cat "$folder/SHA256SUMS"
