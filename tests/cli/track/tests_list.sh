# Unit tests as benchmarks: only those whose own source is the same over the range are compared, the others
# are named with the reason.

new_repo
mkdir tests
for name in steady edited late; do
	echo "exit 0 # $name" >"tests/$name.sh"
done
rm tests/late.sh
history 2
echo "exit 0 # other" >tests/edited.sh
save c3
echo "exit 0" >tests/late.sh
save c4
cat >perfevo.yml <<'END'
build: sh build.sh
tests:
  list: cd tests && ls *.sh | sed 's/\.sh$//'
  run: sh tests/{name}.sh
  sources: ['tests/{name}.sh']
  warmup: 0
  repeats: 2
  allocations: false
END
ends 0 perfevo track --last 4 --dry-run
has_not "no plan of tests that are not listed yet" "$case_dir/out" "0 revisions"
has "why" "$case_dir/out" "until then it is unknown what they take"
ends 0 perfevo track --last 4
same "runs" 'c1|steady|timed|measured|2
c2|steady|timed|measured|2
c3|steady|timed|measured|2
c4|steady|timed|measured|2' "$(counts)"
same "it is a test" 1 "$(db "SELECT is_test FROM benchmarks WHERE name = 'steady'")"
cat "$case_dir/err" >>"$case_dir/out"
has "the edited one is named" "$case_dir/out" edited
has "the late one is named" "$case_dir/out" late

# Where all are left out, the reasons are told, not that nothing is stored.
ends 125 perfevo track --last 4 -b 'edited|late'
has "the edited one" "$case_dir/err" 'edited is left out: its source tests/edited.sh was modified in'
has "what to do" "$case_dir/err" "nothing is left to measure: with 'overlay: [tests/edited.sh"
perfevo compare HEAD~3 HEAD -b edited >"$case_dir/out" 2>"$case_dir/err" </dev/null || true
has "nothing to compare" "$case_dir/err" "no benchmark matches 'edited'; left out is 'edited': its source tests/edited.sh"

# Over a range in which it was not edited, it is compared.
track 0 --last 2 -b edited
same "runs of the edited one" 'c3|edited|timed|measured|2
c4|edited|timed|measured|2' "$(counts | grep edited)"

# Today's version at every commit is the same everywhere; the newest two were run in the other series, too.
echo 'overlay: [tests]' >>perfevo.yml
track 0 --last 4 -b edited
same "runs of the overlaid one" 'c1|edited|timed|measured|2
c2|edited|timed|measured|2
c3|edited|timed|measured|4
c4|edited|timed|measured|4' "$(counts | grep edited)"
