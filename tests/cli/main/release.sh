# An archive of a release is the same wherever it is made; its checksums are signed, and a changed file is told.
# shellcheck shell=sh
command -v ssh-keygen >/dev/null || exit 77
mkdir scripts
cp "$SOURCE_DIR/scripts/release.sh" scripts/
echo 'project(perfevo VERSION 1.2.3 LANGUAGES C' >CMakeLists.txt
git init -q -b main
git config user.name A
git config user.email a@example.org
git add .
git commit -qm x
git tag v1.2.3
git tag v1.2.4
git clone -q . ../other
ssh-keygen -q -t ed25519 -N '' -C me -f ../key
echo "me $(cat ../key.pub)" >../maintainers

scripts/release.sh v1.2.4 ../wrong 2>&1
scripts/release.sh v1.2.3 ../here ../key >/dev/null 2>&1
(umask 077 && cd ../other && git config core.autocrlf true && scripts/release.sh v1.2.3 ../there >/dev/null)
cmp ../here/SHA256SUMS ../there/SHA256SUMS && echo "the same"
tar -tzf ../here/perfevo-1.2.3.tar.gz
cut -f 2 ../here/perfevo-1.2.3.contents
check()
{
	(cd ../here && ssh-keygen -Y verify -f ../maintainers -I me -n perfevo-release -s SHA256SUMS.sig <SHA256SUMS >/dev/null 2>&1 &&
		sha256sum --quiet -c SHA256SUMS 2>/dev/null)
}
check && echo "good"
echo >>../here/perfevo-1.2.3.tar.gz
check || echo "another archive"
(cd ../here && sha256sum perfevo-1.2.3.tar.gz >SHA256SUMS)
check || echo "other checksums"
