# More work for an unchanged callee is the doing of the modified method that hands it on: seen by what the callee
# does itself, by what it calls, and in recorded profiles, where noise of the callee's other contexts is greater.
needs gcc
empty_repo
cat >perfevo.yml <<'END2'
build: gcc -O1 -g -fno-inline db.c -o db
profile: {mode: counting}
metrics: {wall: {judge: false}, cpu: {judge: false}, max-rss: {judge: false}, allocated-bytes: {judge: false}, allocated-peak: {judge: false}}
benchmarks:
  pages: {command: [./db, "20"], repeats: 1, warmup: 0}
END2
cat >db.c <<'END2'
#include <stdlib.h>

static void *volatile sink;

static void touch(void)
{
	sink = malloc(16);
	free(sink);
}

/* A buffer for each KiB, and so many touches. */
static void checksum(int bytes)
{
	for (int i = 0; i < bytes; i += 1024) {
		free(sink = malloc(32));
		touch();
	}
}

static void read_page(void)
{
	checksum(4096);
}

static void write_page(void)
{
	checksum(8192);
}

static void verify_page(void)
{
	checksum(2048);
}

static void log_page(void)
{
	checksum(1024);
}

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; i--) {
		read_page();
		write_page();
		verify_page();
		log_page();
	}
	return 0;
}
END2
save 'log 1,024 bytes'
sed -i 's/checksum(1024)/checksum(3072)/' db.c
save 'log 3,072 bytes'
perfevo compare -q --format json HEAD~1 HEAD >../one
sqlite3 -separator ' | ' :memory: "SELECT value ->> 'text', value ->> 'kind', value ->> 'function', value ->> 'blamed', value ->> 'blamed_component', value ->> 'probably'
	FROM json_each(readfile('../one'), '$.verdict')"
echo "--- less again"
perfevo compare -q HEAD HEAD~1 | grep -F -A1 'log_page` (modified'
echo "--- recorded, without sources: the callee's other contexts vary by more than what is looked for"
cd ..
pages()
{
	for caller in "read_page $1" "write_page $2" "verify_page $3" "log_page $4"; do
		echo "db;main;${caller% *};checksum ${caller#* }"
	done
}
pages 40000 80000 20000 10000 >old.folded
pages 40300 79600 20150 12000 >new.folded
perfevo compare old.folded new.folded
