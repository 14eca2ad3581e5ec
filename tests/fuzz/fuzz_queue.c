/* The hooks' small files: a commit that waits, a result, and what a worker is at, each with these bytes in it. */
#include "hooks/queue.h"
#include "require.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/dev/shm/perfevo-fuzz.XXXXXX";

static void put(const char *name, const uint8_t *data, size_t size)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

static void make_folders(void)
{
	static const char *const names[] = {"queue", "results"};
	static int lock; /* a worker lives: what it is at counts */
	char path[128];

	if (mkdtemp(folder) == NULL)
		abort();
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		if (mkdir(path, 0700) != 0)
			abort();
	}
	if (pe_worker_lock(&lock, folder, NULL) != PE_OK)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char name[] = "00000000000000000042-1111111111111111111111111111111111111111";
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_worker_state state;
	struct pe_hook_result *results;
	struct pe_queued *queued;
	char path[128];
	static bool made;
	size_t n = 0;

	if (!made)
		make_folders();
	made = true;
	snprintf(path, sizeof(path), "queue/%s", name);
	put(path, data, size);
	snprintf(path, sizeof(path), "results/%s", name);
	put(path, data, size);
	put("worker", data, size);
	if (pe_queue_list(&queued, &n, folder, &arena, &err) == PE_OK)
		for (size_t i = 0; i < n; i++)
			require(strlen(queued[i].id) < PE_QUEUE_ID &&
					strlen(queued[i].tree) + strlen(queued[i].git_dir) <= size,
				"a commit has what its file holds");
	if (pe_result_list(&results, &n, folder, true, &arena, &err) == PE_OK)
		for (size_t i = 0; i < n; i++)
			require(results[i].verdict < PE_N_VERDICTS && results[i].text != NULL &&
					results[i].subject != NULL,
				"a result has a verdict and texts");
	if (pe_worker_ask(&state, folder))
		require(strnlen(state.phase, sizeof(state.phase)) < sizeof(state.phase),
			"a phase ends");
	pe_arena_release(&arena);
	return 0;
}
