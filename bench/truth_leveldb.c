/* A benchmark for LevelDB: write and read so many pairs (the second argument) in a new database (the first). */
#include "leveldb/c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int key(char *text, size_t size, unsigned i)
{
	return snprintf(text, size, "key%010u", i * 2654435761u);
}

int main(int argc, char **argv)
{
	unsigned n = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
	leveldb_options_t *options = leveldb_options_create();
	leveldb_writeoptions_t *writing = leveldb_writeoptions_create();
	leveldb_readoptions_t *reading = leveldb_readoptions_create();
	char *error = NULL, name[32], value[100];
	leveldb_t *db;
	size_t found = 0, size;

	if (n == 0)
		return 1;
	leveldb_options_set_create_if_missing(options, 1);
	leveldb_destroy_db(options, argv[1], &error);
	db = leveldb_open(options, argv[1], &error);
	memset(value, 'v', sizeof(value));
	for (unsigned i = 0; i < n && error == NULL; i++)
		leveldb_put(db, writing, name, (size_t)key(name, sizeof(name), i), value,
			    sizeof(value), &error);
	for (unsigned i = 0; i < n && error == NULL; i++) {
		char *got = leveldb_get(db, reading, name,
					(size_t)key(name, sizeof(name), i * 7 % n), &size, &error);

		found += got != NULL;
		leveldb_free(got);
	}
	if (error != NULL)
		fprintf(stderr, "%s\n", error);
	else
		leveldb_close(db);
	leveldb_writeoptions_destroy(writing);
	leveldb_readoptions_destroy(reading);
	leveldb_options_destroy(options);
	return error != NULL || found != n;
}
