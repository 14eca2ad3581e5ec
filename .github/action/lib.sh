# What the steps of the action share. What a pull request controls (names, branches, texts of files) arrives in variables and
# files alone, and is never part of a command, of an expression, or of a line that the runner reads.
# shellcheck shell=sh
set -eu
LC_ALL=C.UTF-8
export LC_ALL
marker='<!-- perfevo -->' # the first line of the comment, as 'perfevo ci --markdown' writes it
perfevo_home=$RUNNER_TEMP/perfevo
# shellcheck disable=SC2034 # used by the steps
answer=$perfevo_home/answer

# fail SENTENCE: in the log as an error, and in the job's summary
fail()
{
	printf '::error title=perfevo::%s\n' "$(printf %s "$1" | tr '\r\n' '  ' | sed 's/%/%25/g')"
	printf '### perfevo: nothing measured\n\n%s\n' "$1" >>"$GITHUB_STEP_SUMMARY"
	exit 1
}

# api METHOD PATH [BODY_FILE]: what GitHub answers; the token is no argument of a process
api()
{
	method=$1
	path=$2
	set -- ${3:+--data-binary "@$3"}
	printf 'header = "Authorization: Bearer %s"\n' "$GH_TOKEN" | curl --config - --silent --show-error --fail --location \
		--max-filesize 50000000 --retry 2 --header 'Accept: application/vnd.github+json' \
		--header 'X-GitHub-Api-Version: 2022-11-28' --request "$method" "$@" "$GITHUB_API_URL$path"
}

# stick NUMBER FILE: the comment of pull request NUMBER has the Markdown of FILE. There is one, which is written anew.
stick()
{
	jq -Rs --arg marker "$marker" '{body: ($marker + "\n" + (ltrimstr($marker) | ltrimstr("\n"))[0:60000])}' "$2" >"$perfevo_home/body"
	page=1
	own=
	while [ -z "$own" ] && [ "$page" -le 30 ]; do
		api GET "/repos/$GITHUB_REPOSITORY/issues/$1/comments?per_page=100&page=$page" >"$perfevo_home/comments"
		# Anybody may write the marker: only what a bot wrote is ours.
		own=$(jq -r --arg marker "$marker" \
			'[.[] | select(.user.type == "Bot" and (.body | startswith($marker))) | .id | numbers] | first // empty' "$perfevo_home/comments")
		[ "$(jq length "$perfevo_home/comments")" -eq 100 ] || break
		page=$((page + 1))
	done
	if [ -n "$own" ]; then
		api PATCH "/repos/$GITHUB_REPOSITORY/issues/comments/$own" "$perfevo_home/body" >/dev/null
	else
		api POST "/repos/$GITHUB_REPOSITORY/issues/$1/comments" "$perfevo_home/body" >/dev/null
	fi
}
