# A commit that changes nothing of what a suite executes and reads has its results from another; its program is started to
# list its benchmarks alone: with --help, and with what that names.
suite_repo
# Every start counts here, those that list, too.
all=$HOME/all
sed -i "3i echo \"\$*\" >>'$all'" bench.sh.in
figures 'BM_A 100' 'BM_Old 300'
figures 'BM_A 100' 'BM_B 200'
echo 'what it does' >README
save 'README'
perfevo track --quiet --no-open --no-confirm >/dev/null
same 'probes, one of each build' 2 "$(grep -c 'repetitions=1 --benchmark_min_time=1x' "$all")"
perfevo log --format=csv >log.csv
same 'values' 6 "$(grep -c ',wall,' log.csv)"

starts=$(wc -l <"$all")
echo 'how to build it' >>README
save 'README again'
perfevo track --no-open --no-confirm >out 2>err
same 'starts for a README' "$((starts + 2))" "$(wc -l <"$all")"
perfevo log >log
same 'commits that are reused' 2 "$(grep -c ' = .*README' log)"
same 'cells, also of what is not there' 6 "$(sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM reused')"
perfevo log --format=csv >log.csv
same 'what it has, and what it has not' 1 "$(grep -c "README again.*BM_A,wall,ns," log.csv)"

# What the program reads is part of what it executes.
figures 'BM_A 150' 'BM_B 200'
perfevo track --quiet --no-open --no-confirm >/dev/null
perfevo log --format=csv >log.csv
has 'another figure' log.csv '150.15'

# What the config excludes by now is not shown any more.
sed -i 's/repeats: 3/repeats: 3, exclude: _B/' perfevo.yml
perfevo log --format=csv >log.csv
has 'what is left' log.csv 'micro/BM_A'
has_not 'what is excluded' log.csv 'micro/BM_B'
