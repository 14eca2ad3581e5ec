#!/bin/sh
# Whether `track` says of commits that change nothing but comments and documentation that they are faster or slower.
#
#   bench/quiet_commits.sh BUILD_DIR CLONE [CONFIG [COMMITS]]     what `init` writes; 20
#   bench/quiet_commits.sh build/release cJSON bench/skips_cjson.yml
#
# On top of the clone's HEAD come COMMITS commits, by turns: a comment above a source file's first line, another text in
# one of these, a blank line in a file, and a line in a document. The files are the project's own in turn, whatever their
# language; FILES, an extended regular expression, chooses among their paths (default: none of tests, benchmarks and
# examples, for an edited test is another test). They are tracked with CONFIG and the files beside it that have its name.
# The last line has what came of it; exit status 1 where a jump was confirmed.
#
# Needs sqlite3. TRACK has more options for `track`, such as --budget; KEEP=1 leaves the folder, which is printed.
set -eu

usage='usage: bench/quiet_commits.sh BUILD_DIR CLONE [CONFIG [COMMITS]]'
build=$(cd "${1:?"$usage"}" && pwd)
clone=$(cd "${2:?"$usage"}" && pwd)
config=${3:+$(realpath "$3")}
commits=${4:-20}

dir=$(mktemp -d)
if [ "${KEEP-}" = 1 ]; then
	echo "$dir"
else
	trap 'rm -rf "$dir"' EXIT
fi
trap 'exit 130' INT TERM
git clone -q "$clone" "$dir/repository"
cd "$dir/repository"
git config user.name quiet
git config user.email quiet@example.org
export XDG_CACHE_HOME="$dir/cache" PERFEVO_BACKGROUND=normal PATH="$build/cmd:$PATH"

git ls-files '*.c' '*.h' '*.cc' '*.cpp' '*.hpp' '*.rs' '*.go' '*.py' '*.js' '*.mjs' '*.ts' |
	if [ -n "${FILES-}" ]; then
		grep -E "$FILES"
	else
		grep -Eiv '(^|[/_.-])(tests?|bench(marks?|es)?|perf|examples?|fuzz(ing|ers?)?|docs?|third_party|vendor)([/_.-]|$)'
	fi >"$dir/files" || true
files=$(wc -l <"$dir/files")
[ "$files" -gt 0 ] || { echo "no source files; FILES chooses some" >&2; exit 128; }
document=$(git ls-files | grep -iE '(^|/)(readme|changes|changelog|news|license|copying)' | head -n 1)

comment() # FILE TEXT
{
	case $1 in
	*.py) printf '# %s' "$2" ;;
	*.c | *.h) printf '/* %s */' "$2" ;;
	*) printf '// %s' "$2" ;;
	esac
}

# above FILE LINE: before its first line, behind what names its interpreter
above()
{
	{
		sed -n '1{/^#!/p;}' "$1"
		printf '%s\n' "$2"
		sed '1{/^#!/d;}' "$1"
	} >"$dir/text"
	cat "$dir/text" >"$1"
}

edit=0
while [ "$edit" -lt "$commits" ]; do
	file=$(sed -n "$((edit / 2 % files + 1))p" "$dir/files")
	case $((edit % 4)) in
	0) above "$file" "$(comment "$file" "remark $edit")" ;;
	1) sed -i "s/remark $((edit - 1))/another remark, of commit $edit/" "$file" ;;
	2) above "$file" '' ;;
	3)
		file=${document:-NOTES}
		echo "Line $edit." >>"$file"
		;;
	esac
	git add -f "$file"
	git commit -q --no-verify -m "quiet $edit: $file"
	edit=$((edit + 1))
done

if [ -n "$config" ]; then
	cp -r "${config%.*}".* .
	mv "$(basename "$config")" perfevo.yml
else
	perfevo init >/dev/null
fi
begun=$(date +%s)
# shellcheck disable=SC2086 # TRACK is words
perfevo track --no-open --format json --last $((commits + 1)) ${TRACK-} >"$dir/json" 2>"$dir/err" || {
	cat "$dir/err" >&2
	exit 128
}
seconds=$(($(date +%s) - begun))
sqlite3 -separator ' ' :memory: "SELECT value ->> 'benchmark', value ->> '\$.metric.name' FROM json_each(readfile('$dir/json'), '\$.lines')
	WHERE EXISTS (SELECT 1 FROM json_each(value, '\$.jumps') j WHERE j.value ->> 'state' = 'confirmed')" >"$dir/confirmed"
sed 's/^/confirmed: /' "$dir/confirmed"
sqlite3 -separator ' ' .git/perfevo/perfevo.db >"$dir/counts" <<'END'
WITH run AS (SELECT DISTINCT benchmark, revision FROM runs),
     taken AS (SELECT * FROM reused WHERE (benchmark, revision) NOT IN run)
SELECT (SELECT count(DISTINCT revision) FROM builds), (SELECT count(*) FROM run),
	(SELECT count(*) FROM taken WHERE unbuilt), (SELECT count(*) FROM taken WHERE NOT unbuilt AND NOT skipped),
	(SELECT count(*) FROM taken WHERE skipped);
END
read -r builds ran unbuilt equal skipped <"$dir/counts"
echo "$(wc -l <"$dir/confirmed") confirmed lines in $commits quiet commits; $builds commits built; of all results $ran measured," \
	"$unbuilt without a build, $equal of equal builds, $skipped skipped; $seconds s"
[ ! -s "$dir/confirmed" ]
