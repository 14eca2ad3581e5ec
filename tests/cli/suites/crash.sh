# A program that crashes midway keeps what it gave; what ran then has failed, and the others are asked for again, without
# it. An error that the library reports is a failure of its benchmark alone.
suite_repo
figures 'BM_A 100' 'BM_B 200' 'BM_C 300'
figures 'BM_A 100' 'BM_B crash' 'BM_C 300'
figures 'BM_A 100' 'BM_B 200' 'BM_C error'

perfevo track --no-open --no-confirm >out 2>err
has 'the crash' err "micro/BM_B: wrong exit status"
has 'the error' err "micro/BM_C: metric missing"
perfevo log --format=csv >log.csv
same 'what came before and after it' 2 "$(grep -c 'BM_B crash.*,wall,' log.csv)"
same 'what has no error' 2 "$(grep -c 'BM_C error.*,wall,' log.csv)"
perfevo show HEAD~1 >show
has 'its log' show 'Segmentation fault'
perfevo show HEAD >show
has 'the message of the library' show 'no such file'
# Three rounds of three commits, the one start that made up for the crash, and what each executes: what failed is not tried
# again. And one to learn what it costs.
same 'processes' 14 "$(wc -l <"$starts")"
same 'what came after the crash, alone' 1 "$(grep -c '^^(BM_C)\$$' "$starts")"
