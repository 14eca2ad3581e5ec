# What track leaves: a table, JSON that is valid, and a page that asks nobody for anything.

new_repo
cat >prog.sh <<'END'
#!/bin/sh
read -r level <level
echo "score $((level > 3 ? 200 : 100))"
END
history 6
cat >perfevo.yml <<'END'
build: sh build.sh
benchmarks:
  prog:
    command: ./prog
    warmup: 0
    repeats: 3
    allocations: false
    metrics:
      score: {unit: points, regex: 'score ([0-9]+)', deterministic: true}
END
perfevo track --no-confirm --last 6 --no-open >"$case_dir/out" 2>"$case_dir/err" </dev/null ||
	fail "exit status $?: $(cat "$case_dir/err")"
has "the commit of the jump" "$case_dir/out" c4
page=$(grep -o '/[^ ]*\.html' "$case_dir/out" "$case_dir/err" -h | head -n 1)
[ -s "$page" ] || fail "the page '$page' is not there"
case $page in
*/.git/perfevo/*) ;;
*) fail "the page lies at $page, which is not perfevo's own folder" ;;
esac
page_block "$page" index >"$case_dir/index"
has "the page has the benchmark" "$case_dir/index" '"benchmark":"prog"'
grep -qiE '(src|href)="?(https?:)?//' "$page" && fail "the page loads something from elsewhere"

track 0 --last 6 --format json
same "valid JSON" 1 "$(sqlite3 -batch :memory: "SELECT json_valid(CAST(readfile('$case_dir/out') AS TEXT))")"
