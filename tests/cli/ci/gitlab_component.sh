# The component for GitLab CI: its script, with the inputs filled in as GitLab does, fails for a regression unless it is asked not
# to, and runs nothing whose checksum is another.
. "$CASE_DIR/action_lib.sh"
command git init -q --bare ../origin
git remote add origin "$PWD/../origin"
git push -q origin main topic
figures 120
save slower
before=$PWD

# job NAME INPUT=VALUE...: its script, in ../job
job()
{
	python3 - "$SOURCE_DIR/templates/perfevo.yml" "$@" >../job <<'END'
import re, shlex, sys, yaml
spec, body = open(sys.argv[1]).read().split("\n---\n")
inputs = {name: str(each.get("default", "")) for name, each in yaml.safe_load(spec)["spec"]["inputs"].items()}
inputs |= dict(word.split("=", 1) for word in sys.argv[3:])
job = yaml.safe_load(re.sub(r"\$\[\[ inputs\.([a-z0-9-]+) \]\]", lambda match: inputs[match[1]], body))[sys.argv[2]]
for name, value in job["variables"].items():
    quoted = shlex.quote(str(value)) if "CI_PROJECT_DIR" not in str(value) else '"' + value + '"'
    print(f"export {name}={quoted}")
print(*job["script"], sep="\n")
END
}

# component INPUT=VALUE...: the job that measures, of a merge request
component()
{
	job perfevo "release=file://$state/release" "$@"
	CI=true CI_PROJECT_DIR=$PWD/.. CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main TMPDIR=$before/../tmp sh ../job >../log 2>&1 || echo "status $?"
	rm -f perfevo.xml.kept && [ ! -e perfevo.xml ] || mv perfevo.xml ..
}
mkdir ../tmp
sum=$(sed 's/ .*//' "$state/release/SHA256SUMS")
component sha256="$sum" image=x version="$version"
grep -c '<failure' ../perfevo.xml
# In a fork's own pipeline "origin" is the fork.
git remote set-url origin "$PWD/../fork"
export CI_PROJECT_ID=2 CI_MERGE_REQUEST_PROJECT_ID=1 CI_MERGE_REQUEST_PROJECT_URL="$PWD/../origin"
component sha256="$sum" image=x version="$version" fail-on=never
has 'an answer' ../log 'regressed'
component sha256=0000 image=x version="$version"
has_not 'an answer' ../log 'regressed'

echo '# the default branch, which stores results'
git switch -q main
figures 50.1
save 'nothing that counts'
job perfevo "release=file://$state/release" sha256="$sum" version="$version"
CI=true CI_PROJECT_DIR=$PWD/.. CI_COMMIT_BEFORE_SHA=$(git rev-parse HEAD~1) TMPDIR=$before/../tmp sh ../job >../log 2>&1 || echo "status $?"
[ -s .perfevo-store/perfevo.db ] || fail 'no store'
job perfevo "release=file://$state/release" sha256="$sum" version="$version"
CI=true CI_PROJECT_DIR=$PWD/.. CI_COMMIT_BEFORE_SHA=$(git rev-parse HEAD~1) TMPDIR=$before/../tmp sh ../job >../log 2>&1 || echo "status $?"

echo '# the comment: one, whatever others write'
python3 "$CASE_DIR/gitlab.py" ../port ../notes &
api=$!
trap 'kill $api' EXIT
until [ -s ../port ]; do sleep 0.1; done
job perfevo-comment comment=true
for said in first second; do
	printf '<!-- perfevo -->\n### perfevo: "%s" answer\n' "$said" >perfevo.md
	CI_PROJECT_ID=3 CI_MERGE_REQUEST_IID=5 CI_API_V4_URL="http://127.0.0.1:$(cat ../port)" PERFEVO_TOKEN=secret sh ../job >../log 2>&1 ||
		fail "comment: $(cat ../log)"
done
cat ../notes

echo '# what a stranger writes into the answer calls nobody and gives no orders in the name of the token'
printf '<!-- perfevo -->\n/merge\r\n \t/approve\n</details> a/b @ada\n\r/close\n' >perfevo.md
CI_PROJECT_ID=3 CI_MERGE_REQUEST_IID=5 CI_API_V4_URL="http://127.0.0.1:$(cat ../port)" PERFEVO_TOKEN=secret sh ../job >../log 2>&1 ||
	fail "comment: $(cat ../log)"
tail -n 1 ../notes
