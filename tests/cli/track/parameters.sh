# One benchmark per combination of its parameters.

new_repo
history 2
cat >perfevo.yml <<'END'
build: sh build.sh
benchmarks:
  sort:
    command: echo {size}{kind} $EXTRA
    env: {EXTRA: 'e{size}'}
    parameters:
      size: [10, 200]
      kind: [1, 2]
    warmup: 0
    repeats: 1
    allocations: false
    metrics:
      said: {unit: '1', regex: '^([0-9]+) e'}
      env: {unit: '1', regex: 'e([0-9]+)$'}
END
track 0 --last 2
same "values" 'c1|sort[size=10,kind=1]|env|10.0
c1|sort[size=10,kind=1]|said|101.0
c1|sort[size=10,kind=2]|env|10.0
c1|sort[size=10,kind=2]|said|102.0
c1|sort[size=200,kind=1]|env|200.0
c1|sort[size=200,kind=1]|said|2001.0
c1|sort[size=200,kind=2]|env|200.0
c1|sort[size=200,kind=2]|said|2002.0' "$(db "SELECT v.subject, m.benchmark, m.metric, m.value
	FROM measurements m JOIN revisions v ON v.id = m.revision
	WHERE m.metric IN ('said', 'env') AND v.subject = 'c1' ORDER BY 2, 3")"
