# Helpers of the end-to-end cases of `track`. A case sources this file in a fresh folder, makes a repository
# there, runs the real tool and looks at what is in the store.
#
# No case looks at a time: programs are trivial and what is compared are sets of runs, outcomes and files.

export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_DEFAULT_HASH=sha1
export GIT_AUTHOR_NAME=Author GIT_AUTHOR_EMAIL=author@example.org
export GIT_COMMITTER_NAME=Author GIT_COMMITTER_EMAIL=author@example.org
umask 022
clock=1700000000

# A repository in $case_dir/repo, which becomes the current folder: build.sh makes prog out of prog.sh.
new_repo()
{
	mkdir "$case_dir/repo"
	cd "$case_dir/repo"
	git init -q -b main .
	store=$case_dir/repo/.git/perfevo/perfevo.db
	cat >build.sh <<'END'
cp prog.sh prog
chmod +x prog
END
	cat >prog.sh <<'END'
#!/bin/sh
read -r level <level
echo "level $level"
END
}

# history N: commits c1 to cN; each writes its number into `level`.
history()
{
	i=0
	while [ "$i" -lt "$1" ]; do
		i=$((i + 1))
		echo "$i" >level
		save "c$i"
	done
}

# The plain config, untracked in the user's tree: three runs of ./prog.
plain_config()
{
	cat >perfevo.yml <<'END'
build: sh build.sh
benchmarks:
  prog:
    command: ./prog
    warmup: 1
    repeats: 3
    allocations: false
END
	mkdir -p .git/info
	echo perfevo.yml >>.git/info/exclude
}

# timed_repo NAME...: benchmarks that print times of their own, with noise drawn from the number of the run: what `level` says, times
# what the machine takes for `parse` and for the others ($speed), so nothing depends on the real one. The config is in no commit.
timed_repo()
{
	export PERFEVO_SEED=7
	speed=$case_dir/speed
	runs=$case_dir/runs
	new_repo
	cat >prog.sh <<END
#!/bin/sh
n=\$(cat "$runs")
echo \$((n + 1)) >"$runs"
read -r level <level
read -r parse print <"$speed"
[ "\$1" = parse ] || parse=\$print
awk -v n="\$n" -v level="\$level" -v slow="\$parse" 'BEGIN {
	srand(7919 * n + 13)
	for (i = 0; i < 12; i++) sum += rand()
	printf "took %.1f\\n", 1000000 * level * slow * (1 + 0.004 * (sum - 6))
}'
END
	echo 0 >"$runs"
	echo 1 1 >"$speed"
	printf '%s\n' 'build: sh build.sh' 'metrics: {wall: {judge: false}, max-rss: {judge: false}}' \
		'defaults: {warmup: 0, repeats: 5, allocations: false}' 'benchmarks:' >perfevo.yml
	for name; do
		printf "  %s: {command: ./prog %s, metrics: {took: {unit: ns, better: lower, regex: 'took ([0-9.]+)'}}}\n" $name $name >>perfevo.yml
	done
	echo perfevo.yml >>.git/info/exclude
}

# What the plan says of runs: a kind (0: timed, 9: all) and how many at most; nothing where only a build tells the benchmarks.
plan_of_runs()
{
	! grep -q '^ *\(tests\|suites\):' perfevo.yml 2>/dev/null || return 0
	perfevo track --quiet --no-confirm --dry-run "$@" 2>/dev/null </dev/null | tr -d , |
		sed -n 's/^[0-9]* revisions* to measure: .* \([0-9]*\) runs*$/9 \1/p; s/^adaptively:.* at most \([0-9]*\) timed runs .*/0 \1/p'
}

# runs KIND: how many of them are in the store.
runs()
{
	if [ -e "$store" ]; then db "SELECT count(*) FROM runs WHERE kind = $1 OR $1 = 9"; else echo 0; fi
}

# track STATUS ARGUMENTS...: run it and expect that exit status; output in $case_dir/out and err. What a machine's
# noise makes a suspect is not measured again, or the runs would be other ones each time: tests/cli/confirm/ has
# noise of its own. It makes no more runs than its plan says, unless a case knows why (`unplanned`).
track()
{
	expected=$1
	shift
	status=0
	plan=
	[ -n "${confirming-}${unplanned-}" ] || plan=$(plan_of_runs "$@")
	[ -z "$plan" ] || made=$(runs "${plan% *}")
	perfevo track --quiet ${confirming:---no-confirm} "$@" >"$case_dir/out" 2>"$case_dir/err" </dev/null || status=$?
	if [ "$status" -eq "$expected" ]; then
		[ -z "$plan" ] || [ $(($(runs "${plan% *}") - made)) -le "${plan#* }" ] ||
			fail "track $*: $(runs "${plan% *}") runs after $made, and the plan was ${plan#* }"
		return 0
	fi
	printf 'FAILED: perfevo track %s: exit status %s, expected %s\n' "$*" "$status" "$expected"
	cat "$case_dir/out" "$case_dir/err"
	exit 1
}

# One SQL statement; columns are separated by a bar.
db()
{
	sqlite3 -batch -noheader -cmd '.timeout 10000' "$store" "$1"
}

# What was measured because it was asked for (anchors aside): how many runs of which outcome.
counts()
{
	db "SELECT v.subject, b.name, CASE r.kind WHEN 0 THEN 'timed' ELSE 'allocations' END, o.name, count(*)
	    FROM runs r JOIN batch_cells c USING (batch, revision, benchmark)
	    JOIN revisions v ON v.key = r.revision JOIN benchmarks b ON b.key = r.benchmark
	    JOIN outcomes o ON o.key = r.outcome WHERE c.role = 0
	    GROUP BY 1, 2, 3, 4 ORDER BY length(v.subject), 1, 2, 3 DESC, 4"
}

# Subjects of the revisions that were measured because they were asked for.
measured()
{
	db "SELECT DISTINCT v.subject FROM runs r JOIN batch_cells c USING (batch, revision, benchmark)
	    JOIN revisions v ON v.key = r.revision WHERE c.role = 0 AND r.outcome = 0
	    ORDER BY length(v.subject), 1" | tr '\n' ' '
}

# Every run there is, as a set with its multiplicity: the same after any resumption as without one.
all_runs()
{
	db "SELECT v.subject, b.name, r.kind, r.round, o.name, count(*)
	    FROM runs r JOIN revisions v ON v.key = r.revision JOIN benchmarks b ON b.key = r.benchmark
	    JOIN outcomes o ON o.key = r.outcome GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5"
}

# The store is whole: SQLite finds nothing wrong, and every measured run has samples.
store_is_whole()
{
	same "integrity of the store" ok "$(db 'PRAGMA integrity_check')"
	same "foreign keys of the store" "" "$(db 'PRAGMA foreign_key_check')"
	same "measured runs without samples" 0 \
		"$(db 'SELECT count(*) FROM runs r WHERE outcome = 0
			AND NOT EXISTS (SELECT 1 FROM samples s WHERE s.run = r.key)')"
}

# Names, modes, times and contents below a folder, perfevo's own folder aside.
snapshot()
{
	(
		cd "$1"
		find . -path ./.git/perfevo -prune -o -type d -printf '%p %m\n' -o -type l -printf '%p -> %l\n' \
			-o -printf '%p %m %T@ %s\n'
		find . -path ./.git/perfevo -prune -o -type f -exec sha256sum {} +
	) | sort
}

# Processes whose command line has the mark.
strays()
{
	pgrep -f -- "$1" || true
}
