#!/bin/sh
# Make what a release consists of, the same byte for byte wherever it is made from the same tag on the same Debian:
#
#   perfevo-V.tar.gz                  the sources, with all that a clone takes from npm: building needs neither npm nor node
#   perfevo_V_ARCH.deb                for this Debian
#   perfevo-V-linux-MACHINE.tar.zst   for any Linux with glibc 2.28: libraries are inside, and it may be unpacked anywhere
#   perfevo-V.contents, .spdx.json    the files in git, and the parts in the archives (SPDX 2.3)
#   SHA256SUMS, SHA256SUMS.sig        checksums of all, and their signature
#
#   PERFEVO_CONTACT='NAME <ADDRESS>' scripts/release.sh TAG FOLDER [KEY]
#
# FOLDER is made. KEY is a private key of ssh, or a public one whose other half an agent has; without it nothing is signed.
# PERFEVO_CONTACT is the maintainer of the package. Without a key, to try it, it may be left out.
set -eu

usage='usage: scripts/release.sh TAG FOLDER [KEY]'
tag=${1:?"$usage"}
folder=${2:?"$usage"}
key=${3-}
glibc=2.28

die()
{
	echo "release.sh: $*" >&2
	exit 1
}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ -z "$key" ] || key=$(cd "$(dirname "$key")" && pwd)/$(basename "$key")
cd "$(dirname "$0")/.."
commit=$(git rev-parse --verify --quiet "$tag^{commit}") || die "no commit is called '$tag'"
version=$(git show "$commit:CMakeLists.txt" | sed -n 's/^project(perfevo VERSION \([0-9.]*\).*/\1/p')
[ -z "$key" ] || [ -n "${PERFEVO_CONTACT-}" ] || die "set PERFEVO_CONTACT to the package's maintainer, as in 'Ada Example <ada@example.org>'"
[ "$tag" = "v$version" ] || die "the sources of '$tag' are those of version '$version': tag them v$version"
name=perfevo-$version
binaries=$name-linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# Neither the time nor the place nor anybody's settings are part of it.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$commit")
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C
umask 022

# pack NAME: the folder NAME as a tar file
pack()
{
	tar -C "$work" --format=gnu --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cf - "$1"
}

# Sentences of what is called are shown where it fails.
quietly()
{
	"$@" >"$work/log" 2>&1 || {
		cat "$work/log" >&2
		die "failed: $*"
	}
}

# What the preloaded libraries stand before.
exported()
{
	find "$work/build" -name 'libperfevo_*.so' -exec nm -D --defined-only {} + | awk 'NF > 2 { print $2, $3 }' | sort
}

git -c tar.umask=0022 -c core.autocrlf=false archive --format=tar --prefix="$name/" "$commit" | tar -C "$work" -xof -
quietly cmake -S "$work/$name" -B "$work/bundle" -G Ninja -DPERFEVO_TESTS=OFF
quietly cmake --build "$work/bundle" --target vendor
mv "$work/bundle/vendor" "$work/$name/vendor"
pack "$name" | gzip -n -9 >"$folder/$name.tar.gz"
git ls-tree -r "$commit" >"$folder/$name.contents"

# Both kinds of programs are linked from the same objects, which are compiled from that archive.
quietly cmake -S "$work/$name" -B "$work/build" -G Ninja -DPERFEVO_TESTS=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	${PERFEVO_CONTACT:+"-DPERFEVO_CONTACT=$PERFEVO_CONTACT"} \
	-DCMAKE_C_FLAGS_RELWITHDEBINFO='-O2 -DNDEBUG'
quietly cmake --build "$work/build"
quietly cpack --config "$work/build/CPackConfig.cmake" -G DEB -B "$work/packed"
# cpack counts folders, whose size is the file system's, and calls ldconfig for libraries that are only preloaded.
dpkg-deb -R "$work"/packed/*.deb "$work/deb"
rm -f "$work"/deb/DEBIAN/postinst "$work"/deb/DEBIAN/postrm
size=$(find "$work/deb/usr" -type f -printf '%s\n' | awk '{ all += int(($1 + 1023) / 1024) } END { print all }')
sed -i "s/^Installed-Size:.*/Installed-Size: $size/" "$work/deb/DEBIAN/control"
quietly dpkg-deb --root-owner-group -b "$work/deb" "$folder"
exported >"$work/exported"
quietly cmake -DPERFEVO_PORTABLE=$glibc "$work/build"
quietly cmake --build "$work/build"
exported | diff "$work/exported" - || die "the preloaded libraries of $binaries export something else"
quietly cmake --install "$work/build" --prefix "$work/$binaries" --strip

# What is inside has its licences beside it, and nothing wants a newer libc.
static=$(sed -n 's/^pkgcfg_lib_[^=]*=\(.*\.a\)$/\1/p' "$work/build/CMakeCache.txt")
for library in pcre2-8 mbedtls mbedx509 mbedcrypto http_parser lzma bz2 iberty c seccomp; do
	[ -z "$static" ] || static="$static $(readlink -f "$(cc -print-file-name=lib$library.a)")"
done
shared=$(find "$work/$binaries" -name 'libZydis.so*' -exec basename {} ';' | sed 's|^|*/|')
# shellcheck disable=SC2086 # one word a file; a pattern is dpkg's
packages=$([ -z "$static$shared" ] || dpkg-query -S $static $shared | sed 's/:.*//' | sort -u)
licences=$work/$binaries/share/doc/perfevo/licences
for package in $packages; do
	mkdir -p "$licences"
	cp "/usr/share/doc/$package/copyright" "$licences/$package"
done
needed=$(find "$work/$binaries" -type f -exec readelf -VW {} + 2>/dev/null | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
printf '%s\n' "${needed#GLIBC_}" "$glibc" | sort -VC || die "the programs in $binaries need $needed"
if grep -rlF "$work" "$work/packed" "$work/$binaries"; then
	die "these name the folder in which they were built"
fi
pack "$binaries" | zstd -q -19 -T1 >"$folder/$binaries.tar.zst"

# shellcheck disable=SC2086 # one word a package
python3 "$work/$name/scripts/sbom.py" "$work/$name" "$commit" "$folder" $packages >"$work/sbom"
cp "$work/sbom" "$folder/$name.spdx.json"
cd "$folder"
sha256sum -- *.tar.gz *.deb *.tar.zst *.contents *.spdx.json >SHA256SUMS
[ -z "$key" ] || ssh-keygen -Y sign -n perfevo-release -f "$key" SHA256SUMS
cat SHA256SUMS
