# Instructions of several builds are counted at one time, and never while a run is timed: the same counts as one after the
# other, with the same numbers, also after a kill. What fails beside others is counted alone.
new_repo
mkdir "$case_dir/at_work"
# It counts what `level` says. Where a file is missing, it waits until another one is at work beside it.
cat >"$case_dir/valgrind" <<END
#!/bin/sh
read -r level <level
: >"$case_dir/at_work/\$\$"
trap 'rm -f "$case_dir/at_work/\$\$"' EXIT
for word; do
	case \$word in --cachegrind-out-file=*) records=\${word#*=} ;; esac
done
meet()
{
	i=0
	while [ ! -e "\$1" ] && [ "\$i" -lt 12000 ]; do
		set -- "\$1" "$case_dir"/at_work/*
		[ \$# -lt 3 ] || : >"\$1"
		sleep 0.05
		i=\$((i + 1))
	done
}
meet "$case_dir/met"
if [ "\$(cat "$case_dir/shy")" = "\$level" ] && [ ! -e "$case_dir/failed" ]; then
	: >"$case_dir/failed"
	exit 9
fi
echo x >>"$case_dir/made"
[ "\$(wc -l <"$case_dir/made")" != "\$(cat "$case_dir/killed")" ] || kill -9 "\$(cat "$case_dir/pid")"
printf 'events: Ir\nfl=prog.c\nfn=main\n1 %s\nsummary: %s\n' "\$level" "\$level" >"\${records%/*}/count.\$\$"
: >"\${records%/*}/log.\$\$"
END
chmod +x "$case_dir/valgrind"
PERFEVO_VALGRIND=$case_dir/valgrind
export PERFEVO_VALGRIND
cat >prog.sh <<END
#!/bin/sh
read -r level <level
case \${LD_PRELOAD-} in
*libperfevo_rt*) ;;
*) [ -z "\$(ls "$case_dir/at_work")" ] || exit 3 ;;
esac
END
history 6

# counted LANES KILLED SHY: the runs of a track that counts so, killed at a count, with a level that fails once
counted()
{
	cat >perfevo.yml <<END
build: {steps: [sh build.sh], parallel: $1}
run: {instructions: simulated}
benchmarks:
  prog: {command: ./prog, warmup: 0, repeats: 2}
END
	echo "$2" >"$case_dir/killed"
	echo "$3" >"$case_dir/shy"
	rm -f "$case_dir/met" "$case_dir/made" "$case_dir/failed" "${store:?}" "${store:?}"-*
	[ "$1" != 1 ] || : >"$case_dir/met"
	perfevo track --last 6 --all --no-confirm --no-open >"$case_dir/out" 2>"$case_dir/err" &
	echo $! >"$case_dir/pid"
	if ! wait $! && [ "$2" = 0 ]; then fail "track: $(cat "$case_dir/err")"; fi
	rm -f "$case_dir/at_work"/*
	[ "$2" = 0 ] || track 0 --last 6 --all
	[ -e "$case_dir/met" ] || fail 'no two were counted at one time'
	db "SELECT v.subject, r.round, r.sequence, o.name, (SELECT value FROM samples s JOIN metrics m ON m.key = s.metric
			WHERE s.run = r.key AND m.name = 'simulated-instructions')
		FROM runs r JOIN revisions v ON v.key = r.revision JOIN outcomes o ON o.key = r.outcome
		WHERE r.kind = 1 ORDER BY 1, 2, 3"
}

counted 1 0 none >"$case_dir/alone"
same 'runs' '0|12
1|12' "$(db 'SELECT kind, count(*) FROM runs WHERE outcome = 0 GROUP BY 1')"
counted 3 0 none >"$case_dir/beside"
same 'values' "$(cut -d '|' -f 1,2,4- "$case_dir/alone")" "$(cut -d '|' -f 1,2,4- "$case_dir/beside")"
same 'their order' 'c1 0 0,c2 0 1,c1 1 2,c2 1 3,c3 0 4,c3 1 5,c4 0 6,c4 1 7,c5 0 8,c5 1 9,c6 0 10,c6 1 11' \
	"$(sort -t '|' -nk 3 "$case_dir/beside" | cut -d '|' -f 1-3 | tr '|' ' ' | paste -sd ,)"
same 'folders that are left' '' "$(find "$XDG_CACHE_HOME" -name 'count[0-9][0-9]')"
counted 3 5 none >"$case_dir/resumed"
same 'after a kill' "$(cut -d '|' -f 1,2,4- "$case_dir/alone")" "$(cut -d '|' -f 1,2,4- "$case_dir/resumed")"

counted 3 0 5 >"$case_dir/shy_too"
same 'what failed beside others' "$(cut -d '|' -f 1,2,4- "$case_dir/alone")" "$(cut -d '|' -f 1,2,4- "$case_dir/shy_too")"
has 'told' "$case_dir/err" "$(git rev-parse --short=10 HEAD~1) is counted alone and not beside other commits: one at a time from now on"
store_is_whole
