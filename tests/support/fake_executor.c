#include "tests/support/fake_executor.h"

#include "core/base/text.h"
#include "probe/formats/alloc.h"
#include "probe/formats/trace.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { PID = 4711 };

/* Builds side by side come from several threads. */
static pthread_mutex_t book = PTHREAD_MUTEX_INITIALIZER;

static unsigned number_of(const char *tree)
{
	pe_auto_text path = PE_TEXT_INIT, text = PE_TEXT_INIT;
	unsigned number = UINT_MAX;

	pe_text_addf(&path, "%s/number", tree);
	if (pe_text_read_file(&text, path.data, NULL) == PE_OK)
		sscanf(pe_text_str(&text), "%u", &number);
	return number;
}

static const char *value_of(const struct pe_proc_spec *spec, const char *name)
{
	size_t n = strlen(name);

	for (const char *const *at = spec->env; at != NULL && *at != NULL; at++)
		if (strncmp(*at, name, n) == 0 && (*at)[n] == '=')
			return *at + n + 1;
	return NULL;
}

static const char *text_of(struct fake_executor *fake, const struct pe_proc_spec *spec)
{
	bool shell = strcmp(spec->argv[0], "/bin/sh") == 0 && spec->argv[1] != NULL;

	return pe_arena_strdup(&fake->arena, shell ? spec->argv[2] : spec->argv[0]);
}

/* What libperfevo_rt.so would leave. */
static int leave_record(uint64_t allocations, const char *dir, struct pe_err *err)
{
	const struct pe_alloc_record record = {
		.magic = PE_ALLOC_MAGIC,
		.version = PE_ALLOC_VERSION,
		.size = sizeof(record),
		.pid = PID,
		.started_ns = 1,
		.allocations = allocations,
		.allocated_bytes = 64 * allocations,
		.frees = allocations,
		.peak_bytes = 4096,
		.program = "fake",
	};
	pe_auto_text path = PE_TEXT_INIT, bytes = PE_TEXT_INIT;
	int rc;

	pe_text_addf(&path, "%s/%d-1" PE_ALLOC_SUFFIX, dir, PID);
	pe_text_addn(&bytes, (const char *)&record, sizeof(record));
	rc = pe_text_write_file(&bytes, path.data, err);
	return rc;
}

/* What kind of run it is, and where it is to leave something; NULL: nowhere. */
static const char *where_to(enum fake_kind *kind, const struct pe_proc_spec *spec)
{
	const char *path = value_of(spec, PE_ALLOC_DIR_ENV);

	*kind = FAKE_PLAIN;
	if (path != NULL) {
		*kind = value_of(spec, "PERFEVO_TOUCH_ROOT") != NULL ? FAKE_PROBE : FAKE_COUNT;
	} else if ((path = value_of(spec, PE_TRACE_DIR_ENV)) != NULL) {
		*kind = FAKE_CALLS;
	} else if ((path = value_of(spec, "PERFEVO_PROFILE")) != NULL) {
		*kind = FAKE_PROFILE;
	}
	return path;
}

static int run(struct pe_proc_result *out, const struct pe_proc_spec *spec, void *payload,
	       struct pe_err *err)
{
	struct fake_executor *fake = payload;
	struct fake_command command = {.revision = number_of(spec->cwd)};
	struct pollfd stop = {.fd = spec->stop_fd > 0 ? spec->stop_fd : -1, .events = POLLIN};
	const char *path = where_to(&command.kind, spec);
	bool enough;
	int rc = PE_OK;

	/* As the launcher: after the second Ctrl-C nothing is started. */
	if ((spec->interrupts != NULL && *spec->interrupts > 1) || poll(&stop, 1, 0) > 0) {
		*out = (struct pe_proc_result){.end = PE_PROC_STOPPED};
		return PE_OK;
	}
	pthread_mutex_lock(&book);
	command.text = text_of(fake, spec);
	pe_vec_push(&fake->commands, command);
	enough = fake->stop_after > 0 && fake->commands.n == fake->stop_after;
	pthread_mutex_unlock(&book);
	*out = (struct pe_proc_result){.end = PE_PROC_EXITED,
				       .pid = PID,
				       .cost = {.wall_ns = 1000000,
						.user_ns = 900000,
						.sys_ns = 50000,
						.max_rss_bytes = 1 << 20}};
	if (fake->answer != NULL)
		fake->answer(out, &command, fake->payload);
	if (command.kind == FAKE_COUNT)
		rc = leave_record(fake->count != NULL ? fake->count(&command, fake->payload) : 100,
				  path, err);
	else if (path != NULL && command.kind != FAKE_PROBE && fake->leave != NULL)
		fake->leave(path, &command, fake->payload);
	if (enough)
		++*fake->interrupts;
	return rc;
}

struct pe_executor fake_executor_port(struct fake_executor *fake)
{
	return (struct pe_executor){.run = run, .payload = fake};
}

size_t fake_executor_ran(const struct fake_executor *fake, size_t from, const char *text,
			 unsigned revision)
{
	size_t n = 0;

	for (size_t i = from; i < fake->commands.n; i++)
		n += strcmp(fake->commands.data[i].text, text) == 0 &&
		     (revision == UINT_MAX || fake->commands.data[i].revision == revision);
	return n;
}

void fake_executor_release(struct fake_executor *fake)
{
	pe_vec_release(&fake->commands);
	pe_arena_release(&fake->arena);
}
