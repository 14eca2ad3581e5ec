#!/bin/sh
# Three nodes of Slurm on one machine, for tests: munged, slurmctld and three slurmd without systemd, on 127.0.0.1.
#
#   slurm_nodes.sh start DIR [NODES]    then: export SLURM_CONF=DIR/slurm.conf
#   slurm_nodes.sh stop DIR
#
# DIR is a short absolute path of a folder of one's own; all processes are ended by their pid files. Ports are taken from
# SLURM_PORT (16817) on: the controller's, then one a node. Ends with 77 where Slurm is not installed or cannot be started.
set -eu

[ $# -ge 2 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 129; }
PATH=$PATH:/usr/sbin:/sbin
dir=$2
nodes=${3-3}
port=${SLURM_PORT-16817}

stop()
{
	for file in "$dir"/slurmd-*.pid "$dir/ctld.pid" "$dir/munge/pid"; do
		[ -s "$file" ] || continue
		pid=$(cat "$file")
		kill "$pid" 2>/dev/null || continue
		tries=100
		while kill -0 "$pid" 2>/dev/null && [ "$tries" -gt 0 ]; do
			sleep 0.05
			tries=$((tries - 1))
		done
		kill -9 "$pid" 2>/dev/null || :
	done
	rm -f "$dir"/slurmd-*.pid "$dir/ctld.pid" "$dir/munge/pid"
}

give_up()
{
	echo "$*" >&2
	cat "$dir"/log/* >&2 2>/dev/null || :
	stop
	exit 77
}

write_conf()
{
	user=$(id -un)
	cat >"$dir/slurm.conf" <<END
ClusterName=t
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$dir/munge/sock
CryptoType=crypto/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
SlurmctldPidFile=$dir/ctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/log/ctld
SlurmdLogFile=$dir/log/slurmd-%n
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
KillWait=2
SlurmdTimeout=10
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName=n[1-$nodes] NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 1))-$((port + nodes)) CPUs=$(nproc) State=UNKNOWN
PartitionName=p Nodes=n[1-$nodes] Default=YES State=UP MaxTime=INFINITE
END
}

# start_node NAME: where SLURM_HIDDEN names a folder, each node has an empty one of its own there (as root)
start_node()
{
	if [ -z "${SLURM_HIDDEN-}" ]; then
		slurmd -N "$1"
	else
		unshare --mount sh -ec "mount -t tmpfs none '$SLURM_HIDDEN'; exec slurmd -N $1"
	fi
}

start()
{
	for program in munged slurmctld slurmd sbatch; do
		command -v "$program" >/dev/null || { echo "no $program" >&2; exit 77; }
	done
	mkdir -p "$dir/state" "$dir/log" "$dir/munge"
	chmod 700 "$dir/munge"
	write_conf
	dd if=/dev/urandom bs=128 count=1 2>/dev/null >"$dir/munge/key"
	chmod 400 "$dir/munge/key"
	munged --force --key-file="$dir/munge/key" --socket="$dir/munge/sock" --pid-file="$dir/munge/pid" \
		--log-file="$dir/log/munge" --seed-file="$dir/munge/seed" || give_up 'munged does not start'
	SLURM_CONF=$dir/slurm.conf
	export SLURM_CONF
	slurmctld || give_up 'slurmctld does not start'
	n=1
	while [ "$n" -le "$nodes" ]; do
		mkdir -p "$dir/spool-n$n"
		start_node "n$n" || give_up "slurmd $n does not start"
		n=$((n + 1))
	done
	tries=100
	while [ "$(sinfo --noheader --Node --states=idle --format=%N 2>/dev/null | wc -l)" -lt "$nodes" ]; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || give_up 'the nodes do not come up'
		sleep 0.1
	done
}

case $1 in
start) start ;;
stop) stop ;;
*) exit 129 ;;
esac
