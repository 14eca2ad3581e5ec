# A config and an accepted list that are no file of the tree: each is answered by a sentence that has
# nothing of what the link leads to; and texts in them that take the stack, the memory or the time of a naive reader.
measured_repo
echo 'root:$6$secret:19000:0:99999:7:::' >../shadow

# asked WHAT TEXT COMMAND...: an end with status 128 or 129, in 1 GiB, with that text and without the secret
asked()
{
	what=$1 text=$2
	shift 2
	status=0
	(
		ulimit -v 1048576
		exec timeout 600 "$@"
	) >../said 2>&1 || status=$?
	case $status in
	128 | 129) ;;
	*) fail "$what: status $status: $(head -c 300 ../said)" ;;
	esac
	has "$what" ../said "$text"
	has_not "$what" ../said secret
}

for kind in zero shadow nothing fifo folder large loop; do
	for file in perfevo.yml perfevo-accepted.yml; do
		rm -rf "$file"
		case $kind in
		zero) ln -s /dev/zero "$file" && text='is a symbolic link' ;;
		shadow) ln -s ../shadow "$file" && text='is a symbolic link' ;;
		nothing) ln -s no/where "$file" && text='is a symbolic link' ;;
		fifo) mkfifo "$file" && text='is no regular file' ;;
		folder) mkdir "$file" && text='is no regular file' ;;
		large) truncate -s 3G "$file" && text='larger than 1 MiB' ;;
		loop) ln -s "$file" "$file" && text='is a symbolic link' ;;
		esac
		case $file in
		*perfevo.yml) asked "$kind" "$text" perfevo track --dry-run ;;
		*) asked "$kind, accepted" "$text" perfevo accept --list ;;
		esac
		rm -rf "$file"
		git checkout -q -- perfevo.yml
	done
done

# A link within the tree could lead past the question who wrote the config.
mkdir -p ci
mv perfevo.yml ci/
ln -s ci/perfevo.yml perfevo.yml
asked 'a link within the tree' 'is a symbolic link' perfevo track --dry-run

# expression WHAT TEXT REGEX: as a metric's regex and as an option
expression()
{
	rm -f perfevo.yml
	sed "s/regex: .*}/regex: '$3'}/" ci/perfevo.yml >perfevo.yml
	asked "$1, in the config" "$2" perfevo track --dry-run
	for command in 'track --dry-run' log 'compare HEAD~1' export report; do
		asked "$1, $command" "$2" perfevo --config ci/perfevo.yml $command --bench "$3"
	done
}

expression parentheses 'longer than 1000' "$(printf '(%.0s' $(seq 50000))"
expression repeats 'written out' '(((a{1,250}){1,250}){1,250}){1,250}'
expression nested 'deeper than 50' "$(printf '(%.0s' $(seq 60))"

# Values behind aliases: 5,000 variables for each of 9,000 benchmarks.
rm -f perfevo.yml
{
	echo 'env: &env'
	seq 5000 | sed 's/.*/  V&: x/'
	echo 'benchmarks:'
	seq 9000 | sed 's/.*/  b&: {command: "true", env: *env}/'
} >perfevo.yml
asked aliases 'aliases written out' perfevo track --dry-run

for command in log track gc; do
	case $command in
	gc) option=--before ;;
	*) option=--since ;;
	esac
	timeout 600 perfevo --config ci/perfevo.yml $command $option '200 years ago' -n >../said 2>&1 || status=$?
	[ "$status" -ne 124 ] || fail "$command $option: no end"
done
