# A benchmark written today runs on the commits of last year: overlay copies it into every tree. Another
# overlay is another series. It may come from a named revision, too: then the user's tree is not looked at.

new_repo
history 3
mkdir -p bench/data
printf '#!/bin/sh\ncat bench/data/text level\n' >bench/run.sh
chmod +x bench/run.sh
ln -s run.sh bench/link.sh
echo 17 >bench/data/text
cat >perfevo.yml <<'END'
build: sh build.sh
overlay: [bench]
benchmarks:
  today:
    command: bench/link.sh
    warmup: 0
    repeats: 2
    allocations: false
    metrics:
      text: {unit: '1', regex: '^([0-9]+)$'}
END
track 0 --last 3
same "runs" 'c1|today|timed|measured|2
c2|today|timed|measured|2
c3|today|timed|measured|2' "$(counts)"
same "git's view of the user's tree" '?? bench/
?? perfevo.yml' "$(git status --short)"

echo 18 >bench/data/text
track 0 --last 3
same "versions after an edit of the overlay" 2 "$(db 'SELECT count(DISTINCT version) FROM benchmarks')"
same "runs after an edit of the overlay" 12 "$(db 'SELECT count(*) FROM runs JOIN batches w ON w.key = batch WHERE NOT w.aside')"

rm -r .git/perfevo bench perfevo.yml
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
