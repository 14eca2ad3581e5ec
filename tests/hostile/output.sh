# Outputs that are no plain new file, for each command that writes one: devices and FIFOs stay what they are, links
# lead where they led, private files stay private, "-" and /dev/stdout are standard output, and nothing half-written
# is left. As root, too: there a rename over /dev/null would take it from the whole machine.
measured_repo
head=$(git rev-parse HEAD)
mkdir old new out
echo 'main;work 10' >old/a.folded
echo 'main;work 20' >new/a.folded

# produce COMMAND TARGET: each writes at least one line
produce()
{
	case $1 in
	report) perfevo report -q --no-profile -o "$2" ;;
	track)
		case $2 in
		- | /dev/stdout) perfevo track -q --no-confirm --html "$2" ;;
		*) perfevo track -q --no-confirm --html "$2" >out/answer ;;
		esac
		;;
	files) perfevo compare -q --files --format html -o "$2" old/a.folded new/a.folded ;;
	localize) perfevo localize -q --old old --new new --min-diff 1ms -o "$2" ;;
	export) perfevo export -q -o "$2" ;;
	samples) perfevo export -q --samples -o "$2" ;;
	ci) perfevo ci -q --base "$head" --junit "$2" ;;
	esac
}

kind()
{
	stat -c %F "$1"
}

# written WHAT FILE: it holds what a file of that command holds
written()
{
	[ -s "$2" ] || fail "$1: $2 is empty"
}

for command in report track files localize export samples ci; do
	(umask 027 && produce $command out/fresh)
	written "$command, new file" out/fresh
	same "$command: mode of a new file" 640 "$(stat -c %a out/fresh)"

	echo 'what was there' >out/private
	chmod 600 out/private
	produce $command out/private
	written "$command, file that is there" out/private
	has_not "$command: the old text" out/private 'what was there'
	same "$command: mode of a file that was there" 600 "$(stat -c %a out/private)"

	echo 'what was there' >out/target
	ln -s target out/link
	ln -s later out/dangling
	produce $command out/link
	produce $command out/dangling
	same "$command: links stay" 'symbolic link symbolic link' "$(kind out/link) $(kind out/dangling)"
	written "$command, through a link" out/target
	has_not "$command, through a link" out/target 'what was there'
	written "$command, through a link to nothing" out/later

	mkfifo out/fifo
	timeout 600 cat out/fifo >out/read &
	produce $command out/fifo
	wait $!
	written "$command, FIFO" out/read
	same "$command: a FIFO stays one" fifo "$(kind out/fifo)"

	produce $command - >out/dash
	produce $command /dev/stdout | cat >out/stdout
	{
		echo before
		produce $command /dev/stdout
		echo after
	} >out/around
	written "$command, -" out/dash
	written "$command, /dev/stdout" out/stdout
	same "$command: standard output is written, not replaced" 'before after' \
		"$(sed -n '1p;$p' out/around | tr -d '\r' | tr '\n' ' ' | sed 's/ $//')"
	[ "$(wc -c <out/around)" -gt 20 ] || fail "$command: nothing between"
	[ ! -e ./- ] || fail "$command made a file named -"

	if mknod out/null c 1 3 2>/dev/null && : 2>/dev/null >out/null; then
		produce $command out/null
		same "$command: a device stays one" 'character special file' "$(kind out/null)"
	fi
	produce $command out 2>out/said && fail "$command: a folder"
	has "$command, folder" out/said 'cannot write out: Is a directory'

	same "$command: nothing else is left" '' "$(find . -name '*.part' -o -name '.perfevo-*' | grep -v accepted)"
	rm -rf out
	mkdir out
done
