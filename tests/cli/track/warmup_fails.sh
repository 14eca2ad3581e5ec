# A benchmark that fails while it warms up is stored as failed, once, and so is one whose setup fails. What a setup leaves
# running is ended with it, and the log of what fails without it says so.

new_repo
history 2
perfevo_yml 'sh build.sh' \
	'unsteady: {command: test "$(cat level)" = 1, warmup: 2, repeats: 3, allocations: false}' \
	'unprepared: {command: ./prog, setup: test "$(cat level)" = 1, warmup: 0, repeats: 3, allocations: false}' \
	'served: {command: test -e socket, setup: sleep 600 &, warmup: 0, repeats: 3, allocations: false}'
track 0 --last 2
same "runs" 'c1|served|timed|wrong exit status|1
c1|unprepared|timed|measured|3
c1|unsteady|timed|measured|3
c2|served|timed|wrong exit status|1
c2|unprepared|timed|setup failed|1
c2|unsteady|timed|wrong exit status|1' "$(counts)"
perfevo show HEAD >"$case_dir/shown"
has "the server" "$case_dir/shown" 'what setup or prepare left running was ended with it (1 process)'
