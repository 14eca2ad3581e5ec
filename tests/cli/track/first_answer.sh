# A first `track` of what nothing is known of learns from its newest commit what the others will cost, and comes under the
# same law as one after a `check`: what takes too long is measured in part, and it says so.

# said STATUS ARGUMENTS...: track that says what it has to say
said()
{
	expected=$1
	shift
	ends "$expected" perfevo track --no-confirm --no-open "$@"
}

new_repo
history 6
plain_config
sed -i 's/repeats: 3/repeats: 2000/' perfevo.yml
cat >prog.sh <<'END2'
#!/bin/sh
read -r level <level
[ "$level" != 7 ] || exit 3
echo "level $level"
END2
save 'another program'

# --- All of it would take longer than is waited for ---
perfevo track --dry-run --last 6 >"$case_dir/out"
has 'a plan before anything ran' "$case_dir/out" 'time unknown: nothing was built or run here yet'
has 'a plan before anything ran' "$case_dir/out" "'perfevo track' tries the newest commit first"
PERFEVO_PATIENCE=2 said 0 --last 6
has 'what is not known' "$case_dir/err" 'what 6 revisions take is not known yet'
has 'what is done' "$case_dir/err" 'all 6 revisions take up to'
has 'what is done' "$case_dir/err" 'measured adaptively'
[ "$(db 'SELECT count(*) FROM runs')" -lt 2000 ] || fail 'all of it was measured'
same 'what was tried is no measurement' 0 "$(db 'SELECT count(*) FROM runs WHERE batch IS NULL')"
same 'batches left open' 0 "$(db 'SELECT count(*) FROM batches WHERE is_open')"
store_is_whole

# --- It is known now, and the same command goes on ---
PERFEVO_PATIENCE=2 said 0 --last 6
has_not 'what is known' "$case_dir/err" 'is not known yet'
has 'what is done' "$case_dir/err" 'all 6 revisions take up to'

# --- What is soon done is done whole; so is what the user gave its time or its share ---
rm -rf .git/perfevo
sed -i 's/repeats: 2000/repeats: 3/' perfevo.yml
said 0 --last 6
has 'what is not known' "$case_dir/err" 'what 6 revisions take is not known yet'
has_not 'what is soon done' "$case_dir/err" 'adaptively'
same 'runs' 18 "$(db 'SELECT count(*) FROM runs')"
for asked in --all '--steps 4' '--max-runs 12'; do
	rm -rf .git/perfevo
	said 0 --last 6 $asked
	has_not "what is given with $asked" "$case_dir/err" 'is not known yet'
done

# --- What fails at the newest commit costs what failing took; what builds nowhere is bounded all the same ---
rm -rf .git/perfevo
echo 7 >level
save 'fails'
said 0 --last 6
has_not 'a benchmark that fails' "$case_dir/err" 'may take any time'
same 'the others' 15 "$(db 'SELECT count(*) FROM runs WHERE outcome = 0')"
rm -rf .git/perfevo
sed -i 's/^build:.*/build: "false"/' perfevo.yml
said 125 --last 8
has 'what builds nowhere' "$case_dir/err" 'all 3 revisions may take any time'

# --- Builds that the cache holds and the store knows nothing of: what they took is kept beside them ---
sed -i 's/^build:.*/build: sh build.sh/' perfevo.yml
sed -i '/level" != 7/d' prog.sh
cat >>perfevo.yml <<'END2'
  other:
    command: sh other.sh
    warmup: 0
    repeats: 3
    allocations: false
END2
rm -rf .git/perfevo "$HOME/cache"
for step in 'a prog.sh' 'b other.sh' 'a prog.sh' 'b other.sh'; do
	echo "# ${step%% *}$((clock % 120))" >>"${step#* }"
	save "changes ${step#* }"
done
git revert --no-edit HEAD >/dev/null
git revert --no-edit HEAD~2 >/dev/null
track 0 --last 1
rm -rf .git/perfevo
perfevo track --dry-run --last 6 >"$case_dir/out"
has 'a plan over a kept build' "$case_dir/out" 'the builds take about'
planned=$(sed -n 's/.* builds*, \([0-9]*\) runs*$/\1/p' "$case_dir/out")
PERFEVO_PATIENCE=6000 said 0 --last 6
has_not 'what a kept build took' "$case_dir/err" 'adaptively'
[ "$(db 'SELECT count(*) FROM runs')" -le "$planned" ] || fail "more than the $planned runs of the plan"

# --- A budget that is larger than the range: no run more than all of it takes ---
rm -rf .git/perfevo
said 0 --last 6 --budget 10m
[ "$(db 'SELECT count(*) FROM runs')" -le "$planned" ] || fail "more than the $planned runs of the plan"
