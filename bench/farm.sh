#!/bin/sh
# What a farm gains and costs, with builds and runs that sleep, so that several nodes fit on one machine.
#
#   bench/farm.sh BUILD_DIR speed [NODES]            track alone, on a farm of one node and of NODES (3): seconds, speed-up,
#                                                    what an allocation adds; in Slurm, started by scripts/slurm_nodes.sh
#   bench/farm.sh BUILD_DIR many [NODES [COMMITS]]   a coordinator with jobs on so many nodes (100) that measure 200
#                                                    benchmarks over COMMITS (1000) and do not end, for two minutes: its
#                                                    memory, and how often it asks squeue; by a stand-in for Slurm
set -eu

usage="usage: bench/farm.sh BUILD_DIR speed|many [NODES [COMMITS]]"
build=$(cd "${1:?$usage}" && pwd)
what=${2:?$usage}
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" PATH="$build/cmd:$PATH:/usr/sbin:/sbin" PERFEVO_BACKGROUND=normal PERFEVO_VALGRIND='' GIT_CONFIG_NOSYSTEM=1
unset XDG_CACHE_HOME XDG_CONFIG_HOME

# history COMMITS BENCHMARKS COMMAND BUILD: in repo, each commit with another program
history()
{
	git init -q -b main "$dir/repo"
	cd "$dir/repo"
	git config user.name bench
	git config user.email bench@localhost
	cat >perfevo.yml <<END
build: {steps: $4, parallel: 1}
farm: {spool: $dir/spool, cache: $dir/cache, nodes: 1}
defaults: {warmup: 0, repeats: 5, allocations: false}
benchmarks:
END
	n=0
	while [ "$n" -lt "$2" ]; do
		n=$((n + 1))
		echo "  b$n: {command: $3}" >>perfevo.yml
	done
	git add perfevo.yml
	n=0
	while [ "$n" -lt "$1" ]; do
		n=$((n + 1))
		echo "$n" >change
		git add change
		git commit -q -m "change $n"
	done
}

# seconds COMMAND...: that it takes, in "took"
seconds()
{
	began=$(date +%s%N)
	"$@" >"$dir/out" 2>"$dir/said" </dev/null || { cat "$dir/said" >&2; exit 1; }
	took=$((($(date +%s%N) - began) / 1000000))
}

speed()
{
	nodes=${1-3}
	export SLURM_PORT=$((20000 + $$ % 10000 * 4)) SLURM_CONF="$dir/s/slurm.conf"
	"$root/scripts/slurm_nodes.sh" start "$dir/s" "$nodes"
	trap '"$root/scripts/slurm_nodes.sh" stop "$dir/s"; rm -rf "$dir"' EXIT
	history 9 12 'sleep 0.25' 'sleep 5'
	seconds perfevo --store "$dir/alone.db" track --all --no-confirm --no-open
	alone=$took
	for n in 1 "$nodes"; do
		sed -i "s/nodes: [0-9]*/nodes: $n/" perfevo.yml
		rm -rf "$dir/cache" "$dir/spool"
		perfevo --store "$dir/$n.db" farm init >"$dir/init" 2>&1
		seconds perfevo --store "$dir/$n.db" track --farm slurm --all --no-confirm --no-open
		grep 'handed out in' "$dir/said" >&2
		[ "$n" -gt 1 ] || one=$took
	done
	awk -v alone="$alone" -v one="$one" -v all="$took" -v n="$nodes" 'BEGIN {
		printf "track alone %.1f s, on 1 node %.1f s, on %d nodes %.1f s\n", alone / 1000, one / 1000, n, all / 1000
		printf "speed-up %.2f of %d; an allocation took %.1f s more than track alone, %.2f %% of ten minutes\n",
			one / all, n, (one - alone) / 1000, (one - alone) / 6000
	}'
}

# Jobs that run for ever: what squeue prints, and a line in "asked" whenever it does
stand_in()
{
	mkdir "$dir/bin" "$dir/queue"
	echo 0 >"$dir/number"
	cat >"$dir/bin/sbatch" <<END
#!/bin/sh
for word; do
	case \$word in
	--comment=*) comment=\${word#*=} ;;
	--nodelist=*) node=\${word#*=} ;;
	--chdir=*) cd "\${word#*=}" ;;
	esac
done
n=\$((\$(cat "$dir/number") + 1))
echo \$n >"$dir/number"
echo \$n
[ "\$comment" != probe ] || { SLURMD_NODENAME=\$node sh; exit; }
cat >/dev/null
echo "\$n|RUNNING|n\$n|\$comment|None" >>"$dir/queue/jobs"
END
	printf '#!/bin/sh\ndate +%%s >>%s/asked\ncat %s/queue/* 2>/dev/null || :\n' "$dir" "$dir" >"$dir/bin/squeue"
	printf '#!/bin/sh\ncat %s/nodes\n' "$dir" >"$dir/bin/sinfo"
	echo n1 >"$dir/nodes"
	printf '#!/bin/sh\n' >"$dir/bin/scancel"
	chmod +x "$dir"/bin/*
	PATH=$dir/bin:$PATH
}

many()
{
	nodes=${1-100}
	history "${2-1000}" 200 true true
	sed -i "s/nodes: 1/nodes: $nodes/" perfevo.yml
	stand_in
	perfevo farm init >"$dir/init"
	seq -f n%.0f "$nodes" >"$dir/nodes"
	rm "$dir/asked"
	began=$(date +%s%N)
	perfevo track --all --last "${2-1000}" --farm slurm --no-confirm --no-open >"$dir/out" 2>"$dir/said" &
	pid=$!
	: >>"$dir/queue/jobs"
	while [ "$(wc -l <"$dir/queue/jobs")" -lt "$nodes" ]; do
		kill -0 "$pid" || { cat "$dir/said" >&2; exit 1; }
		sleep 0.2
	done
	took=$((($(date +%s%N) - began) / 1000000))
	sleep 120
	peak=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status")
	used=$(awk '{ print $14 + $15 }' "/proc/$pid/stat")
	kill -INT "$pid"
	wait "$pid" || :
	awk -v jobs="$(wc -l <"$dir/queue/jobs")" -v ms="$took" -v kib="$peak" -v ticks="$used" -v since="$(head -n 1 "$dir/asked")" '
		{ n[int(($1 - since) / 60)]++ }
		END { printf "%d jobs handed out after %.1f s; %.0f MiB at most, %.1f s of the processor; squeue: %d times in the first minute, %d in the second\n",
			jobs, ms / 1000, kib / 1024, ticks / 100, n[0], n[1] }' "$dir/asked"
}

case $what in
speed | many) shift 2; "$what" "$@" ;;
*) echo "$usage" >&2; exit 129 ;;
esac
