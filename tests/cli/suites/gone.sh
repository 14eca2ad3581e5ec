# A gate passes over what a change removes from a suite, and says so; what it adds has nothing to be compared with.
suite_repo
figures 'BM_A 1000' 'BM_Old 300'
figures 'BM_A 1000' 'BM_New 200'

perfevo ci --base HEAD~1 >out 2>err
has 'what it lacks' err "suite 'micro': not there any more: BM_Old"
# It is known now, and still no failure.
perfevo ci --base HEAD~1 >out 2>err
has_not 'no failure' out 'failed'
