# What a release consists of is the same wherever it is made; its checksums are signed, and a changed file is told. The project
# is a small one with perfevo's rules for packages.
set +e # where it is refused, its message is what counts
for tool in ssh-keygen dpkg-deb ninja zstd python3 npm; do
	command -v $tool >/dev/null || exit 77
done
mkdir scripts cmake web
cp "$SOURCE_DIR/scripts/release.sh" "$SOURCE_DIR/scripts/sbom.py" scripts/
cp "$SOURCE_DIR/cmake/package.cmake" "$SOURCE_DIR/cmake/package_files.cmake" cmake/
cat >web/package-lock.json <<'END'
{"packages": {"": {}, "node_modules/@x/chart": {"version": "2.0.1", "license": "MIT", "integrity": "sha512-AAEC"},
	"node_modules/bundler": {"version": "1.0.0", "license": "MIT", "integrity": "sha512-AAEC"}}}
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.24)
project(perfevo VERSION 1.2.3 LANGUAGES NONE)
add_custom_target(vendor COMMAND cmake -E make_directory vendor/web/node_modules/@x/chart
	COMMAND cmake -E touch vendor/web/node_modules/@x/chart/LICENSE vendor/web/page.js)
install(PROGRAMS scripts/release.sh DESTINATION bin RENAME perfevo)
install(DIRECTORY cmake/ DESTINATION share/perfevo)
include(cmake/package.cmake)
END
git init -q -b main
git config user.name A
git config user.email a@example.org
git add .
GIT_COMMITTER_DATE='2024-01-01 00:00:00 +0000' GIT_AUTHOR_DATE='2024-01-01 00:00:00 +0000' git commit -qm x
git tag v1.2.3
git tag v1.2.4
git clone -q . ../other
ssh-keygen -q -t ed25519 -N '' -C me -f ../key
echo "me $(cat ../key.pub)" >../maintainers

scripts/release.sh v1.2.4 ../wrong 2>&1
scripts/release.sh v1.2.5 ../wrong 2>&1
scripts/release.sh v1.2.3 ../wrong ../key 2>&1
export PERFEVO_CONTACT='Ada Example <ada@example.org>'
scripts/release.sh v1.2.3 ../here ../key >../log 2>&1 || cat ../log
# In memory, where that is there: another file system.
place=$(cd ../other && pwd)
[ ! -w /dev/shm ] || place=/dev/shm
(umask 077 && cd ../other && git config core.autocrlf true && TZ=Asia/Tokyo TMPDIR=$place scripts/release.sh v1.2.3 ../there >/dev/null)
cmp ../here/SHA256SUMS ../there/SHA256SUMS && echo "the same"
cut -d ' ' -f 3 ../here/SHA256SUMS | sed "s/$(uname -m)/MACHINE/; s/_$(dpkg --print-architecture)/_ARCH/"
tar -tzf ../here/perfevo-1.2.3.tar.gz
cut -f 2 ../here/perfevo-1.2.3.contents
dpkg-deb -c ../here/*.deb | awk '{ print $1, $4, $6 }'
tar --zstd -tvf ../here/*.zst | awk '{ print $1, $2, $6 }' | sed "s/$(uname -m)/MACHINE/"
echo "# what is in it"
python3 - ../here/perfevo-1.2.3.spdx.json <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
print(document["spdxVersion"], document["creationInfo"]["created"])
names = {each["SPDXID"]: each["name"] + " " + each["versionInfo"] for each in document["packages"]}
assert len(names) == len(document["packages"])
for each in document["packages"]:
    print(each["name"], each["versionInfo"], each["licenseDeclared"], each.get("externalRefs", [{}])[0].get("referenceLocator"))
for each in document["relationships"]:
    assert each["spdxElementId"] in names or each["spdxElementId"] == document["SPDXID"]
    assert each["relatedSpdxElement"] in names
END
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
