# The component for GitLab CI: its script, with the inputs filled in as GitLab does, fails for a regression unless it is asked not
# to, and runs nothing whose checksum is another.
# shellcheck source=tests/cli/ci/action_lib.sh
. "$CASE_DIR/action_lib.sh"
command git init -q --bare ../origin
git remote add origin "$PWD/../origin"
git push -q origin main topic
figures 120
save slower
before=$PWD

# component INPUT=VALUE...: the job
component()
{
	python3 - "$SOURCE_DIR/templates/perfevo.yml" "release=file://$state/release" "$@" >../job <<'END'
import re, shlex, sys, yaml
spec, body = open(sys.argv[1]).read().split("\n---\n")
inputs = {name: str(each.get("default", "")) for name, each in yaml.safe_load(spec)["spec"]["inputs"].items()}
inputs |= dict(word.split("=", 1) for word in sys.argv[2:])
job = yaml.safe_load(re.sub(r"\$\[\[ inputs\.([a-z0-9-]+) \]\]", lambda match: inputs[match[1]], body))["perfevo"]
for name, value in job["variables"].items():
    quoted = shlex.quote(str(value)) if "CI_PROJECT_DIR" not in str(value) else '"' + value + '"'
    print(f"export {name}={quoted}")
print(*job["script"], sep="\n")
END
	CI=true CI_PROJECT_DIR=$PWD/.. CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main TMPDIR=$before/../tmp sh ../job >../log 2>&1 || echo "status $?"
	rm -f perfevo.xml.kept && [ ! -e perfevo.xml ] || mv perfevo.xml ..
}
mkdir ../tmp
sum=$(sed 's/ .*//' "$state/release/SHA256SUMS")
component sha256="$sum" image=x version="$version"
grep -c '<failure' ../perfevo.xml
component sha256="$sum" image=x version="$version" fail-on=never
has 'an answer' ../log 'regressed'
component sha256=0000 image=x version="$version"
has_not 'an answer' ../log 'regressed'
