# A suite over a history: one process a revision and round gives every benchmark its run; a jump in one of them is found,
# and what a revision does not have is not there, which is no failure.
suite_repo
figures 'BM_Parse/64 1000' 'BM_Sort 500'
figures 'BM_Parse/64 1000' 'BM_Sort 500' 'BM_Old 70'
figures 'BM_Parse/64 1000' 'BM_Sort 500' 'BM_Old 70'
figures 'BM_Parse/64 1000' 'BM_Sort 800' 'BM_New 90'
figures 'BM_Parse/64 1000' 'BM_Sort 800' 'BM_New 90'

perfevo track --quiet --no-open --no-confirm >out 2>err
has_not 'absence is no trouble' err 'not there'
# Five revisions, three rounds and a look at what each executes; what only the second and third have, once more for
# itself; and one to learn what it costs.
same 'processes' 27 "$(wc -l <"$starts")"
same 'of which through the filter' 6 "$(grep -c '^^(BM_Old)\$$' "$starts")"

perfevo log >log
has 'the jump' log '+60 %'
has 'whose it is' log 'micro/BM_Sort'
perfevo log -b 'micro/BM_New' --format=csv >log.csv
same 'where the new one is' 2 "$(grep -c ',wall,' log.csv)"

# Everything is known: nothing is built or run.
perfevo track --no-open --no-confirm >out 2>err
has 'nothing to do' err 'everything in this range is measured already'
same 'processes' 27 "$(wc -l <"$starts")"

# All inner values are in the store, and a run's value is their median.
sqlite3 .git/perfevo/perfevo.db "SELECT value FROM inner_measurements WHERE benchmark = 'micro/BM_Parse[64]'
	AND metric = 'wall' AND round = 0 ORDER BY batch, revision, position LIMIT 3" >inner
same 'inner values' '1000.05 1000.15 1000.25' "$(tr '\n' ' ' <inner | sed 's/ $//')"
same 'their median' 1000.15 "$(sqlite3 .git/perfevo/perfevo.db "SELECT DISTINCT value FROM measurements
	WHERE benchmark = 'micro/BM_Parse[64]' AND metric = 'wall'")"
