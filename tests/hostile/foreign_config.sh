# Somebody else's branch brings a perfevo.yml that asks for more than this clone allowed: it is not run, in the foreground,
# by the hook's worker and by night neither, until it is allowed. Own edits and commits, and CI, are not asked about.
export PERFEVO_SANDBOX=''

config()
{
	cat >perfevo.yml <<END
sandbox: ${1:-require}
benchmarks:
  prog: {command: sh prog.sh, warmup: 0, repeats: 1, allocations: false}
END
	shift
	printf '%s\n' "$@" >>perfevo.yml
}
seen=$PWD/seen
git init -q theirs
cd theirs
config require 'run: {pass-env: []}'
echo 'exit 0' >prog.sh
save base
cd ..
git clone -q theirs ours
cd ours
track() { timeout 600 perfevo track --quiet --no-open --no-confirm "$@" >../out 2>../messages; }
unshare -Urm true 2>/dev/null || exit 77
track || fail "the first use: $(cat ../messages)"
same 'who may read what was allowed' 600 "$(stat -c %a .git/perfevo/allowed)"

# from_elsewhere SUBJECT: commit in the other clone, and pull it, in our own name
from_elsewhere()
{
	(cd ../theirs && save "$1")
	git pull -q --no-rebase
}

# refused WHAT TEXT: no command of the config runs
refused()
{
	status=0
	track || status=$?
	same "$1: status" 128 "$status"
	has "$1" ../messages "$2"
	has "$1, and the way out" ../messages "'perfevo allow'"
	[ ! -e "$seen" ] || fail "$1: it ran"
}

(cd ../theirs && echo "touch $seen" >prog.sh && config off)
from_elsewhere 'switch the sandbox off'
refused 'no sandbox' '(sandbox: off)'
status=0
perfevo nightly --quiet >../out 2>../messages || status=$?
same 'by night: status' 128 "$status"
has 'by night' ../messages "'perfevo allow'"
[ ! -e "$seen" ] || fail 'the night ran it'
git commit -q --allow-empty -m 'something of ours on top'
refused 'below our own commit' '(sandbox: off)'
PERFEVO_SANDBOX=require track || fail "in a sandbox of the user's choice: $(cat ../messages)"
CI=true track --again || fail "in CI: $(cat ../messages)"
[ -e "$seen" ] || fail 'CI did not run it'
rm "$seen"
track --config "$PWD/perfevo.yml" --again || fail "a config that was named: $(cat ../messages)"
rm "$seen"
perfevo allow >../out
has 'what is allowed' ../out 'sandbox: off'
track --again || fail "after it was allowed: $(cat ../messages)"
rm "$seen"

# Stricter again; the permission of before is gone.
(cd ../theirs && config require)
from_elsewhere 'require'
track || fail "one that asks for less: $(cat ../messages)"
perfevo allow | grep -q 'asks for nothing' || fail 'something is still allowed'
(cd ../theirs && config auto 'run: {pass-env: [TOKEN]}' 'nightly: {notify: {command: "touch ../news"}}')
from_elsewhere 'three things'
refused 'all of them are named' '(sandbox: auto; pass-env: TOKEN; nightly command: touch ../news)'
git reset -q --hard HEAD~1

# One's own: an edit, a commit of it, and the same after a rebase onto somebody else's.
config auto
track || fail "our own edit: $(cat ../messages)"
config auto 'run: {pass-env: [LANG]}'
save 'our own commit'
track || fail "our own commit: $(cat ../messages)"
(cd ../theirs && git reset -q --hard HEAD~1 && echo more >other && save other)
rm .git/perfevo/allowed
config require
track || fail 'the first use again'
git checkout -q perfevo.yml
git pull -q --rebase || fail 'rebase'
track || fail "our own commit, rebased: $(cat ../messages)"

# What others wrote is built with `require` where nobody has a word on it: in pipelines, at a desk when it was pulled, and
# when the night fetches it. What was committed here is built as ever, rebased, too.
sed -i /^sandbox/d perfevo.yml
echo 'exit 0' >prog.sh
save 'no word on a sandbox'
echo "touch $seen; exit 0" >prog.sh
save change

# gate: ci of the last commit; $seen is there if that ran in the open
gate()
{
	rm -f "$seen"
	timeout 600 perfevo ci --base HEAD~1 --no-profile >../out 2>../messages || [ $? -eq 1 ] || fail "ci: $(cat ../messages)"
}
said='commits of others are built with '"'sandbox: require'"
export CI=true
gate
has 'in a pipeline' ../messages "$said"
[ ! -e "$seen" ] || fail 'in a pipeline: it ran in the open'
PERFEVO_SANDBOX=off gate
has_not 'with a word' ../messages 'sandbox'
[ -e "$seen" ] || fail 'with a word: it did not run'
unset CI
gate
has_not 'own work' ../messages 'sandbox'
git commit -q --amend -m 'another subject'
git switch -qc onto HEAD~1
echo other >other2
save 'something below'
git switch -q -
git rebase -q onto || fail 'rebase'
gate
has_not 'own work, rebased' ../messages 'sandbox'
(cd ../theirs && git pull -q ../ours HEAD && echo "touch $seen; exit 0 # theirs" >prog.sh && save theirs)
git pull -q --ff-only
gate
has 'what was pulled' ../messages "$said"
[ ! -e "$seen" ] || fail 'what was pulled ran in the open'
printf 'nightly: {fetch: origin, last: 1}\n' >>perfevo.yml
perfevo nightly --quiet >../out 2>../messages || true
perfevo status >../out 2>&1 || true
[ ! -e "$seen" ] || fail 'what the night fetched ran in the open'
