#!/bin/sh
# Try what scripts/release.sh made: lintian; the package, in a fresh Debian 12 by the steps of Containerfile, tracks the sample and is
# removed; the archive tracks it where no library of perfevo's is installed. Needs mmdebstrap, lintian and Debian's packages.
#
#   scripts/try_release.sh FOLDER [SUITE...]    SUITE: Debians in which the archive runs (bookworm bullseye)
set -eu

folder=$(cd "${1:?usage: scripts/try_release.sh FOLDER [SUITE...]}" && pwd)
shift
[ $# -gt 0 ] || set -- bookworm bullseye
sources=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
chmod 755 "$work"

step()
{
	printf '\n== %s\n' "$*"
}

step "lintian"
lintian --fail-on error --tag-display-limit 0 "$folder"/perfevo_*.deb
(cd "$folder" && sha256sum --quiet -c SHA256SUMS)

# What is done in each root, with /perfevo as the program: three commits of the sample, of which the last one is slower.
cat >"$work/sample" <<'END'
set -eu
export HOME=/root PERFEVO_SANDBOX=off DEBIAN_FRONTEND=noninteractive
git config --global user.name a
git config --global user.email a@example.org
/release/sample-history.sh /sample >/dev/null
cd /sample
"$1" --version
"$1" track slower --last 3 --no-open --no-confirm | tail -n 20
"$1" show slower | head -n 20
"$1" ci --base HEAD~1 --simulated || test $? -eq 125
END
mkdir "$work/release"
cp "$folder"/perfevo_*.deb "$folder"/perfevo-*.tar.zst "$sources/scripts/sample-history.sh" "$sources/scripts/made-history.sh" "$work/sample" \
	"$work/release"

# root SUITE PACKAGES COMMANDS: in a fresh root
root()
{
	mmdebstrap --quiet --mode=unshare --variant=apt --include="$2" \
		--customize-hook="copy-in $work/release /" --customize-hook="chroot \"\$1\" sh -euc '$3'" "$1" /dev/null
}

step "the package, in Debian 12, as Containerfile installs it"
# Its one RUN, without what comes from COPY.
commands=$(sed -n '/^RUN /,/[^\\]$/p' "$sources/Containerfile" | sed 's/^RUN //; s|/tmp/perfevo|/release/perfevo|g; s/\\$//' | tr '\n\t' '  ')
root bookworm ca-certificates "export DEBIAN_FRONTEND=noninteractive; cp -R /release /kept; $commands; cp -R /kept/. /release; sh /release/sample perfevo
	test -s /usr/share/zsh/vendor-completions/_perfevo
	apt-get -q purge -y perfevo >/dev/null; ! ls -d /usr/*/perfevo /usr/*/*/perfevo 2>/dev/null"
for suite; do
	step "the archive, in $suite"
	root "$suite" ca-certificates,git,gcc,libc6-dev,make,valgrind,zstd "tar -C /opt --zstd -xf /release/perfevo-*.tar.zst; mv /opt/perfevo-* /opt/moved
		sh /release/sample /opt/moved/bin/perfevo"
done
