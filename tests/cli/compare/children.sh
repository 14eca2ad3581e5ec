# A walk over folders begins to start a child for each: the function that starts and awaits them is named first, and
# explains nearly all of the wall time. The children sleep, so that no machine makes them quick.
command -v gcc >/dev/null || exit 77
command -v sqlite3 >/dev/null || exit 77
empty_repo
cat >search.c <<'END'
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define APART __attribute__((noinline))
static volatile unsigned sink;

APART static void scan(const char *name)
{
	for (unsigned i = 0; i < 1000000; i++)
		sink += (unsigned char)name[0] + i;
}

APART static void search_dir(const char *path, int depth)
{
	char below[64];

	/* here */
	scan(path);
	for (int i = 0; depth > 0 && i < 3; i++) {
		snprintf(below, sizeof(below), "%s/%d", path, i);
		search_dir(below, depth - 1);
	}
}

int main(void)
{
	usleep(400000);
	search_dir("top", 2);
	return 0;
}
END
echo '{build: gcc -O1 -g search.c -o search, benchmarks: {search: {command: [./search], warmup: 0, repeats: 4}}, metrics: {instructions: {judge: false}, max-rss: {judge: false}}, profile: {runs: 4}}' >perfevo.yml
save first
cat >../asks <<'END'
	FILE *child = popen("sleep 0.05; echo ready", "r");

	while (child != NULL && fgets(below, sizeof(below), child) != NULL)
		sink += (unsigned)strlen(below);
	if (child != NULL)
		pclose(child);
END
sed -i '/here/r ../asks' search.c
save 'ask in each folder'
perfevo compare -q --color never HEAD~1 HEAD >text
perfevo compare -q --stored --format json HEAD~1 HEAD >compare.json
grep -o 'now starts `sleep` 13 times' text
grep -o '1\. `search_dir` (modified' text
sqlite3 :memory: "SELECT CASE WHEN max(value ->> 'share') > 0.9 THEN 'nearly all of it' ELSE value END
	FROM json_each(readfile('compare.json'), '\$.benchmarks[0].verdict') WHERE value ->> 'cost' = 'time'"
