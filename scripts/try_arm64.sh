#!/bin/sh
# Try perfevo for arm64 on another machine: make a Debian of arm64, cross-compile against it, and run the unit tests, and `track`,
# `log`, `report` and `ci` on the sample, below qemu-user.
#
#   scripts/try_arm64.sh FOLDER [REGEX]    FOLDER: gets the Debian, 1 GB, and keeps it; REGEX: the unit tests to run (all)
#
# Needs mmdebstrap, g++-aarch64-linux-gnu and qemu-user-static of Debian, and Linux 6.7, where a namespace has its own list of
# interpreters: nothing is registered with this machine, and nobody has to be root. It takes an hour on two busy cores.
set -eu

packages='mount,libc6-dev,libgit2-dev,libsqlite3-dev,libzstd-dev,zlib1g-dev,libyaml-dev,libexpat1-dev,libseccomp-dev'
packages=$packages,libxxhash-dev,libutf8proc-dev,libtree-sitter-dev,libelf-dev,libdw-dev,libiberty-dev,libzydis-dev
packages=$packages,gcc,g++,clang,make,cmake,ninja-build,git,valgrind,sqlite3,procps

folder=${1:?"usage: scripts/try_arm64.sh FOLDER [REGEX]"}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
root=$folder/root
cd "$(dirname "$0")/.."
sources=$PWD
build=$sources/build/arm64

step()
{
	printf '\n== %s\n' "$*"
}

# Packages are unpacked, and none of their scripts is run: what these would do and is needed is done here.
make_root()
{
	rm -rf "$root.new"
	mkdir "$root.new"
	mmdebstrap --quiet --arch=arm64 --variant=extract --include='?essential' --include="$packages" \
		--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --format=tar bookworm - |
		tar -C "$root.new" --no-same-owner --exclude='./dev/*' -xf -
	cd "$root.new"
	# Links are followed from outside, too.
	find . -type l -lname '/*' | while read -r link; do
		to=.$(readlink "$link")
		rm "$link"
		ln -sr "$to" "$link"
	done
	for name in cc:gcc c++:g++ awk:mawk; do
		ln -sf "${name#*:}" "usr/bin/${name%:*}"
	done
	cp usr/share/base-passwd/passwd.master etc/passwd
	cp usr/share/base-passwd/group.master etc/group
	mkdir -p proc sys dev mnt root ".$sources"
	cd "$sources"
	mv "$root.new" "$root"
}

# In namespaces of our own: the kernel starts programs for arm64 by qemu, in the root, too.
if [ "${2-}" = --inside ]; then
	shift 2
	mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
	cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register
	mount --bind "$root" "$root"
	for place in /proc /sys /dev "$sources"; do
		mkdir -p "$root$place"
		mount --rbind "$place" "$root$place"
	done
	"$@" # not in place of this process, the first of the namespace, which no signal ends
	exit
fi

# Below qemu-user what a command leaves behind is not ended: the end of their namespace ends it, and KILL alone ends unshare.
inside()
{
	unshare --map-root-user --user --mount --pid --fork --kill-child --mount-proc "$sources/scripts/try_arm64.sh" "$folder" --inside "$@" &
	namespace=$!
	code=0
	wait "$namespace" || code=$?
	namespace=
	return "$code"
}
namespace=
trap '[ -z "$namespace" ] || kill -KILL "$namespace"' EXIT
trap 'exit 130' INT TERM HUP

[ -d "$root" ] || {
	step "a Debian of arm64"
	make_root
}

step "cross-compiling"
# What runs a program for arm64: at its place in the root, which is no chroot, for there no program gets namespaces of its own.
cat >"$folder/run" <<END
#!/bin/sh
exec unshare -m sh -euc 'here=\$PWD; cd "\$0"; pivot_root . mnt; cd "\$here"; exec "\$@"' "$root" \\
	/usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin HOME=/root LC_ALL=C.UTF-8 "\$@"
END
chmod +x "$folder/run"
export PERFEVO_ARM64_ROOT="$root"
cmake --preset arm64 -UCMAKE_CROSSCOMPILING_EMULATOR >/dev/null
cmake --build --preset arm64 --target perfevo perfevo-texts
tests=$(ninja -C "$build" -t targets all | sed -n 's/^\(test_[a-z_0-9]*\): phony$/\1/p')
# shellcheck disable=SC2086 # one word a target
ninja -C "$build" $tests
cmake --preset arm64 -DCMAKE_CROSSCOMPILING_EMULATOR="$folder/run" >/dev/null # of tests; the build has run what it runs

status=0
step "unit tests"
# Labels (tests/CMakeLists.txt): 'sanitized' are those of one header; 'kernel' those that need what qemu-user has not, of which the
# facts that fail are printed; 'release' are arithmetic. Scripts that drive the tool are for the machine that builds.
inside ctest --test-dir "$build" -j2 -L '^sanitized$' -LE '^kernel$' -R "${2:-.}" -E '^(browser|cli|docs|hostile|schemas)[.]' \
	--output-on-failure || status=1
step "unit tests of what qemu-user has in part: facts that fail"
inside ctest --test-dir "$build" -j2 -L '^kernel$' -R "${2:-.}" --timeout 300 -V >"$folder/kernel" 2>&1 || :
grep -E '^[0-9]+: (failed:|[0-9]+ tests)' "$folder/kernel" || :

step "the sample"
cp scripts/sample-history.sh scripts/made-history.sh "$root/root/"
cat >"$root/root/sample" <<'END'
set -eu
cd /root
git config --global user.name a
git config --global user.email a@example.org
rm -rf /root/sample-history /root/.cache
/root/sample-history.sh /root/sample-history >/dev/null
cd /root/sample-history
"$1" --version
"$1" track slower --last 3 --quick --no-open --no-confirm >/root/said 2>/root/progress || cat /root/progress
cat /root/said
grep -q '^   words  simulated instructions +1[0-9.]* %' /root/said
"$1" log slower -n 3 | tee /root/said
grep -q '+1[0-9.]* % .* table: take the' /root/said
"$1" report slower -n 3 -o /root/page.html --no-profile # callgrind does not end below qemu
grep -q '</html>' /root/page.html
code=0
"$1" ci --base slower~1 --counts slower >/root/said || code=$?
cat /root/said
[ "$code" -eq 1 ]
END
inside "$folder/run" /bin/sh /root/sample "$build/cmd/perfevo" || status=1
[ "$status" -eq 0 ] && step "passed: unit tests, track, log, report, ci"
exit "$status"
