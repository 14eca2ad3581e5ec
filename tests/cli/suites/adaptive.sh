# Adaptive measuring goes by benchmark and commit: what only old commits of a suite have, and what the config was given
# later, is measured at commits whose other benchmarks are known.

# shown NAME: its graph, a character a commit
shown()
{
	sed -n "s|^$1 *wall time *\\(.*\\)  [0-9.]*[ a-zµ]* → .*|\\1|p" out
}

suite_repo
for i in 1 2 3 4 5 6; do
	figures 'BM_A 1000' "$([ "$i" -gt 3 ] || echo 'BM_Old 300')"
done
perfevo track --max-runs 200 -q --no-confirm >out 2>err
has 'everything is known' err '6 of 6 commits are known'
same 'what all have' '▁▁▁▁▁▁' "$(shown micro/BM_A)"
same 'what old ones have' '▁▁▁   ' "$(shown micro/BM_Old)"
has_not 'no failure' out 'failed'

# Nothing is asked for twice.
ran=$(cat "$starts")
perfevo track --max-runs 200 -q --no-confirm >out 2>err
has 'what is known' err 'no commit of this range needs more runs'
same 'starts' "$ran" "$(cat "$starts")"

# A suite of one's own beside it has not been measured anywhere.
sed -i 's|^suites:|&\n  other: {command: ./bench, repeats: 2, exclude: Old}|' perfevo.yml
perfevo track --max-runs 200 -q --no-confirm >out 2>err
same 'what came later' '▁▁▁▁▁▁' "$(shown other/BM_A)"
same 'what was there' '▁▁▁▁▁▁' "$(shown micro/BM_A)"
