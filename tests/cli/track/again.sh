# --again measures what is measured already: runs are added, none is replaced. An edited benchmark starts a new series; how
# often it is run does not make it another one.

new_repo
history 3
plain_config

track 0 --last 2
first=$(db 'SELECT key, batch, round FROM runs ORDER BY key')
track 0 --last 2 --again
same "runs" 'c2|prog|timed|measured|6
c3|prog|timed|measured|6' "$(counts)"
same "the first runs" "$first" "$(db "SELECT key, batch, round FROM runs
	WHERE batch = (SELECT min(key) FROM batches) ORDER BY key")"
same "windows" 2 "$(db 'SELECT count(*) FROM batches')"

sed -i 's/repeats: 3/repeats: 8/' perfevo.yml
track 0 --last 2
same "versions after more repeats" 1 "$(db 'SELECT count(*) FROM benchmarks')"
same "runs after more repeats" 'c2|prog|timed|measured|8
c3|prog|timed|measured|8' "$(counts)"

# Four runs are too few for a value to be precise enough, which would end them (app/measure/stop_rule.h).
sed -i 's,command: ./prog,command: ./prog --faster,; s/repeats: 8/repeats: 4/' perfevo.yml
track 0 --last 2
same "versions after an edited command" 2 "$(db "SELECT count(*) FROM benchmarks WHERE name = 'prog'")"
same "runs of the new version" '4
4' "$(db "SELECT count(*) FROM runs WHERE benchmark = (SELECT max(key) FROM benchmarks) GROUP BY revision")"
# Times may move by themselves; what is counted does not.
same "a new version by itself is no jump" 0 "$(db "SELECT count(*) FROM jumps j JOIN metrics m ON m.key = j.metric
	WHERE m.kind = 1")"
