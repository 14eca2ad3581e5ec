#!/bin/sh
# Real histories with known jumps: does `track` find them, and nothing else, and does `compare` name one of the
# known functions in the first three lines of its verdict?
#
#   bench/cases.sh BUILD_DIR CASES REPOSITORIES [CASE...]
#
# CASES holds one folder a window: commits.txt (oldest first), expected.json (the truth: jumps with commit, metric
# and functions), driver.c and input.py where they are needed. REPOSITORIES holds clones named like the
# repositories: cJSON, jq, the_silver_searcher, wren, zlib. PERFEVO_CASES_DIR keeps what is measured for the next
# time; REPEATS (10) and FACTOR are the numbers that matter. Needs sqlite3, and python3 where there is an input.py.
#
# A jump on instructions is passed over on machines that cannot count them. Exit status 1 when a jump is missed,
# when wall time or allocations jump where nothing is known, or when a verdict misses.
set -eu

usage="usage: bench/cases.sh BUILD_DIR CASES REPOSITORIES [CASE...]"
build=${1:?$usage}
cases=$(cd "${2:?$usage}" && pwd)
repositories=$(cd "${3:?$usage}" && pwd)
shift 3
perfevo=$(cd "$build" && pwd)/cmd/perfevo
repeats=${REPEATS:-10}
dir=${PERFEVO_CASES_DIR:-}
if [ -z "$dir" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
[ $# -gt 0 ] || set -- "$cases"/*/
bad=0

# truth FILE SQL: ask the expected jumps, as the table `jump` (position, commit, metric, direction, functions)
truth()
{
	sqlite3 -separator ' ' :memory: "
		CREATE TABLE jump AS SELECT key AS position, value ->> 'commit' AS id, value ->> 'metric' AS metric,
			value ->> 'direction' AS direction, value -> 'functions' AS functions
		FROM json_each(readfile('$1'), '\$.jumps'); $2"
}

# recipe CASE TREE: the config of a case, on standard output
recipe()
{
	in=$dir/$1/in
	driver=$cases/$1/driver.c
	case $1 in
	cjson-array | cjson-flat-2019)
		items=20000
		[ "$1" = cjson-array ] || items=6000
		step="gcc -O2 -g -w -I. cJSON.c $driver -o bench -lm"
		command="./bench $items"
		;;
	zlib-*)
		step="gcc -O2 -g -w -DHAVE_UNISTD_H -I. *.c $driver -o bench"
		command="./bench 300"
		;;
	wren-*)
		step="gcc -O2 -g -w -Isrc/include -Isrc/vm -Isrc/optional src/vm/*.c src/optional/*.c $driver -o bench -lm"
		command="./bench $cases/$1/map_small.wren"
		;;
	ag-*)
		step="printf '#define HAVE_GETLINE 1\n#define HAVE_STRNDUP 1\n#define PACKAGE_VERSION \"case\"\n#define PACKAGE_STRING \"ag\"\n' > src/config.h && gcc -O2 -g -w -fcommon -D_GNU_SOURCE -Isrc src/*.c -o ag -lpcre"
		command="cd $in/tree && script -qec 'env HOME=$in '\$PERFEVO_TREE'/ag needle .' /dev/null"
		;;
	jq-*)
		step="sh $dir/$1/build.sh"
		jq_build >"$dir/$1/build.sh"
		command="./jqbin -c '(map(.score) | add) as \$t | reduce .[] as \$r ([]; . + [\$r.id]) | [length, \$t]' $in/rows.json"
		;;
	*)
		echo "cases: no recipe for $1" >&2
		exit 125
		;;
	esac
	cat <<-END
		build:
		  - |
		    $step
		benchmarks:
		  case:
		    command: |
		      $command
		    repeats: $repeats
		metrics:
		  max-rss: {judge: false}
		  allocated-bytes: {judge: false}
		  allocated-peak: {judge: false}
		cache: $dir/cache
	END
}

