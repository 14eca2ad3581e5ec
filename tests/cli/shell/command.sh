# A command where a commit was built, with the environment of its build or of a benchmark's runs.

empty_repo
cat >perfevo.yml <<'END'
build: {steps: [sh build.sh], env: {LEVEL: "2"}}
benchmarks:
  add:
    command: sh ../prog.sh
    cwd: runs
    env: {SIZE: "7"}
    setup: [touch ../set-up]
    cleanup: [sh -c 'cp ../prog.sh "$PERFEVO_ROOT/cleaned"']
  add-twice: {command: "true"}
END
mkdir runs
touch runs/.keep
echo 'echo "built at $LEVEL" >made' >build.sh
echo 'echo $SIZE' >prog.sh
save one
echo 'echo half >made; echo no compiler here; exit 3' >build.sh
save 'break the build'
echo cleaned >.git/info/exclude
before=$(git status --porcelain && git rev-parse HEAD)

ends 0 perfevo shell HEAD~1 -- sh -c 'cat made; echo "$LEVEL"; pwd; echo gone >prog.sh'
has 'a command' ../out 'built at 2'
has 'what it says' ../out "$HOME"
[ "$(pwd)" != "$(tail -n 1 ../out)" ] || fail 'it ran in the checkout'
ends 7 perfevo shell HEAD~1 -- sh -c 'cat prog.sh; exit 7'
has 'what somebody changed is thrown away' ../out 'echo $SIZE'
same 'words that are options of perfevo, too' '--quiet' "$(perfevo shell HEAD~1 -- printf '%s' --quiet)"
ends 143 perfevo shell HEAD~1 -- sh -c 'kill $$'
has 'a signal' ../err 'the command was killed by SIGTERM'
ends 125 perfevo shell HEAD~1 -- nothing-of-this-name
has 'no such program' ../err 'could not be started'

ends 0 perfevo shell -b '^add$' HEAD~1 -- sh ../prog.sh
same 'its environment and folder' 7 "$(cat ../out)"
same 'its cleanup' "$(git show HEAD:prog.sh)" "$(cat cleaned)"
ends 0 perfevo shell -b add HEAD~1 -- ls ../set-up
ends 128 perfevo shell -b 'add.*' HEAD~1 -- true
has 'two of them' ../err '2 benchmarks match'
ends 128 perfevo shell -b nothing HEAD~1 -- true
has 'none' ../err "no benchmark matches 'nothing'"

ends 0 perfevo shell -- cat made
same 'its tree' half "$(cat ../out)"
has 'its log' ../err 'no compiler here'
ends 129 perfevo shell
has 'no terminal' ../err "give a command after '--'"
same 'the checkout' "$before" "$(git status --porcelain && git rev-parse HEAD)"
perfevo log --format json | grep -q wall && fail 'something was measured'
exit 0
