# What the cases share: repositories with fixed authors, dates and figures, and words to say what is expected. What
# holds is silent; the first thing that does not is printed with what was expected, and ends the case with 1.
set -eu

git config --global user.name 'Ada Example'
git config --global user.email ada@example.org
git config --global init.defaultBranch main
case_dir=$PWD
clock=1704067200 # 2024-01-01, a minute a commit

fail()
{
	printf 'FAILED: %s\n' "$*"
	exit 1
}

# same WHAT EXPECTED ACTUAL
same()
{
	[ "$2" = "$3" ] && return 0
	printf 'FAILED: %s\n--- expected\n%s\n--- found\n%s\n' "$1" "$2" "$3"
	exit 1
}

# has WHAT FILE TEXT: the file contains the text
has()
{
	grep -qF -- "$3" "$2" && return 0
	printf 'FAILED: %s: no "%s" in\n' "$1" "$3"
	cat "$2"
	exit 1
}

has_not()
{
	grep -qF -- "$3" "$2" || return 0
	printf 'FAILED: %s: there is "%s" in\n' "$1" "$3"
	cat "$2"
	exit 1
}

# needs PROGRAM...: skip the case where one is missing
needs()
{
	case " $* " in *' clang '*) own_clang ;; esac
	for program; do
		command -v "$program" >/dev/null || exit 77
	done
}

# ends STATUS COMMAND...: it ends with this status; what it prints is in ../out and ../err
ends()
{
	expected=$1 status=0
	shift
	"$@" >"$case_dir/out" 2>"$case_dir/err" </dev/null || status=$?
	[ "$status" = "$expected" ] || fail "$*: status $status, expected $expected: $(cat "$case_dir/out" "$case_dir/err")"
}

# with_pid COMMAND...: its process id is in ../pid
with_pid()
{
	sh -c 'echo $$ >"$0"; exec "$@"' "$case_dir/pid" "$@"
}

# page_block FILE NAME: what a block of a report that is a page holds, as JSON. gzip knows deflate with a header of its
# own, and misses its trailer, which is all that it complains of.
page_block()
{
	{
		printf '\037\213\010\000\000\000\000\000\000\003'
		sed -n "s/.*id=\"block-$2\">\([^<]*\)<.*/\1/p" "$1" | base64 -d | tail -c +3
	} | gzip -dc 2>/dev/null || :
}

# on_machine NAME: what follows runs on another machine: one with a compiler of its own
on_machine()
{
	mkdir -p "$HOME/machines/$1"
	printf '#!/bin/sh\necho "clang of %s"\n' "$1" >"$HOME/machines/$1/clang"
	chmod +x "$HOME/machines/$1/clang"
	plain_path=${plain_path:-$PATH}
	export PATH="$HOME/machines/$1:$plain_path"
}

