#!/usr/bin/env python3
"""Print what is in a release as an SPDX 2.3 document: its files, what they hold of npm, and of Debian's static libraries.

    SOURCE_DATE_EPOCH=n scripts/sbom.py SOURCES COMMIT FOLDER [PACKAGE...]

SOURCES is the unpacked archive of the sources, FOLDER has the files, PACKAGE is a Debian package that is linked into the programs
of the archive for any Linux.
"""
import base64
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time


def identifier(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(words))


def package(name, version, spdx_id, licence, **more):
    return {"SPDXID": spdx_id, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "NOASSERTION", "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more}


def purl(locator):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]


def released(folder, version):
    """The release's own files."""
    for path in sorted(folder.iterdir()):
        if re.search(r"\.(deb|tar\.gz|tar\.zst)$", path.name):
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            yield package("perfevo", version, identifier("File", path.name), "MIT", packageFileName=path.name,
                          checksums=[{"algorithm": "SHA256", "checksumValue": digest}])


def of_npm(sources):
    """What is compiled in or embedded: locked packages whose files the archive has."""
    for lock in sorted(sources.glob("**/package-lock.json")):
        for place, entry in json.loads(lock.read_text())["packages"].items():
            folders = [sources / "vendor" / kind / place for kind in ("web", "grammars")]
            if place == "" or not any(folder.is_dir() for folder in folders):
                continue
            name = place.removeprefix("node_modules/")
            sha512 = base64.b64decode(entry["integrity"].removeprefix("sha512-")).hex()
            yield package(name, entry["version"], identifier("npm", name), entry.get("license", "NOASSERTION"),
                          checksums=[{"algorithm": "SHA512", "checksumValue": sha512}],
                          externalRefs=purl(f"pkg:npm/{name.replace('@', '%40')}@{entry['version']}"))


def of_debian(names):
    for name in names:
        answer = subprocess.run(["dpkg-query", "-W", "-f", "${Version} ${Architecture}", name], capture_output=True, text=True, check=True)
        version, architecture = answer.stdout.split()
        yield package(name, version, identifier("deb", name), "NOASSERTION",
                      externalRefs=purl(f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}"))


def main():
    sources, commit, folder, names = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:]
    version = re.search(r"^project\(perfevo VERSION ([0-9.]+)", (sources / "CMakeLists.txt").read_text(), re.M)[1]
    files, inside, linked = list(released(folder, version)), list(of_npm(sources)), list(of_debian(names))
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", each) for each in files]
    relations += [(each["SPDXID"], "CONTAINS", part) for each in files for part in inside]
    relations += [(each["SPDXID"], "CONTAINS", part) for each in files for part in linked if each["packageFileName"].endswith(".zst")]
    json.dump({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"perfevo-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/perfevo-{version}-{commit}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))),
                         "creators": [f"Tool: perfevo-sbom-{version}"]},
        "packages": files + inside + linked,
        "relationships": [{"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": part["SPDXID"]}
                          for of, kind, part in relations],
    }, sys.stdout, indent=1, ensure_ascii=False)
    print()


main()
