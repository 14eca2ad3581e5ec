#!/bin/sh
# Run 'perfevo ci', write the job's summary and the outputs, and end as fail-on says.
# shellcheck source=.github/action/lib.sh
. "$(dirname "$0")/lib.sh"

case $INPUT_FAIL_ON in
slower | counts | never) ;;
*) fail "'fail-on' is slower, counts or never." ;;
esac
base=$INPUT_BASE
config_from=$INPUT_CONFIG_FROM
case $EVENT_NAME in
pull_request) config_from=${config_from:-base} ;;
push) # a new branch has no commit before
	case $EVENT_BEFORE in
	*[!0]*) base=${base:-$EVENT_BEFORE} ;;
	esac
	;;
esac
rm -rf "$answer"
mkdir -p "$answer"
set -- --store "$perfevo_home/store/perfevo.db" --budget "$INPUT_BUDGET" --json "$answer/perfevo.json" \
	--markdown "$answer/perfevo.md" --sarif "$answer/perfevo.sarif" --html "$answer/perfevo.html"
[ -z "$base" ] || set -- "$@" --base "$base"
[ -z "$config_from" ] || set -- "$@" --config-from "$config_from"
[ -z "$INPUT_BENCHMARKS" ] || set -- "$@" -b "$INPUT_BENCHMARKS"
[ "$INPUT_COUNTS_ONLY" != true ] || set -- "$@" --simulated

# What is built finds neither the files that command the runner nor a token. Builds are not kept for another job.
status=0
env -u GITHUB_ENV -u GITHUB_PATH -u GITHUB_OUTPUT -u GITHUB_STATE -u GITHUB_STEP_SUMMARY -u GITHUB_TOKEN -u GH_TOKEN \
	-u ACTIONS_RUNTIME_TOKEN -u ACTIONS_ID_TOKEN_REQUEST_TOKEN -u ACTIONS_ID_TOKEN_REQUEST_URL -u ACTIONS_CACHE_URL \
	-u ACTIONS_RESULTS_URL XDG_CACHE_HOME="$perfevo_home/cache" perfevo ci "$@" || status=$?

# count ANSWER [METRICS]: how many checks have it. Quotes inside of names are escaped there: no name can look like this.
count()
{
	[ -f "$answer/perfevo.json" ] || {
		echo 0
		return
	}
	{ grep -oE "\"metric\":\"${2:-[^\"]*}\",\"unit\":[^,]*,\"answer\":\"$1\"" "$answer/perfevo.json" || :; } | wc -l
}

slower=$(count regressed)
faster=$(count improved)
verdict=unknown
case $status in
0) verdict=unchanged && [ "$faster" -eq 0 ] || verdict=faster ;;
1) verdict=slower ;;
esac
report=
[ ! -s "$answer/perfevo.html" ] || report=$answer/perfevo.html
{
	echo "verdict=$verdict"
	echo "slower=$((slower))"
	echo "faster=$((faster))"
	echo "report=$report"
} >>"$GITHUB_OUTPUT"
if [ -s "$answer/perfevo.md" ]; then
	head -c 900000 "$answer/perfevo.md" >>"$GITHUB_STEP_SUMMARY"
else
	printf '### perfevo: no answer\n\nIt ended with status %s; the log of this job says why.\n' "$status" >>"$GITHUB_STEP_SUMMARY"
fi

case $status:$INPUT_FAIL_ON in
0:* | 1:never) exit 0 ;;
1:counts) [ "$(count regressed '(simulated-)?instructions|allocations|allocated-bytes|system-calls')" -eq 0 ] ;;
125:never) echo '::warning title=perfevo::It cannot be told what this change does to performance.' ;;
*) exit "$status" ;;
esac
