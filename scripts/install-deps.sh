#!/bin/sh
# Install what building perfevo needs, on Debian 12 (and its relatives). Asks for nothing, and does nothing
# where everything is there already: then neither root nor a network is needed.
#
#   install-deps.sh [--build]   what building and running needs (default)
#   install-deps.sh --test      that, and what the tests, the linters and the benchmarks need
#   install-deps.sh --list      print what is missing and stop: exit 0 when nothing is, 1 otherwise
set -eu

# One row a need: how to see that it is there, its name, and the package that brings it.
#   cmd NAME          a command on PATH
#   mod NAME VERSION  a pkg-config module of at least that version; -: any
#   lib NAME          a static library of a compiler
#   file PATH         a file
BUILD='
cmd cc - gcc
lib c - libc6-dev
cmd make - make
cmd cmake 3.24 cmake
cmd ninja - ninja-build
cmd pkg-config - pkg-config
cmd git - git
mod libgit2 1.5 libgit2-dev
mod sqlite3 3.40 libsqlite3-dev
mod libzstd 1.5 libzstd-dev
mod zlib 1.2.11 zlib1g-dev
mod yaml-0.1 0.2.5 libyaml-dev
mod expat 2.4 libexpat1-dev
mod libseccomp 2.5 libseccomp-dev
mod libxxhash 0.8 libxxhash-dev
mod libutf8proc 2.5 libutf8proc-dev
mod tree-sitter - libtree-sitter-dev
mod libelf - libelf-dev
mod libdw - libdw-dev
file /usr/include/libiberty/demangle.h - libiberty-dev
file /usr/include/Zydis/Zydis.h - libzydis-dev
cmd npm - npm
cmd node - nodejs
file /etc/ssl/certs/ca-certificates.crt - ca-certificates
'
TEST='
cmd clang - clang
cmd ld.lld - lld
cmd python3 - python3
lib fuzzer - libclang-rt-dev
cmd clang-format - clang-format
cmd ccache - ccache
cmd sqlite3 - sqlite3
cmd xmllint - libxml2-utils
cmd chromium - chromium
cmd hyperfine - hyperfine
cmd mandoc - mandoc
cmd shellcheck - shellcheck
cmd ctags - universal-ctags
cmd fish - fish
cmd setsid - util-linux
cmd curl - curl
cmd jq - jq
cmd unzip - unzip
cmd zstd - zstd
file /usr/lib/python3/dist-packages/yaml/__init__.py - python3-yaml
cmd ps - procps
cmd g++ - g++
cmd objcopy - binutils
cmd meson - meson
file /usr/include/gtest/gtest.h - libgtest-dev
file /usr/sbin/munged - munge
file /usr/sbin/slurmctld - slurm-wlm
file /usr/include/doctest/doctest.h - doctest-dev
cmd go - golang-go
mod benchmark - libbenchmark-dev
file /usr/include/catch2/catch.hpp - catch2
cmd valgrind - valgrind
file /usr/lib/python3/dist-packages/pytest_benchmark/__init__.py - python3-pytest-benchmark
cmd autoreconf - autoconf
cmd automake - automake
'

die()
{
	echo "install-deps: $*" >&2
	exit 1
}

# At least version $2 of $1? Compared by field, as numbers.
version_reaches()
{
	[ "$2" = - ] && return 0
	printf '%s\n%s\n' "$2" "$1" | sort -t. -k1,1n -k2,2n -k3,3n -C
}

has()
{
	case $1 in
	cmd)
		command -v "$2" >/dev/null 2>&1 || return 1
		[ "$2" = cmake ] || return 0
		version_reaches "$(cmake --version | sed -n '1s/[^0-9]*//p')" "$3"
		;;
	mod)
		if [ "$3" = - ]; then
			pkg-config --exists "$2" >/dev/null 2>&1
		else
			pkg-config --atleast-version="$3" "$2" >/dev/null 2>&1
		fi
		;;
	file)
		[ -s "$2" ]
		;;
	lib)
		case $2 in
		c) [ -e "$(cc -print-file-name=libc.a 2>/dev/null || echo /nowhere)" ] ;;
		fuzzer) [ -n "$(find "$(clang -print-resource-dir 2>/dev/null || echo /nowhere)/lib" \
			-name 'libclang_rt.fuzzer*.a' 2>/dev/null | head -n 1)" ] ;;
		esac
		;;
	esac
}

# The packages whose needs are not met, separated by spaces.
missing()
{
	printf '%s\n' "$1" | while read -r kind name version package; do
		[ -n "$kind" ] || continue
		has "$kind" "$name" "$version" || echo "$package"
	done | sort -u | tr '\n' ' '
}

# The archive of a release has what npm fetches.
[ ! -d "$(dirname "$0")/../vendor" ] || BUILD=$(printf '%s\n' "$BUILD" | grep -vE ' (npm|nodejs|ca-certificates)$')
needs=$BUILD
list=no
for arg; do
	case $arg in
	--build) ;;
	--test) needs=$BUILD$TEST ;;
	--list) list=yes ;;
	-h | --help)
		sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
		exit 0
		;;
	*) die "unknown option '$arg' (there are --build, --test and --list)" ;;
	esac
done

wanted=$(missing "$needs")
[ -n "$wanted" ] || exit 0
if [ "$list" = yes ]; then
	echo "$wanted" | tr -s ' ' '\n'
	exit 1
fi

command -v apt-get >/dev/null 2>&1 ||
	die "this system has no apt-get; install these (Debian's names) and run again: $wanted"
as_root=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null 2>&1 ||
		die "neither root nor sudo; as root, run: apt-get install $wanted"
	as_root=sudo
fi

# sudo drops the environment: what apt must know travels through env.
apt()
{
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 -q "$@" </dev/null
}

echo "install-deps: installing $wanted"
apt update || echo "install-deps: the package lists could not be renewed; trying with the old ones" >&2
# shellcheck disable=SC2086 # one word a package
apt install -y --no-install-recommends $wanted

left=$(missing "$needs")
[ -z "$left" ] || die "still missing after installing: $left"