# own_clang: the machine's clang, or none, in place of the tests'
own_clang()
{
	PATH=${PATH%%:*}:${PATH#*/tests/support/bin:}
}

# Simulate instructions in this case, which is skipped where valgrind does not run: below a sanitizer, on another machine.
with_valgrind()
{
	command -v gcc >/dev/null && command -v valgrind >/dev/null || exit 77
	PERFEVO_VALGRIND=$(command -v valgrind)
	export PERFEVO_VALGRIND
	valgrind -q --tool=none true 2>/dev/null || exit 77
}

# save SUBJECT: commit everything, a minute after the last one; without upkeep, which takes as long as the commit
save()
{
	clock=$((clock + 60))
	git -c core.safecrlf=false add -A
	GIT_AUTHOR_DATE="$clock +0000" GIT_COMMITTER_DATE="$clock +0000" \
		git -c maintenance.auto=false commit -q --no-verify --allow-empty -m "$1"
}

# empty_repo: a repository `repo`, which becomes the current folder
empty_repo()
{
	git init -q repo
	cd repo
}

# hub: a bare repository beside this one, which is its `origin` and has the branch
hub()
{
	git init -q --bare -b main "$case_dir/hub.git"
	git remote add origin "$case_dir/hub.git"
	git push -q origin main
}

# perfevo_yml BUILD BENCHMARK...: perfevo.yml with them
perfevo_yml()
{
	printf 'build: %s\nbenchmarks:\n' "$1" >perfevo.yml
	shift
	printf '  %s\n' "$@" >>perfevo.yml
}

# scored NAME COMMAND [deterministic]: a benchmark more at the end of perfevo.yml, judged by the figure that it prints
scored()
{
	printf "  %s:\n    command: %s\n    metrics:\n      score: {unit: points, better: lower, %sregex: 'score ([0-9.]+)'}\n" \
		"$1" "$2" "${3:+$3: true, }" >>perfevo.yml
}

# score_config BUILD [REPEATS [LINE [COMMAND [DEFAULTS]]]]: perfevo.yml with a further line and the benchmark `score`, judged by
# the figure that it prints; the command `none` leaves benchmarks to `scored`, and empty DEFAULTS have allocations counted
score_config()
{
	printf '%s\n' "build: $1" "${3-}" 'metrics: {wall: {judge: false}, max-rss: {judge: false}}' \
		"defaults: {warmup: 0${2:+, repeats: $2}${5-, allocations: false}}" 'benchmarks:' >perfevo.yml
	[ "${4-}" = none ] || scored score "${4:-sh prog.sh}"
}

# measured_repo: six commits whose benchmark prints a figure of its own, measured. The figure doubles at the
# fourth commit, so everything that is shown of it is known beforehand. The fifth does not build.
measured_repo()
{
	empty_repo
	score_config 'sh build.sh' 3
	echo 'exit 0' >build.sh
	for figure in 100 100 100 200; do
		echo "echo score $figure" >prog.sh
		save "score $figure"
	done
	echo 'echo no compiler here; exit 3' >build.sh
	save 'break the build'
	echo 'exit 0' >build.sh
	save 'mend the build'
	perfevo track --quiet --no-open --no-confirm >/dev/null
}

# wait_for WHAT COMMAND...: until the command succeeds, ten minutes at most
wait_for()
{
	waited_for=$1 tries=0
	shift
	until "$@"; do
		tries=$((tries + 1))
		[ "$tries" -lt 12000 ] || fail "waited in vain for $waited_for: $(tail -n 50 "$case_dir/out" "$case_dir/err" "$case_dir/said" \
			"$case_dir/repo/.git/perfevo/hooks/worker.log" 2>/dev/null)"
		sleep 0.05
	done
}

# begins FILE COMMAND...: it runs in the background as $tool, where it does not ignore SIGINT, and has made the file
begins()
{
	begun=$1
	shift
	rm -f "$begun"
	env --default-signal=INT "$@" >"$case_dir/out" 2>"$case_dir/err" </dev/null &
	tool=$!
	wait_for "$begun" eval '[ -e "$begun" ] || ! kill -0 "$tool" 2>/dev/null'
	[ -e "$begun" ] || fail "$* ended before there was $begun: $(cat "$case_dir/out" "$case_dir/err")"
}

# ended STATUS: $tool ends with it
ended()
{
	status=0
	wait "$tool" || status=$?
	[ "$status" = "$1" ] || fail "status $status, expected $1: $(cat "$case_dir/out" "$case_dir/err")"
}

# ctrl_c PID: send SIGINT and wait until it is delivered: one that is pending swallows the next one
ctrl_c()
{
	kill -INT "$1" 2>/dev/null || return 0
	while grep -qE '^S(ig|hd)Pnd:.*[2367abef]$' "/proc/$1/status" 2>/dev/null; do sleep 0.05; done
}

# as_terminal COMMAND: run it with a terminal of 80 columns for its output and messages
as_terminal()
{
	script -qec "stty cols 80 rows 40; $1" /dev/null </dev/null | tr -d '\r'
}
