# A track that is killed at any moment loses at most the run in flight. It is killed ten times, while it
# builds, warms up, measures and counts, and resumed each time; in the end there is exactly what an
# undisturbed track of the same history leaves: no run twice, none missing, and no process left behind.
. "$CASE_DIR/../track/lib.sh"

seed=${PERFEVO_TEST_SEED:-$(date +%s)}
mark=0.0209$$
new_repo
cat >prog.sh <<'END'
#!/bin/sh
read -r level <level
[ "$level" = 5 ] && exit 1
exec sleep "$1"
END
cat >build.sh <<'END'
[ "$(cat level)" = 3 ] && exit 1
sleep 0.05
cp prog.sh prog && chmod +x prog
END
history 7
cat >perfevo.yml <<END
build: sh build.sh
# Room for some of the builds only: several windows, with anchors.
disk: DISK
benchmarks:
  first: {command: ./prog $mark, warmup: 1, repeats: 4}
  second: {command: ./prog $mark, warmup: 0, repeats: 3, allocations: false}
END
cp -a "$case_dir/repo" "$case_dir/undisturbed"

# The seed of the order of rounds is the same for both, so that only the killing differs.
export PERFEVO_SEED=7

# A zombie is dead: it waits for its parent, which is nobody of ours.
lives()
{
	case $(ps -o stat= -p "$1" 2>/dev/null) in
	'' | Z*) return 1 ;;
	esac
}

wait_for_none()
{
	n=0
	for pid in $1; do
		while lives "$pid"; do
			n=$((n + 1))
			[ "$n" -lt 12000 ] || fail "process $pid outlived perfevo by 10 min (seed $seed): $(ps -o args= "$pid")"
			sleep 0.05
		done
	done
}

descendants()
{
	for child in $(pgrep -P "$1"); do
		echo "$child"
		descendants "$child"
	done
}

progress()
{
	[ -f "$store" ] || {
		echo 0
		return
	}
	db 'SELECT (SELECT count(*) FROM builds) + (SELECT count(*) FROM runs)' 2>/dev/null || echo 0
}

# Kill it when there is so much in the store, and a random part of a run later.
kill_at()
{
	perfevo track --quiet --no-open --no-confirm --last 7 >"$case_dir/out" 2>"$case_dir/err" </dev/null &
	tool=$!
	while [ "$(progress)" -lt "$1" ] && kill -0 "$tool" 2>/dev/null; do
		sleep 0.005
	done
	sleep "$2"
	family=$(descendants "$tool")
	kill -9 "$tool" 2>/dev/null && hits=$((hits + 1))
	wait "$tool" 2>/dev/null || true
	wait_for_none "$family"
	# What was begun between the listing of the family and the kill ends with the launcher, a moment later.
	wait_for_none "$(strays "sleep $mark")"
	same "processes left behind (seed $seed)" "" "$(strays "sleep $mark")"
}

disturb()
{
	hits=0
	total=$1
	for moment in $(awk -v seed="$2" -v total="$total" 'BEGIN {
		srand(seed)
		for (i = 0; i < 5; i++)
			printf "%d:%.3f\n", total * 0.9 * rand(), 0.08 * rand()
	}' | sort -n); do
		kill_at "${moment%:*}" "${moment#*:}"
		# Killed before the first table was there, it is a file without tables.
		[ "$(progress)" -eq 0 ] || store_is_whole
	done
	[ "$hits" -ge 3 ] || fail "only $hits of 5 kills found perfevo at work (seed $seed)"
	track 0 --last 7
}

unplanned=1 # how many builds there is room for, and so how many anchors, is known once one was built

# Once with room for all builds, once with room for a few: five kills each.
for disk in 10GiB 90KiB; do
	export XDG_CACHE_HOME="$case_dir/cache-undisturbed-$disk"
	cd "$case_dir/undisturbed"
	sed -i "s/^disk: .*/disk: $disk/" perfevo.yml
	store=$case_dir/undisturbed-$disk.db
	track 0 --last 7 --store "$store"
	undisturbed=$(all_runs)
	windows=$(db 'SELECT count(*) FROM batches')
	total=$(progress)

	export XDG_CACHE_HOME="$case_dir/cache-disturbed-$disk"
	cd "$case_dir/repo"
	sed -i "s/^disk: .*/disk: $disk/" perfevo.yml
	rm -rf .git/perfevo
	store=$case_dir/repo/.git/perfevo/perfevo.db
	disturb "$total" "$seed"
	same "runs after five kills, disk $disk (seed $seed)" "$undisturbed" "$(all_runs)"
	same "a run of one window, round and kind that is there twice (seed $seed)" "" "$(db 'SELECT batch,
		revision, benchmark, kind, round FROM runs GROUP BY 1, 2, 3, 4, 5 HAVING count(*) > 1')"
	same "windows after five kills, disk $disk (seed $seed)" "$windows" "$(db 'SELECT count(*) FROM batches')"
	same "windows left open (seed $seed)" 0 "$(db 'SELECT count(*) FROM batches WHERE is_open')"
	[ "$disk" = 10GiB ] || same "anchors in small windows" 1 "$(db 'SELECT count(*) > 0 FROM batch_cells WHERE role = 1')"
	store_is_whole
done
