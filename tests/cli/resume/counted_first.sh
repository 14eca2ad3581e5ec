# New builds are counted before any run is timed; killed at the first timed run, `track` goes on with what is left, and
# counts nothing again. So does adaptive measuring.
. "$CASE_DIR/../track/lib.sh"
# No benchmark is tried before: what is killed is the measuring.
export PERFEVO_PATIENCE=0
new_repo
cat >prog.sh <<END
#!/bin/sh
read -r level <level
case \${LD_PRELOAD-} in
*libperfevo_rt*) ;;
*) [ -e "$case_dir/enough" ] || kill -9 "\$(cat "$case_dir/pid")" ;;
esac
END
history 9
printf 'build: sh build.sh\nbenchmarks:\n  prog: {command: ./prog, warmup: 0, repeats: 3}\n' >perfevo.yml

kinds()
{
	db 'SELECT kind, count(*), count(DISTINCT revision) FROM runs GROUP BY kind'
}

# killed ARGUMENTS...: track that ends when it times something; what it left in the store
killed()
{
	rm -f "$case_dir/enough" "${store:?}" "${store:?}"-*
	perfevo track --no-confirm --quiet "$@" >"$case_dir/out" 2>&1 &
	echo $! >"$case_dir/pid"
	if wait $!; then fail "track was not killed: $(cat "$case_dir/out")"; fi
	echo x >"$case_dir/enough"
	kinds
}

same 'counted before any is timed' '1|6|3' "$(killed --last 3)"
track 0 --last 3 --all
same 'nothing is counted again' '0|9|3
1|6|3' "$(kinds)"
same 'both ends, counted' '1|4|2' "$(killed --last 9 --adaptive)"
track 0 --last 9 --adaptive
same 'nothing is counted again, either' 2 "$(db 'SELECT DISTINCT count(*) FROM runs WHERE kind = 1 GROUP BY revision')"
same 'no commit is timed and not counted before' 0 "$(db 'SELECT count(*) FROM (SELECT revision, min(key) AS timed FROM runs WHERE kind = 0 GROUP BY 1) t
	WHERE NOT EXISTS (SELECT 1 FROM runs c WHERE c.kind = 1 AND c.revision = t.revision AND c.key < t.timed)')"
store_is_whole