# One compiler line in place of jq's configure, which takes longer than all the rest.
jq_build()
{
	cat <<-'END'
		set -e
		if grep -q 'od -v' Makefile.am; then
			od -v -A n -t o1 -- src/builtin.jq | sed -e 's/$/ /' -e 's/\([0123456789]\) /\1, /g' \
				-e 's/ $//' -e 's/ 0/  0/g' -e 's/ \([123456789]\)/ 0\1/g' >src/builtin.inc
		else
			sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$/\\n"/' src/builtin.jq >src/builtin.inc
		fi
		echo '#define JQ_VERSION "case"' >src/version.h
		echo '#define JQ_CONFIG ""' >src/config_opts.inc
		gcc -O2 -g -w -D_GNU_SOURCE -DIEEE_8087 -DHAVE_MEMMEM -DHAVE_ISATTY -DHAVE_GMTIME_R -DHAVE_LOCALTIME_R \
			-DHAVE_STRPTIME -DHAVE_TIMEGM -DHAVE_TM_TM_GMT_OFF -DHAVE_SETLOCALE -DHAVE_GETTIMEOFDAY \
			-DHAVE_ALLOCA_H -DHAVE_PTHREAD_KEY_CREATE -DHAVE_PTHREAD_ONCE -DHAVE_ATEXIT \
			-DHAVE_STRUCT_TM_TM_ZONE -DUSE_DECNUM=1 -DDECUSE64=1 -DDECLITEND=1 -DNDEBUG=1 -Isrc -I. -Ivendor \
			$(ls src/*.c | grep -v -e inject_errors -e util_win) \
			$(find src/decNumber vendor/decNumber '(' -name decNumber.c -o -name decContext.c ')' 2>/dev/null) \
			-o jqbin -lm -lpthread
	END
}

repository()
{
	case $1 in
	cjson-*) echo cJSON ;;
	ag-*) echo the_silver_searcher ;;
	jq-*) echo jq ;;
	wren-*) echo wren ;;
	zlib-*) echo zlib ;;
	esac
}

# metric NAME: perfevo's name of a metric; empty for one that is not judged here
metric()
{
	case $1 in
	time) echo wall ;;
	alloc_calls) echo allocations ;;
	esac
}

# verdict COMMIT FUNCTIONS: whether one of the known functions is named in the first three lines
verdict()
{
	"$perfevo" compare --quiet "$1^" "$1" -b case --format json >"$dir/$case/$1.json" 2>"$dir/$case/$1.err" || [ $? -eq 1 ]
	sqlite3 -separator ' ' :memory: "
		SELECT count(*) FROM (SELECT value ->> 'text' AS line FROM json_each(readfile('$dir/$case/$1.json'), '\$.verdict') LIMIT 3)
			JOIN json_each('$2') AS name ON instr(line, name.value) > 0"
}

for path in "$@"; do
	case=$(basename "$path")
	expected=$cases/$case/expected.json
	last=$(tail -n 1 "$cases/$case/commits.txt" | cut -d' ' -f1)
	n=$(wc -l <"$cases/$case/commits.txt")
	mkdir -p "$dir/$case"
	if [ ! -d "$dir/$case/tree" ]; then
		mkdir -p "$dir/$case/in"
		[ ! -f "$cases/$case/input.py" ] || python3 "$cases/$case/input.py" "$dir/$case/in"
		git clone -q "$repositories/$(repository "$case")" "$dir/$case/tree"
		git -C "$dir/$case/tree" checkout -q --detach "$last"
		# jq builds without its submodule, and says so to git.
		git -C "$dir/$case/tree" config submodule.modules/oniguruma.update none
		git -C "$dir/$case/tree" config submodule.vendor/oniguruma.update none
		recipe "$case" >"$dir/$case/tree/perfevo.yml"
	fi
	cd "$dir/$case/tree"
	"$perfevo" track --quiet --last "$n" "$last" >"$dir/$case/track.out" 2>"$dir/$case/track.err" ||
		{ cat "$dir/$case/track.err" >&2; exit 125; }
	sqlite3 -separator ' ' .git/perfevo/perfevo.db \
		"SELECT after, metric, CASE WHEN regression THEN 'regress' ELSE 'improve' END, printf('%+.1f%%', 100 * relative) FROM jumps_named
		 WHERE metric IN ('wall', 'allocations') ORDER BY after, metric" >"$dir/$case/found"
	echo "== $case: $n commits, $(wc -l <"$dir/$case/found") jumps found"
	: >"$dir/$case/known"
	truth "$expected" "SELECT id, metric, direction, functions FROM jump ORDER BY position" |
		while read -r id name direction functions; do
			ours=$(metric "$name")
			[ -n "$ours" ] || { echo "   passed over: $id $name"; continue; }
			echo "$id $ours" >>"$dir/$case/known"
			if found=$(grep "^$id $ours $direction" "$dir/$case/found"); then
				if [ "$functions" = "[]" ]; then
					named="no function known"
				elif [ "$(verdict "$id" "$functions")" -gt 0 ]; then
					named="named"
				else
					named="NOT NAMED"
				fi
				echo "   found: $found; $functions $named"
				[ "$named" != "NOT NAMED" ] || echo x >>"$dir/$case/bad"
			else
				echo "   MISSED: $id $ours $direction"
				echo x >>"$dir/$case/bad"
			fi
		done
	while read -r id name rest; do
		grep -q "^$id " "$dir/$case/known" ||
			{ echo "   BEYOND WHAT IS KNOWN: $id $name $rest"; echo x >>"$dir/$case/bad"; }
	done <"$dir/$case/found"
	if [ -f "$dir/$case/bad" ]; then
		bad=1
		rm "$dir/$case/bad"
	fi
done
exit $bad
