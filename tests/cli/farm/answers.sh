# Odd answers of Slurm, by a stand-in for its programs: a controller that is away, a number that got lost, a job that
# is forgotten, one that is held back, jobs that end at once, a node that is down, one of another class, a partition that
# there is not. No run is lost or made twice.

work=$PWD
. "$SOURCE_DIR/tests/cli/slurm_stand_in.sh"

empty_repo
score_config 'sh build.sh' 2 "farm: {spool: $work/spool, cache: $work/cache, nodes: 2}" none
scored one 'sh prog.sh 1'
scored two 'sh prog.sh 2'
echo 'exit 0' >build.sh
for n in 1 2 3; do
	echo "echo score \$1 # $n" >prog.sh
	save "change $n"
done

perfevo track --farm slurm --no-open 2>&1 | grep -q "run 'perfevo farm init'" || fail 'no machines'
perfevo farm init >../init
has 'nodes' ../init ': n1 n2 n3'
touch ../odd/busy ../odd/lose ../odd/away ../odd/vanish ../odd/stuck ../odd/fail
echo '{"fingerprint": "00112233445566778899aabbccddeeff", "cpu": "", "kernel": "", "compilers": ""}' >../spool/nodes/n2.json
perfevo track --farm slurm --no-open >/dev/null 2>../notes || fail "track: $(cat ../notes)"
db=.git/perfevo/perfevo.db
same 'oddities that did not happen' '' "$(ls ../odd)"
has 'a controller that is away' ../notes 'cannot be asked: waiting for it'
has 'and is there again' ../notes 'the queue answers again'
has 'a job that ended' ../notes 'ended before the part was done'
[ "$(wc -l <../cancelled)" -ge 1 ] || fail 'a job that Slurm holds back is left'
has 'a node of another class is asked for no more' ../handed ' ,n2,'
same 'nodes that measured' '' "$(sqlite3 $db "SELECT node FROM batches WHERE node = 'n2'")"
same 'runs' 2 "$(sqlite3 $db 'SELECT DISTINCT count(*) FROM runs GROUP BY revision, benchmark')"
same 'cells' 6 "$(sqlite3 $db 'SELECT count(*) FROM (SELECT DISTINCT revision, benchmark FROM runs)')"
perfevo farm status >../status
has 'a node of another class' ../status 'n2: 0 runs of 0 benchmarks in 0 batches; gets no work'
has 'status' ../status 'no work is handed out'

# A node that takes no jobs is not waited for.
echo 'echo score $1 # 4' >prog.sh
save 'change 4'
gone=$(sqlite3 $db 'SELECT DISTINCT node FROM batches LIMIT 1')
sed -i "s/^$gone\$/& drain/" ../names
perfevo track --farm slurm --no-open >/dev/null 2>../notes || fail "track: $(cat ../notes)"
has 'a node that is gone' ../notes "$gone is not to be had"
same 'cells' 8 "$(sqlite3 $db 'SELECT count(*) FROM (SELECT DISTINCT revision, benchmark FROM runs)')"

# A job waits for its node, and the user gives its work to another one.
sed -i "s/^$gone drain\$/$gone/" ../names
echo 'echo score $1 # 5' >prog.sh
save 'change 5'
touch ../odd/down
perfevo track --last 1 --farm slurm --no-open >/dev/null 2>../notes &
until grep -q 'which is down or drained' ../notes; do
	kill -0 $! || fail "track: $(cat ../notes)"
	sleep 0.1
done
perfevo farm status >../status
has 'a job that waits' ../status 'which is down or drained'
perfevo farm stop >../stop
has 'jobs that are ended' ../stop 'asked 1 job to end'
wait $! && fail 'it was not stopped'
same 'jobs' '' "$(ls ../queue)"
node=$(sed -n 's/.*waits for \([^,]*\),.*/\1/p' ../notes | head -n 1)
sed -i "s/^$node\$/& drain/" ../names
perfevo track --last 1 --farm slurm --no-open >/dev/null 2>../notes || fail "track: $(cat ../notes)"
has 'a node that went down' ../notes "$node is not to be had"
same 'cells' 10 "$(sqlite3 $db 'SELECT count(*) FROM (SELECT DISTINCT revision, benchmark FROM runs)')"

# A part whose workers cannot begin, here for a cache that is no folder, is given up, with their reason.
echo 'echo score $1 # 6' >prog.sh
sed -i "s#cache: $work/cache#cache: $work/number#" perfevo.yml
save 'another cache'
perfevo track --last 1 --farm slurm --no-open >/dev/null 2>../notes && fail 'it was measured'
has 'why no worker began' ../notes 'parts could not be measured: n'

# What Slurm will never do is said, and is no reason to wait.
echo 'echo score $1 # 7' >prog.sh
sed -i 's/nodes: 2/partition: none/' perfevo.yml
save 'another partition'
perfevo track --farm slurm --no-open >/dev/null 2>../notes && fail 'it was handed out'
has 'why' ../notes 'invalid partition specified'
