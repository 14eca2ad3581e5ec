# -b takes the benchmarks whose names match; the others keep what they have.

new_repo
history 2
cat >perfevo.yml <<'END'
build: sh build.sh
defaults: {warmup: 0, repeats: 2, allocations: false}
benchmarks:
  parse/small: ./prog
  parse/large: ./prog
  print: ./prog
END
track 0 --last 2 -b '^parse/'
same "runs of -b ^parse/" 'c1|parse/large|timed|measured|2
c1|parse/small|timed|measured|2
c2|parse/large|timed|measured|2
c2|parse/small|timed|measured|2' "$(counts)"
track 0 --last 2 --bench 'pri.t$'
same "benchmarks after -b pri.t$" 'parse/large parse/small print ' \
	"$(db 'SELECT DISTINCT b.name FROM runs r JOIN benchmarks b ON b.key = r.benchmark ORDER BY 1' | tr '\n' ' ')"
# A name is given as it is printed, brackets and all.
cat >perfevo.yml <<'END'
build: sh build.sh
defaults: {warmup: 0, repeats: 2, allocations: false}
benchmarks:
  go: {command: './prog {name}', parameters: {name: [Links, Lists]}}
END
track 0 --last 2 -b 'go[name=Links]'
same "benchmarks of a printed name" 'go[name=Links]' "$(db "SELECT DISTINCT b.name FROM runs r
	JOIN benchmarks b ON b.key = r.benchmark WHERE b.name LIKE 'go%'")"
for command in log export; do
	perfevo "$command" -b 'go[name=Links]' >"$case_dir/out" 2>"$case_dir/err" || fail "$command: $(cat "$case_dir/err")"
	has "$command by a printed name" "$case_dir/out" 'go[name=Links]'
done
ends 128 perfevo track --quiet --last 2 -b nothing
has "what matched nothing" "$case_dir/err" nothing
