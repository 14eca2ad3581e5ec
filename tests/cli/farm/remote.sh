# A farm whose machines see no folder together: work and results go by way of a git repository. The store says what `track`
# without a farm says; one that does not answer is waited for; what somebody else put there is set aside; nothing stays.
. "$SOURCE_DIR/tests/cli/lib.sh"

git init -q --bare hub.git
git init -q repo
cd repo
cat >perfevo.yml <<END
build: {steps: sh build.sh, parallel: 1}
farm: {local: 2, remote: $PWD/../hub.git}
metrics:
  wall: {judge: false}
  max-rss: {judge: false}
defaults: {warmup: 0, repeats: 2, allocations: false}
benchmarks:
  one: {command: sh prog.sh 1, metrics: {score: {unit: points, better: lower, regex: 'score ([0-9]+)'}}}
  two: {command: sh prog.sh 2, metrics: {score: {unit: points, better: lower, regex: 'score ([0-9]+)'}}}
END
echo perfevo.yml >>.git/info/exclude
echo 'exit 0' >build.sh
for figure in 100 200 200; do
	echo "echo score \$((\$1 * $figure)) # $((n = ${n-0} + 1))" >prog.sh
	save "score $figure"
done

content()
{
	sqlite3 "$1" "SELECT substr(v.id, 1, 10), b.name, count(*), group_concat(DISTINCT s.value) FROM runs r
		JOIN batches w ON w.key = r.batch AND NOT w.aside JOIN batch_cells c ON c.batch = r.batch
		AND c.revision = r.revision AND c.benchmark = r.benchmark AND c.role = 0 JOIN revisions v ON v.key = r.revision
		JOIN benchmarks b ON b.key = r.benchmark JOIN samples s ON s.run = r.key JOIN metrics m ON m.key = s.metric
		AND m.name = 'score' GROUP BY 1, 2 ORDER BY 1, 2; SELECT count(*) FROM batches WHERE is_open"
}

mkdir ../nodes
export TMPDIR="$PWD/../nodes" XDG_CACHE_HOME="$HOME/other"
perfevo --store ../plain.db track --quiet --no-confirm --no-open >/dev/null
# Nobody answers at first, and nothing that was sent can be removed.
printf '#!/bin/sh\ncase $3 in 0000*) exit 1 ;; esac\n' >../hub.git/hooks/update
chmod +x ../hub.git/hooks/update
mv ../hub.git ../gone.git
(
	n=0
	until grep -q 'waiting for it' ../notes 2>/dev/null || [ "$n" -ge 12000 ]; do
		sleep 0.05
		n=$((n + 1))
	done
	mv ../gone.git ../hub.git
) &
perfevo --store ../farm.db track --farm local --no-confirm --no-open >/dev/null 2>../notes
wait
has 'a remote that is gone' ../notes "fetching from 'farm: remote:' failed: see git's message above: waiting for it"
same 'messages of git' 1 "$(grep -c '^fatal:.*hub.git' ../notes)"
has 'what stays' ../notes 'removed the next time'
same 'stores' "$(content ../plain.db)" "$(content ../farm.db)"
same 'folders of workers' '' "$(ls ../nodes)"
same 'work in the repository of the user' '' "$(git for-each-ref refs/perfevo/farms)"

# What lies there from before is known; of what others put beside it nothing is taken in.
refs=$(git ls-remote ../hub.git | sed -n 's|.*\(refs/perfevo/farms/[0-9a-f]*/pieces/[0-9a-f]*\)/.*|\1|p' | head -n 1)
no_piece=$(echo '{}' | git hash-object -w --stdin)
git push -q ../hub.git "$no_piece:$refs/00000000000000000000000000000000" "HEAD:$refs/11111111111111111111111111111111" \
	"$no_piece:$refs/-x"
rm ../hub.git/hooks/update
echo 'echo score $(($1 * 300))' >prog.sh
save 'score 300'
perfevo --store ../plain.db track --quiet --no-confirm --no-open >/dev/null
perfevo --store ../farm.db track --farm local --no-confirm --no-open >/dev/null 2>../notes
same 'stores' "$(content ../plain.db)" "$(content ../farm.db)"
has 'what is no piece' ../notes 'set aside'
same 'what is left in the remote' '' "$(git ls-remote ../hub.git)"
same 'folders of workers' '' "$(ls ../nodes)"

# Nodes would look for it somewhere else.
sed -i 's|remote: [^}]*|remote: ../hub.git|' perfevo.yml
perfevo --store ../farm.db farm stop >/dev/null 2>../notes && fail 'an address that means nothing on a node is taken'
has 'such an address' ../notes 'must be an address that nodes reach'

# Nodes of Slurm that see neither the repository nor the spool.
command -v slurmctld >/dev/null || PATH=$PATH:/usr/sbin
{ [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null && command -v slurmctld >/dev/null; } || exit 0
cd ..
mkdir hidden
mv repo hidden/repo
SLURM_PORT=$((20000 + $$ % 10000 * 4))
export SLURM_PORT SLURM_CONF="$PWD/s/slurm.conf" SLURM_HIDDEN="$PWD/hidden"
"$SOURCE_DIR/scripts/slurm_nodes.sh" start "$PWD/s" 2 || exit 0
trap '"$SOURCE_DIR/scripts/slurm_nodes.sh" stop "$SLURM_HIDDEN/../s"' EXIT
cd hidden/repo
sed -i "s|remote: [^}]*|remote: $SLURM_HIDDEN/../hub.git, cache: $SLURM_HIDDEN/../nodes|" perfevo.yml
perfevo --store ../farm.db farm init >../init
has 'nodes' ../init ': n1 n2'
perfevo --store ../farm.db track --farm slurm --no-confirm --no-open >/dev/null 2>../notes
same 'stores' "$(content ../../plain.db)" "$(content ../farm.db)"
same 'batches of other machines' 0 "$(sqlite3 ../farm.db "SELECT count(*) FROM batches WHERE node IS NOT 'n1' AND node IS NOT 'n2'")"
same 'what is left in the remote' '' "$(git ls-remote ../../hub.git)"
