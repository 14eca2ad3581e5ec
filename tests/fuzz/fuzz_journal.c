/* The hooks' journal with these bytes in it: how each commit stands. */
#include "hooks/journal.h"
#include "require.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/dev/shm/perfevo-fuzz.XXXXXX";

static void put(const uint8_t *data, size_t size)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/journal", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char id[] = "3333333333333333333333333333333333333333";
	const struct pe_journal_commit commit = {.id = id, .tree = "/tree", .git_dir = ""};
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_journal journal, results;
	const struct pe_journal_commit *newest;
	static bool made;
	size_t n = 0;

	if (!made && mkdtemp(folder) == NULL)
		abort();
	made = true;
	put(data, size);
	require(pe_journal_commit(&results, folder, &commit, &arena, &err) == PE_OK,
		"a commit is entered behind whatever is there");
	require(pe_journal_read(&journal, folder, &arena, &err) == PE_OK, "a journal is read");
	for (size_t i = 0; i < journal.n; i++)
		require(strlen(journal.at[i].id) >= 40 && journal.at[i].tree != NULL &&
				journal.at[i].git_dir != NULL &&
				(!pe_journal_has_result(&journal.at[i]) ||
				 journal.at[i].text != NULL),
			"a commit has an id, places and, with a result, a text");
	newest = pe_journal_waiting(&journal, &n);
	require(n > 0 && newest != NULL && strcmp(newest->id, id) == 0,
		"the commit that was entered last waits");
	return 0;
}
