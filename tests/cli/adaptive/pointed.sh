# Where an exact count moved, times are looked at first: the place is found by counting alone, which takes nothing of the
# budget. Where counts are equal, nothing is counted for it; and a step that no count shows is found all the same.
. "$CASE_DIR/../confirm/lib.sh"

noisy_repo 64 41 4 1
sed -i 's/repeats: 4/repeats: 5/' perfevo.yml
echo 'run: {instructions: simulated}' >>perfevo.yml
# It counts as `counts` says: "COMMIT MORE" from a commit on.
cat >"$case_dir/valgrind" <<END
#!/bin/sh
read -r commit level <level
read -r from more <"$case_dir/counts"
for word; do
	case \$word in --cachegrind-out-file=*) records=\${word#*=} ;; esac
done
count=100000
[ "\$commit" -lt "\$from" ] || count=\$((count + more))
printf 'events: Ir\nfl=prog.c\nfn=main\n1 %s\nsummary: %s\n' "\$count" "\$count" >"\${records%/*}/count.\$\$"
: >"\${records%/*}/log.\$\$"
END
chmod +x "$case_dir/valgrind"
PERFEVO_VALGRIND=$case_dir/valgrind
export PERFEVO_VALGRIND

# explored FROM MORE: what counts do; prints how many commits were counted and not timed, and what was found
explored()
{
	echo "$1 $2" >"$case_dir/counts"
	echo 0 >"$runs"
	rm -f "${store:?}" "${store:?}"-*
	confirming=--no-confirm track 0 --last 64 --max-runs 40
	same 'the budget' 1 "$(db 'SELECT count(*) <= 40 FROM runs WHERE kind = 0')"
	db "SELECT count(*) > 0 FROM (SELECT 1 FROM runs GROUP BY revision HAVING sum(kind = 0) = 0)"
	db "SELECT metric, subject FROM jumps_named WHERE ${3:-1} ORDER BY 1"
}

found=$(explored 41 1000)
same 'a step where a count moved' '1
score|c41
simulated-instructions|c41' "$found"
same 'both sides are timed' 'c40 c41 ' "$(db "SELECT DISTINCT subject FROM runs r JOIN revisions v ON v.key = r.revision
	WHERE kind = 0 AND subject IN ('c40', 'c41') ORDER BY 1" | tr '\n' ' ')"
found=$(explored 1000 0)
same 'a step, and counts that are equal' 0 "${found%%
*}"
same 'one step' 1 "$(db "SELECT count(*) FROM jumps_named WHERE metric = 'score'")"
found=$(explored 20 1000 "metric <> 'score'")
same 'a count that moved elsewhere' '1
simulated-instructions|c20' "$found"
same 'the step all the same' 1 "$(db "SELECT count(*) FROM jumps_named WHERE metric = 'score' AND CAST(substr(subject, 2) AS INTEGER) > 30")"
