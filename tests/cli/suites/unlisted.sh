# A program that cannot be asked what it has tells with a run: what only older commits have is measured there, and a gate says
# what a change removes.
. "$SOURCE_DIR/tests/cli/lib.sh"
. "$CASE_DIR/lib.sh"
git init -q repo
cd repo
cat >perfevo.yml <<'END'
build: "true"
suites:
  micro: {command: sh own.sh, repeats: 3}
END
line() { printf 'echo %s\n' "'{\"name\": \"$1\", \"unit\": \"ns\", \"value\": $2}'"; }
{ line kept 100; line old 200; } >own.sh
save 'the old one'
{ line kept 100; line new 300; } >own.sh
save 'a new one in its place'

perfevo track --all -q >out 2>err
has 'of both commits' out 'of 3 benchmarks'
has 'what the old one has' out 'micro/old'
has 'where it is not' out 'micro/old: not there at 1 commit'
has 'where the new one is not' out 'micro/new: not there at 1 commit'
perfevo ci --base HEAD~1 >out 2>err
has 'what is gone' err "suite 'micro': not there any more: old"
