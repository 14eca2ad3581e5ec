# check runs a suite a few times and shows what it read, what it left out, and what confirming would run.
suite_repo
sed -i 's/repeats: 3/repeats: 3, exclude: Old/' perfevo.yml
figures 'BM_Parse/64 1000' 'BM_Sort 500' 'BM_Old 70' 'BM_Gone 0'
ends 0 perfevo check --quiet
has 'the suite' ../out 'suite     micro: 4 benchmarks, google-benchmark'
has 'what is chosen of it' ../out ', 3 chosen'
has 'a value' ../out '  BM_Parse[64]: wall time 1.00 µs (median of 3 values), 1 more metric'
has 'what is between processes' ../out '1 more metric; noise 0.0 %, detects changes from about 0.5 %'
has 'what confirms' ../out "a change is confirmed by running ./bench"
has 'its filter' ../out '^(BM_Parse/64)$'
same 'processes' 5 "$(wc -l <"$starts")"
# They differ within processes alone, and a process costs more than its values.
has 'more values' ../out 'advice    options: [--benchmark_repetitions='

ends 0 perfevo check --quiet --format=json
has 'JSON' ../out '"format":"google-benchmark"'
has 'what more values are worth' ../out '"values":3,"values_worth":'
has 'a benchmark' ../out '"name":"BM_Parse[64]","metric":"wall","unit":"ns","value":1000.15,"values":3,"processes":5,"median":1000.15,"noise":0,"visible_step":0.005}'

# 100, 200, ... 500 ns in five processes: the median deviates by 100 from 300.
: >"$starts"
figures 'BM_Drift drift' 'BM_Late drift'
ends 0 perfevo check --quiet
has 'noise between processes' ../out 'BM_Drift: wall time 300 ns (median of 3 values), 1 more metric; noise 49.4 %'
has_not 'more values' ../out 'options: ['
has 'and of another one' ../out 'BM_Late: wall time 300 ns'

# A process that fails after others did not.
: >"$starts"
figures 'BM_Sort 500' 'BM_Late late'
ends 125 perfevo check --quiet
has 'that it crashed' ../out 'its results end in the middle'
same 'processes' 3 "$(wc -l <"$starts")"

# One suite that works does not hide another that does not.
printf '  other: {command: ./nothing, format: google-benchmark}\n' >>perfevo.yml
ends 125 perfevo check --quiet
has 'which one' ../out 'suite     other: no benchmark is found in it'
has 'the other one' ../out 'suite     micro: 1 benchmark, google-benchmark'
ends 125 perfevo check
grep "suite 'other'" ../err >notes
has 'why, in one line' notes 'not found'
has_not 'a log' notes '\n'

# A program that takes no options.
cat >refuses <<'END'
#!/bin/sh
[ $# -eq 0 ] || { echo "Usage: refuses"; exit 1; }
END
chmod +x refuses
save refuses
sed -i 's/^  other: .*/  other: {command: .\/refuses, format: google-benchmark}/' perfevo.yml
ends 125 perfevo check
has 'what it said' ../err "suite 'other': no benchmark is found: wrong exit status: Usage: refuses"
has 'what it was given' ../err "; it ran as: ./refuses --benchmark_out="

# The same program under 'benchmarks:' would be timed while it runs for as long as it likes.
cat >perfevo.yml <<'END'
benchmarks: {all: {command: ./micro-bench, warmup: 0, repeats: 1, allocations: false}}
END
printf '#!/bin/sh\n# benchmark_list_tests\n' >micro-bench
chmod +x micro-bench
save 'a benchmark of its own'
ends 0 perfevo check --quiet
has 'a suite that is timed' ../out "all (format: google-benchmark): runs many benchmarks"

# Where the build fails, it is not known which benchmarks there are.
cat >perfevo.yml <<'END'
build: "false"
suites: {micro: {command: ./bench}}
END
ends 125 perfevo check --quiet
has 'their number' ../out 'perfevo.yml: 1 suite, whose benchmarks the build would tell'
