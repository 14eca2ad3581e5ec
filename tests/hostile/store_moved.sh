# The store is deleted, or replaced by another, while `track` measures into it: it stops with 128 and says what is lost,
# and the next one measures what is missing. P3.

empty_repo
cat >perfevo.yml <<'END'
benchmarks:
  slow: {command: sleep 0.05, warmup: 0, repeats: 40, allocations: false}
END
save one
save two

# during WHAT COMMAND: run the command once a track has stored its first batch
during()
{
	perfevo track --quiet --no-open --no-confirm >../out 2>../err &
	tool=$!
	wait_for 'its first batch' eval '[ -s .git/perfevo/perfevo.db-wal ] && [ -e .git/perfevo/perfevo.db-lock ]'
	eval "$2"
	ended 128
	has "$1" ../err 'was deleted or replaced while perfevo was writing to it'
}

during 'deleted' 'rm -rf .git/perfevo'
during 'replaced' 'rm -rf .git/perfevo && mkdir .git/perfevo && : >.git/perfevo/perfevo.db'
rm -rf .git/perfevo
sed -i 's/repeats: 40/repeats: 2/' perfevo.yml
perfevo track --quiet --no-open --no-confirm >/dev/null 2>&1 || fail 'the track after it'
same 'runs' 4 "$(sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM runs')"
