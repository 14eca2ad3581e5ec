# shellcheck shell=sh
# Histories of a real program, made on the spot, read by the scripts of this folder that track them: a small C
# program computes for some 30 ms, as long as its number of loops says.
#
#   history_env BUILD_DIR HOME      nothing of the user's reaches git and perfevo; perfevo is that of the build
#   history_begin DIR               an empty repository there, which becomes the current folder
#   history_commit NUMBER LOOPS KIND   `binary`: the program's name, which it prints, differs in every commit;
#                                   `text`: only what is not compiled does
#   history_config REPEATS MIN_CHANGE METRIC  perfevo.yml, beside the history: METRIC is judged from that change on, and
#                                   of wall and cpu no other
#   history_random SEED N           prints N numbers in [0, 1), the same ones everywhere, a line each
#   history_db DB STATEMENT         columns are separated by a blank
#   history_jumps JSON METRIC       the jumps that `track --format json` names, a line each: commit, state, change in
#                                   percent, pairs of fresh runs, how sure its place is
#   history_states JSON STATE       how many of its jumps, in any metric, are of that state
#   history_noise DB METRIC         deviation of a run, in percent, from its revision's level and what its round has in
#                                   common: half of the width of the middle two thirds
#   history_load                    the machine's load of the last minute, and its processors

history_env()
{
	perfevo=$1/cmd/perfevo
	[ -x "$perfevo" ] || { echo "$(basename "$0" .sh): $perfevo is not built" >&2; exit 125; }
	command -v sqlite3 >/dev/null || { echo "$(basename "$0" .sh): sqlite3 is not installed" >&2; exit 125; }
	for name in $(env | sed -n 's/^\(GIT_[A-Z_]*\)=.*/\1/p'); do
		unset "$name"
	done
	export HOME="$2" XDG_CACHE_HOME="$2/cache" GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
	export GIT_AUTHOR_NAME='Step Maker' GIT_AUTHOR_EMAIL=steps@example.org GIT_DEFAULT_HASH=sha1
	export GIT_COMMITTER_NAME='Step Maker' GIT_COMMITTER_EMAIL=steps@example.org
}

history_begin()
{
	mkdir -p "$1"
	cd "$1" || exit 128
	git init -q -b main .
	cat >compute.c <<'END'
#include <stdint.h>
#include <stdio.h>

#include "revision.h"

/* Each step waits for the one before it: where the code lies in memory hardly matters. */
static uint32_t __attribute__((noinline)) compute(uint32_t x)
{
	for (long i = 0; i < LOOPS; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
	}
	return x;
}

int main(void)
{
	printf("%s: %lu\n", REVISION, (unsigned long)compute(1));
	return 0;
}
END
	# shellcheck disable=SC2016 # make's variables, not the shell's
	printf 'compute: compute.c revision.h\n\t$(CC) -O2 -o $@ compute.c\n' >Makefile
}

history_commit()
{
	case $3 in
	text) name=compute ;;
	*) name="commit $1" ;;
	esac
	printf '#define LOOPS %d\n#define REVISION "%s"\n' "$2" "$name" >revision.h
	echo "Commit $1." >NEWS
	GIT_AUTHOR_DATE="$((1700000000 + 3600 * $1)) +0000"
	GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
	export GIT_AUTHOR_DATE GIT_COMMITTER_DATE
	git add compute.c Makefile revision.h NEWS
	git commit -q --no-verify -m "c$1"
}

history_config()
{
	cat >perfevo.yml <<END
build: make
metrics:
  $(echo wall cpu | sed "s/ *$3 *//"): {judge: false}
  $3: {min-change: $2, judge: true}
benchmarks:
  compute: {command: ./compute, repeats: $1}
END
	echo perfevo.yml >>.git/info/exclude
}

history_random()
{
	awk -v state="$1" -v n="$2" 'BEGIN {
		state = (state * 7919 + 12345) % 2147483647
		for (i = -8; i < n; i++) {
			state = state * 48271 % 2147483647
			if (i >= 0)
				printf "%.9f\n", state / 2147483647
		}
	}'
}

history_db()
{
	sqlite3 -batch -noheader -separator ' ' -cmd '.timeout 10000' "$1" "$2"
}

history_jumps()
{
	sqlite3 -batch -noheader -separator ' ' :memory: "
		WITH page(doc) AS (SELECT CAST(readfile('$1') AS TEXT)),
		line(doc) AS (SELECT l.value FROM page, json_each(page.doc, '\$.lines') l
			WHERE json_extract(l.value, '\$.metric.name') = '$2')
		SELECT (SELECT json_extract(r.value, '\$.subject') FROM page, json_each(page.doc, '\$.revisions') r
				WHERE json_extract(r.value, '\$.id') = json_extract(j.value, '\$.after')),
			json_extract(j.value, '\$.state'),
			printf('%+.2f', 100 * json_extract(j.value, '\$.relative')),
			json_extract(j.value, '\$.pairs'),
			printf('%.2f', coalesce(json_extract(j.value, '\$.sure'), 0))
		FROM line, json_each(line.doc, '\$.jumps') j"
}

history_states()
{
	sqlite3 -batch -noheader :memory: "
		SELECT count(*) FROM json_each(CAST(readfile('$1') AS TEXT), '\$.lines') l, json_each(l.value, '\$.jumps') j
		WHERE json_extract(j.value, '\$.state') = '$2'"
}

history_noise()
{
	history_db "$1" "
		SELECT r.batch || '/' || r.round, r.revision, s.value FROM runs r JOIN samples s ON s.run = r.key
			JOIN metrics m ON m.key = s.metric JOIN batches w ON w.key = r.batch
		WHERE m.name = '$2' AND r.kind = 0 AND NOT w.aside AND s.value > 0" |
		awk '{ round[NR] = $1; revision[NR] = $2; v[NR] = log($3); n[$1]++; m[$2]++ }
			END {
				for (pass = 0; pass < 30; pass++) {
					split("", sum)
					for (i = 1; i <= NR; i++) sum[revision[i]] += (v[i] - common[round[i]]) / m[revision[i]]
					for (key in sum) level[key] = sum[key]
					split("", sum)
					for (i = 1; i <= NR; i++) sum[round[i]] += (v[i] - level[revision[i]]) / n[round[i]]
					for (key in sum) common[key] = sum[key]
				}
				for (i = 1; i <= NR; i++)
					if (n[round[i]] > 1 && m[revision[i]] > 1) print v[i] - common[round[i]] - level[revision[i]]
			}' |
		sort -g | awk '{ v[NR] = $1 }
			END { printf "%.1f", 50 * (v[int(NR * 0.8413 + 0.5)] - v[int(NR * 0.1587 + 0.5)]) }'
}

history_load()
{
	echo "load $(cut -d ' ' -f 1 /proc/loadavg) on $(nproc) processors"
}
