# Commands that are about one benchmark start the program for it alone, through the library's filter; what counts runs it
# a fixed number of times, so that calibration is not compared.
command -v cc >/dev/null || exit 77
compiled_repo
figures 'BM_A 100' 'BM_B 20000'
figures 'BM_A 100' 'BM_B 20000'
figures 'BM_A 100' 'BM_B 26000'
figures 'BM_A 100' 'BM_B 26000'

perfevo bisect HEAD~3 HEAD -b micro/BM_B --no-compare -q >out
has 'the commit' out "$(git rev-parse --short=10 HEAD~1)"
has 'what of it' out '+30 %'
same 'starts of others' 0 "$(grep -vc '^^(BM_B)\$ 7$' "$starts")"

: >"$starts"
# Its samples may all be of the shell.
perfevo profile HEAD -b micro/BM_B --min-share 0 >out 2>err
has 'its functions' out 'work'
has 'each iteration' out ' 100 '
same 'starts of others' 0 "$(grep -vc '^^(BM_B)\$ \(7\|100\)$' "$starts")"
has 'what counts' "$starts" '$ 100'
# A hundred iterations of a microsecond would be start-up alone.
has 'what is sampled' "$starts" '$ 7'
