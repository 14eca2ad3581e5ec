# A number in the benchmark's own output is a metric: by regular expression or JSON pointer, from either
# stream. One that is missing is missing; where all are, the run failed.

new_repo
cat >prog.sh <<'END'
#!/bin/sh
read -r level <level
[ "$level" = 3 ] && exit 0
[ "$level" = 1 ] || echo "warming up at 1 ops/s, running at ${level}00.5 ops/s" >&2
printf '{"results": [{"time": %se-3}, {"a/b": -%s}]}' "$level" "$level"
END
history 3
cat >perfevo.yml <<'END'
build: sh build.sh
benchmarks:
  prog:
    command: ./prog
    warmup: 0
    repeats: 2
    allocations: false
    metrics:
      rate: {unit: ops/s, better: higher, regex: '([0-9.]+) ops/s', stream: stderr}
      time: {unit: s, json: /results/0/time}
      odd: {unit: '1', json: /results/1/a~1b}
END
perfevo track --no-open --no-confirm --last 3 >"$case_dir/out" 2>"$case_dir/err" || fail "track: $(cat "$case_dir/err")"
has "which is missing" "$case_dir/err" 'prog: metric '"'rate'"': no number for ([0-9.]+) ops/s in stderr'
same "runs" 'c1|prog|timed|measured|2
c2|prog|timed|measured|2
c3|prog|timed|metric missing|1' "$(counts)"
same "values" 'c1|odd|1|-1.0|2
c1|time|s|0.001|2
c2|odd|1|-2.0|2
c2|rate|ops/s|200.5|2
c2|time|s|0.002|2' "$(db "SELECT v.subject, m.metric, m.unit, m.value, count(*)
	FROM measurements m JOIN revisions v ON v.id = m.revision
	WHERE m.metric IN ('rate', 'time', 'odd') GROUP BY 1, 2, 3, 4 ORDER BY 1, 2")"
same "wall times" 'c1 c2' "$(db "SELECT group_concat(DISTINCT subject) FROM (SELECT v.subject
	FROM measurements m JOIN revisions v ON v.id = m.revision WHERE m.metric = 'wall' ORDER BY 1)" | tr , ' ')"
same "better direction of the rate" 1 "$(db "SELECT better FROM metrics WHERE name = 'rate'")"

# A text that is not one finite number as a whole is no value; the metrics of others, and other commits, have theirs.
cat >prog.sh <<'END'
#!/bin/sh
read -r level <level
[ "$level" = 5 ] && printf 'loss nan\ntook 1.234,5 ms\nran 3m25s\n' || printf 'loss 0.5\ntook 12,5 ms\nran 20s\n'
END
history 5
cat >perfevo.yml <<'END'
build: sh build.sh
benchmarks:
  lost: {command: ./prog, warmup: 0, repeats: 1, allocations: false, metrics: {loss: {regex: 'loss (.*)'}}}
  cut: {command: ./prog, warmup: 0, repeats: 1, allocations: false, metrics: {cut: {regex: 'took ([0-9.,]+)'}}}
  read:
    command: ./prog
    warmup: 0
    repeats: 1
    allocations: false
    metrics:
      took: {unit: ms, decimal: ",", regex: 'took ([0-9.,]+)'}
      ran: {unit: s, regex: 'ran (.*)'}
END
perfevo track --no-open --no-confirm --last 2 >"$case_dir/out" 2>"$case_dir/err" || fail "track: $(cat "$case_dir/err")"
has "not finite" "$case_dir/err" "lost: metric 'loss': 'nan' is not finite"
has "cut short" "$case_dir/err" "cut: metric 'cut': '1.234,5' is not a number"
same "values of texts" 'c4|ran|20.0
c4|took|12.5
c5|ran|205.0
c5|took|1234.5' "$(db "SELECT DISTINCT v.subject, m.metric, m.value FROM measurements m JOIN revisions v ON v.id = m.revision
	WHERE m.metric IN ('took', 'ran', 'cut') ORDER BY 1, 2")"
same "values that are finite" 1 "$(db "SELECT count(*) FROM measurements WHERE metric = 'loss'")"
perfevo log -m cut --no-graph >"$case_dir/out"
has "log of a metric without values" "$case_dir/out" "cut: metric 'cut': '1.234,5' is not a number at 1 commit"
perfevo status >"$case_dir/out"
has "cells without a value" "$case_dir/out" 'measured    3 of 16'
