# The links through which a benchmark is given its input are among what it depends on: a commit that changes one is measured.
. "$CASE_DIR/../track/lib.sh"

new_repo
printf '#!/bin/sh\nread -r level\necho "level $level"\n' >prog.sh
echo 1 >data1
echo 2 >data2
ln -s data1 current
ln -s current in.txt
save c1
ln -sfn data2 current
save c2
perfevo_yml 'sh build.sh' 'prog: {command: ./prog, input: in.txt, warmup: 0, repeats: 2}'
echo perfevo.yml >>.git/info/exclude
track 0 --last 2
same 'taken over' '' "$(db 'SELECT v.subject FROM reused c JOIN revisions v ON v.key = c.revision')"
store_is_whole
