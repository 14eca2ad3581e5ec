# A program that cannot be asked what it has tells with a run: what only older commits have is measured there, and a gate says
# what a change removes.
empty_repo
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

# A program that ignores the options of its library: what it prints in place of a list are results, and no names.
cd ..
git init -q ignoring
cd ignoring
sed 's/own.sh/run.sh/' ../repo/perfevo.yml >perfevo.yml
cat >run.sh <<'END'
# benchmark_list_tests
echo . >>"$HOME/ran"
for name in BM_A BM_B; do for i in 1 2 3; do
	echo "{\"name\": \"$name\", \"run_type\": \"iteration\", \"iterations\": 9, \"real_time\": $i, \"cpu_time\": 1, \"time_unit\": \"ns\"},"
done; done | sed '1s/^/{"context": {"library_build_type": "release"}, "benchmarks": [\n/; $s/,$/]}/'
END
save 'ignores options'
perfevo track --last 1 -q >out 2>err
same "its benchmarks" 'micro/BM_A|3|2.0
micro/BM_B|3|2.0' "$(sqlite3 .git/perfevo/perfevo.db "SELECT benchmark, count(*), avg(value) FROM measurements
	WHERE benchmark LIKE 'micro/BM%' AND metric = 'wall' GROUP BY 1")"
[ "$(wc -l <"$HOME/ran")" -le 9 ] || fail "it ran $(wc -l <"$HOME/ran") times"
