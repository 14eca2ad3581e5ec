# What is installed is what the list of checksums, its signature and the workflow say; else nothing runs.
. "$CASE_DIR/action_lib.sh"
command -v ssh-keygen >/dev/null || exit 77
event push '"before": "0000000000000000000000000000000000000000"'
archive=$(cd "$state/release" && echo *.zst)
sum=$(sed 's/ .*//' "$state/release/SHA256SUMS")

# attempt: its command and its end, with this archive's names and sums left out
attempt()
{
	echo "# $1"
	shift
	run "$@" | grep -E '^(command|failed|verdict)' | sed "s|http://127.0.0.1:[0-9]*|SERVER|; s/$archive/ARCHIVE/g; s|/v$version|/vVERSION|; s/[0-9a-f]\{64\}/SUM/"
}
attempt 'as it is' base=main sha256="$sum"
attempt 'another one is pinned' sha256=0000
cp "$state/release/$archive" kept
echo >>"$state/release/$archive"
attempt 'a changed archive'
(cd "$state/release" && sha256sum "$archive" >SHA256SUMS)
attempt 'and changed sums, where the first is pinned' sha256="$sum"
rm "$state/release/SHA256SUMS"
attempt 'no sums'
rm "$state/release/$archive"
attempt 'no archive'
grep -c '^### perfevo: nothing measured' "$state/summary"

# With the keys of maintainers beside the action, a signature is wanted.
mkdir signed
cp -R "$SOURCE_DIR/.github" "$SOURCE_DIR/CMakeLists.txt" signed
action=$PWD/signed/.github/action
ssh-keygen -q -t ed25519 -N '' -C me -f key
ssh-keygen -q -t ed25519 -N '' -C me -f stranger
echo "me $(cat key.pub)" >"$action/maintainers"
cp kept "$state/release/$archive"
(cd "$state/release" && sha256sum "$archive" >SHA256SUMS)
attempt 'no signature' base=main
ssh-keygen -q -Y sign -n perfevo-release -f stranger "$state/release/SHA256SUMS"
attempt 'of a stranger' base=main
rm "$state/release/SHA256SUMS.sig"
ssh-keygen -q -Y sign -n perfevo-release -f key "$state/release/SHA256SUMS"
attempt 'of a maintainer' base=main
