# What was measured at one commit alone is not unchanged; what ended badly says how, and is counted in the plan.
empty_repo
perfevo_yml '"true"' 'p: {command: sh p.sh, warmup: 0, repeats: 2, allocations: false}'
echo 'exit 0' >p.sh
save fine
echo 'kill -SEGV $$' >p.sh
save crashes
perfevo track --no-open -q >out 2>err
has 'one commit' out '1 benchmark was measured at one commit alone: nothing to compare with'
has_not 'one commit' out unchanged
perfevo show >out
has 'the end' out '[exited with status 139 (128 + SIGSEGV)]'
perfevo track --dry-run >out 2>err
has 'the plan' out '1 failed before and is skipped (--again retries it)'
perfevo log --no-pager >out 2>err
has 'the graph' out 'wrong exit status'
