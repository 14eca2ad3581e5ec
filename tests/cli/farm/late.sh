# What a job wrote last may be seen late: its part is not handed out again at once, though another one just was.

work=$PWD
. "$SOURCE_DIR/tests/cli/slurm_stand_in.sh"

empty_repo
score_config 'sh build.sh' 2 "farm: {spool: $work/spool, cache: $work/cache, nodes: 2}" none
scored one 'sh prog.sh 1'
scored two 'sh prog.sh 2'
echo 'exit 0' >build.sh
echo 'echo score $1' >prog.sh
save 'change 1'
perfevo farm init >../init
touch ../odd/linger ../odd/vanish
perfevo track --farm slurm --no-open >/dev/null 2>../notes || fail "track: $(cat ../notes)"
has 'parts' ../notes 'in 2 parts'
same 'jobs that ended' 2 "$(grep -c 'ended before the part was done' ../notes)"
again=$(sed -n "s/^$(cat ../lingered) .* //p" ../handed | sed -n 2p)
[ $((again - $(cat ../gone))) -ge 2000 ] || fail "handed out again after $((again - $(cat ../gone))) ms"
