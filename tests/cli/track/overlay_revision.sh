# An overlay may come from a named revision: the user's tree is not looked at.

new_repo
history 2
echo 'echo 5' >bench.sh
save bench
git branch with-bench
git rm -q bench.sh
save "without bench"
cat >perfevo.yml <<'END'
build: sh build.sh
overlay:
  paths: [bench.sh]
  revision: with-bench
benchmarks:
  named:
    command: sh bench.sh
    warmup: 0
    repeats: 1
    allocations: false
    metrics:
      five: {unit: '1', regex: '^([0-9]+)$'}
END
track 0 --last 4
same "runs" 4 "$(db 'SELECT count(*) FROM runs WHERE outcome = 0')"
same "values" 5.0 "$(db "SELECT DISTINCT value FROM measurements WHERE metric = 'five'")"
