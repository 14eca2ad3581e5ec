# Ctrl-C while changed methods are found out, after everything was measured: what was found is kept, and the same
# command goes on to the rows that it would have had undisturbed.
# shellcheck source=tests/cli/track/lib.sh
. "$CASE_DIR/lib.sh"

# What the store knows of what commits changed.
known()
{
	db 'SELECT v.subject, c.files, c.unread, c.changed_methods FROM compared c JOIN revisions v ON v.id = c.revision
	    ORDER BY v.subject'
}

commits=40
new_repo
plain_config
sed -i 's/repeats: 3/repeats: 1/; s/warmup: 1/warmup: 0/' perfevo.yml
echo 1 >level
i=0
while [ "$i" -lt "$commits" ]; do
	i=$((i + 1))
	# Enough to read that a signal comes in between, however fast the machine is.
	awk -v v="$i" 'BEGIN {
		for (k = 0; k < 4000; k++)
			printf "int f%d(int a)\n{\n\treturn a + %d * %d;\n}\n", k, k % 50 == 0 ? v : 0, k
	}' >a.c
	save "c$(printf %02d "$i")"
done

# The phase is seen from the store, and a signal stops every commit that is not done yet.
env --default-signal=INT perfevo track --no-open --no-confirm --last "$commits" >"$case_dir/out" 2>"$case_dir/err" </dev/null &
tool=$!
n=0
while [ ! -e "$store" ] || [ -z "$(known 2>/dev/null)" ]; do
	n=$((n + 1))
	[ "$n" -lt 20000 ] || fail "nothing was found out: $(cat "$case_dir/err")"
	kill -0 "$tool" 2>/dev/null || fail "perfevo ended: $(cat "$case_dir/err")"
	sleep 0.01
done
kill -INT "$tool"
status=0
wait "$tool" || status=$?
same "exit status" 128 "$status"
has "how to go on" "$case_dir/err" "run the same command to resume"
known >"$case_dir/some"
[ "$(wc -l <"$case_dir/some")" -lt "$commits" ] || fail "all of it was found out before the signal came"
same "nothing that was measured is lost" "$commits" \
	"$(db 'SELECT count(DISTINCT revision) FROM runs WHERE outcome = 0')"
runs=$(all_runs)
store_is_whole

track 0 --last "$commits" --no-open
known >"$case_dir/all"
same "commits in the end" "$commits" "$(wc -l <"$case_dir/all")"
same "what was found out before stands" "" "$(grep -vxFf "$case_dir/all" "$case_dir/some" || true)"
same "nothing was measured again" "$runs" "$(all_runs)"
store_is_whole

# Undisturbed.
db 'PRAGMA foreign_keys = ON; DELETE FROM compared; DELETE FROM extractions' >/dev/null
track 0 --last "$commits" --no-open
same "the rows of a run that nobody disturbed" "$(known)" "$(cat "$case_dir/all")"
