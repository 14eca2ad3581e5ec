# An edited benchmark starts a new series; how often it is run does not make it another one.

new_repo
history 2
plain_config

track 0 --last 2
sed -i 's/repeats: 3/repeats: 5/' perfevo.yml
track 0 --last 2
same "versions after more repeats" 1 "$(db 'SELECT count(*) FROM benchmarks')"
same "runs after more repeats" 'c1|prog|timed|measured|5
c2|prog|timed|measured|5' "$(counts)"

sed -i 's,command: ./prog,command: ./prog --faster,' perfevo.yml
track 0 --last 2
same "versions after an edited command" 2 "$(db "SELECT count(*) FROM benchmarks WHERE name = 'prog'")"
same "runs of the new version" '5
5' "$(db "SELECT count(*) FROM runs WHERE benchmark = (SELECT max(key) FROM benchmarks) GROUP BY revision")"
# Times may move by themselves; what is counted does not.
same "a new version by itself is no jump" 0 "$(db "SELECT count(*) FROM jumps j JOIN metrics m ON m.key = j.metric
	WHERE m.kind = 1")"
