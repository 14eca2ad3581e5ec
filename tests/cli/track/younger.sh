# A benchmark that is younger than a commit is not there: which of its files is missing is said, and which line of the config
# gives it to the commit. The other benchmarks have their figures.
new_repo
history 2
mkdir bench
printf '#!/bin/sh\n' >bench/tool
chmod +x bench/tool
cp bench/tool bench/new.sh
echo 'cp bench/tool made' >>build.sh
save c3
cat >perfevo.yml <<'END'
build: sh build.sh
defaults: {warmup: 0, repeats: 2, allocations: false}
benchmarks:
  prog: ./prog
  script: sh bench/new.sh
  shell: bench/tool
  started: [bench/tool]
  built: ./made
  own fault: sh -c 'echo bench/tool >&2; exit 3' bench/tool
  typing error: sh bench/nwe.sh
END
echo perfevo.yml >>.git/info/exclude
perfevo track --last 3 --no-open --no-confirm >"$case_dir/out" 2>"$case_dir/err" || fail "$(cat "$case_dir/err")"
for benchmark in 'script:new.sh' shell:tool started:tool; do
	has "of $benchmark" "$case_dir/err" "${benchmark%:*}: not there, for its tree has no bench/${benchmark#*:}: files of today are given to every commit by 'overlay: [...]' (2 commits"
done
has 'what a build made first' "$case_dir/err" "built: not there, for its tree has no made"
has 'a failure of its own' "$case_dir/err" 'own fault: wrong exit status (3 commits'
has 'a file of no commit' "$case_dir/err" 'typing error: wrong exit status, for its tree has no bench/nwe.sh'
same 'what is stored' 'built|not there|2
own fault|wrong exit status|3
script|not there|2
shell|not there|2
started|not there|2
typing error|wrong exit status|3' "$(db "SELECT b.name, o.name, count(*) FROM runs r JOIN benchmarks b ON b.key = r.benchmark
	JOIN outcomes o ON o.key = r.outcome WHERE r.outcome <> 0 GROUP BY 1, 2 ORDER BY 1")"
same 'runs of the other' 6 "$(db "SELECT count(*) FROM runs r JOIN benchmarks b ON b.key = r.benchmark
	WHERE b.name = 'prog' AND r.kind = 0 AND r.outcome = 0")"
perfevo show HEAD~1 >"$case_dir/show"
has 'the outcome' "$case_dir/show" 'script: not there'
has 'the log' "$case_dir/show" "this commit has no bench/new.sh: files of today are given to every commit by 'overlay: [...]'"
echo 'overlay: [bench]' >>perfevo.yml
perfevo track --last 3 --no-open --no-confirm -b 'script|shell|started' >"$case_dir/out" 2>"$case_dir/err" || fail "$(cat "$case_dir/err")"
has_not 'what the line is good for' "$case_dir/err" 'not there'
