/*
 * A damaged database: one that has measured itself, with bytes of it changed, opened to be read as every command does, and
 * examined as `doctor` does. An input is a list of changes: where (three bytes), how many bytes (one), and these.
 */
#include "measured.h"

#include "require.h"
#include "store/examine.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/dev/shm/perfevo-fuzz.XXXXXX", path[80];
static unsigned char *whole, *changed;
static size_t n_whole;

static void prepare(void)
{
	struct pe_err err = PE_ERR_INIT;
	struct stat st;
	int fd;

	if (mkdtemp(dir) == NULL)
		abort();
	snprintf(path, sizeof(path), "%s/store.db", dir);
	must(pe_store_open(&store, path, 0, &err), &err);
	measure(&err);
	pe_store_close(store);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		abort();
	n_whole = (size_t)st.st_size;
	whole = malloc(n_whole);
	changed = malloc(n_whole);
	if (whole == NULL || changed == NULL || read(fd, whole, n_whole) != st.st_size)
		abort();
	close(fd);
}

static void change(const uint8_t *data, size_t size)
{
	memcpy(changed, whole, n_whole);
	while (size > 4) {
		size_t at = ((size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2]) % n_whole;
		size_t n = data[3] % 32u + 1;

		data += 4;
		size -= 4;
		n = n < size ? n : size;
		n = n < n_whole - at ? n : n_whole - at;
		memcpy(changed + at, data, n);
		data += n;
		size -= n;
	}
}

/* What commands read of a machine. */
static void read_machine(int64_t machine, struct pe_arena *arena, struct pe_err *err)
{
	struct pe_coverage *coverage;
	struct pe_stored_failure *failures;
	struct pe_stored_benchmark *benchmarks;
	struct pe_stored_confirmation *confirmations;
	struct pe_execution *executions;
	struct pe_coverage *reused;
	struct pe_observation *values;
	struct pe_batch *batches;
	int64_t *explored, *unbuildable;
	size_t n = 0, n_benchmarks = 0;

	pe_store_coverage(&coverage, &n, store, machine, arena, err);
	pe_store_unbuildable(&unbuildable, &n, store, machine, "0123456789abcdef0123456789abcdef",
			     NULL, 0, arena, err);
	pe_store_failures(&failures, &n, store, machine, arena, err);
	pe_store_confirmations(&confirmations, &n, store, machine, arena, err);
	pe_store_executions(&executions, &n, store, machine, arena, err);
	pe_store_reused(&reused, &n, store, machine, arena, err);
	pe_store_open_batches(&batches, &n, store, machine, arena, err);
	pe_store_explored(&explored, &n, store, machine, arena, err);
	if (pe_store_benchmarks(&benchmarks, &n_benchmarks, store, machine, arena, err) != PE_OK)
		return;
	for (size_t i = 0; i < n_benchmarks && i < 4; i++) {
		const struct pe_series_query query = {machine, benchmarks[i].key, "wall"};

		require(benchmarks[i].name != NULL && benchmarks[i].version != NULL,
			"a benchmark has a name and a version");
		pe_store_get_series(&values, &n, store, &query, arena, err);
	}
}

static void read_all(struct pe_arena *arena, struct pe_err *err)
{
	struct pe_stored_machine *machines;
	struct pe_observation *values;
	struct pe_strings names;
	struct pe_batch batch;
	size_t n = 0, n_machines = 0;
	const int64_t newest = 1;

	if (pe_store_machines(&machines, &n_machines, store, arena, err) != PE_OK)
		return;
	for (size_t i = 0; i < n_machines && i < 4; i++)
		read_machine(machines[i].key, arena, err);
	pe_store_member_names(&names, store, arena, err);
	pe_store_get_batch(&batch, store, newest, arena, err);
	pe_store_batch_values(&values, &n, store, newest, arena, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_store_health health;
	int fd;

	if (whole == NULL)
		prepare();
	change(data, size);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, changed, n_whole) != (ssize_t)n_whole)
		abort();
	close(fd);
	if (pe_store_open(&store, path, PE_OPEN_READONLY, &err) == PE_OK) {
		read_all(&arena, &err);
		pe_store_close(store);
	} else {
		require(err.message[0] != '\0',
			"a file that is refused is refused with a sentence");
	}
	err = (struct pe_err)PE_ERR_INIT;
	if (size % 8 == 0) /* it reads all of the file */
		pe_store_examine(&health, path, &arena, &err);
	return 0;
}
