/* Reading the series of many benchmarks side by side: each thread has a handle of the store's file of its own. */
#include "app/history/detect_internal.h"

#include "core/base/parallel.h"

/* Open more handles for reading. One is enough, so a failure is ignored. */
static void open_readers(struct pe_detection *detection)
{
	const size_t width = pe_parallel_width();
	const size_t most = width < PE_READERS ? width : PE_READERS;

	detection->readers[0] = detection->app->store;
	detection->n_readers = 1;
	while (detection->n_readers < most) {
		struct pe_store **next = &detection->readers[detection->n_readers];
		struct pe_err why = PE_ERR_INIT;

		if (pe_store_open_beside(next, detection->app->store, &why) != PE_OK)
			break;
		detection->n_readers++;
	}
}

static void read_one(struct pe_unread_lines *one, const struct pe_detection *detection,
		     struct pe_store *store)
{
	for (size_t i = 0; i < one->n; i++)
		one->series[i] = (struct pe_series){.metric = one->metrics[i]->name,
						    .arena = &one->scratch[i]};
	one->rc = pe_store_read_series(one->series, one->n, store, detection->machine,
				       one->benchmark->key, &one->err);
}

/* Is called on several threads: one a reader. */
static void read_some(void *payload, size_t number)
{
	struct pe_detection *detection = payload;

	for (size_t i = number; i < detection->n_unread; i += detection->n_readers)
		read_one(&detection->unread[i], detection, detection->readers[number]);
}

void pe_detection_read(struct pe_detection *detection)
{
	if (detection->n_readers == 0 && detection->n_unread == PE_READ_TOGETHER)
		open_readers(detection);
	if (detection->n_readers > 1)
		pe_parallel(detection->n_readers, read_some, detection);
	else
		for (size_t i = 0; i < detection->n_unread; i++)
			read_one(&detection->unread[i], detection, detection->app->store);
}

void pe_detection_close_readers(struct pe_detection *detection)
{
	for (size_t i = 1; i < detection->n_readers; i++)
		pe_store_close(detection->readers[i]);
	detection->n_readers = 0;
}
