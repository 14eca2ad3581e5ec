# What a suite says of its allocations comes with its timed runs: where it varies from run to run, a change is confirmed by
# these, and not by counting runs, which know nothing of it.
empty_repo
cat >bench.sh <<'END'
read -r bytes <bytes
n=$(cat "$STATE/n" 2>/dev/null || echo 0)
echo $((n + 1)) >"$STATE/n"
echo 'pkg: example.com/m'
echo "BenchmarkCount 	 100 	 1000 ns/op 	 $((bytes + n % 3)) B/op 	 7 allocs/op"
echo 'PASS'
END
STATE=$(cd .. && pwd)
cat >perfevo.yml <<END
build: "true"
suites:
  go: {command: sh bench.sh, format: go, env: {STATE: '$STATE'}}
END
echo 100000 >bytes
save one
echo 200000 >bytes
save two
perfevo track --no-open --last 2 >../out 2>../err || fail "track: $? $(cat ../err)"
has 'the change' ../out 'allocated bytes'
sqlite3 .git/perfevo/perfevo.db "SELECT metric, answer, pairs > 0 FROM confirmations_named WHERE metric = 'allocated-bytes'"
