/* sched_getaffinity(2) is GNU. */
#define _GNU_SOURCE
#include "app/measure/suite_port.h"

#include "app/measure/allowed.h"
#include "app/measure/pool.h"
#include "app/measure/names.h"
#include "core/exec/build_variant.h"
#include "core/exec/env.h"
#include "core/exec/ports.h"
#include "core/exec/limits.h"
#include "core/exec/machine.h"
#include "core/exec/sandbox.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/inside.h"
#include "core/base/sort.h"
#include "core/json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* First-parent ancestors that may serve as anchors, at most. */
enum { ANCHOR_REACH = 300 };

static int wait_for_lock(struct pe_session *session, const char *path, const char *note)
{
	struct pe_app *app = session->app;
	bool noted = false;
	int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

	if (lock < 0)
		return pe_fail_errno(app->err, "cannot open %s", path);
	session->locks[session->n_locks++] = lock;
	while (flock(lock, LOCK_EX | LOCK_NB) < 0) {
		const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};

		if (errno != EWOULDBLOCK && errno != EINTR)
			return pe_fail_errno(app->err, "cannot lock %s", path);
		if (*app->interrupts > 0)
			return pe_fail(app->err, PE_ESTOPPED, "stopped while waiting");
		if (!noted)
			pe_app_note(app, "%s", note);
		noted = true;
		nanosleep(&pause, NULL);
	}
	return PE_OK;
}

/*
 * Write this host's name into the lock's file, until the session ends: on a network file system the lock may not reach
 * other machines.
 */
static int claim_for_host(struct pe_session *session)
{
	struct pe_app *app = session->app;
	const char *path = pe_arena_printf(app->arena, "%s-lock", pe_store_path(app->store));
	const char *host =
		session->machine.hostname != NULL ? session->machine.hostname : "unknown";
	int lock = session->locks[session->n_locks - 1];
	char holder[256];
	ssize_t n = pread(lock, holder, sizeof(holder) - 1, 0);

	if (n < 0)
		return pe_fail_errno(app->err, "cannot read %s", path);
	holder[n] = '\0';
	holder[strcspn(holder, "\n")] = '\0';
	if (holder[0] != '\0' && strcmp(holder, host) != 0)
		return pe_fail(
			app->err, PE_EBUSY,
			"host '%s' measures into %s, which lies on a network file system (%s): wait until it is done; where it is not at work any more, delete %s",
			holder, pe_store_path(app->store), pe_store_network(app->store), path);
	pe_app_note(
		app,
		"%s lies on a network file system (%s): each result is written through, and one host at a time measures into it",
		pe_store_path(app->store), pe_store_network(app->store));
	n = (ssize_t)strlen(host);
	if (ftruncate(lock, 0) < 0 || pwrite(lock, host, (size_t)n, 0) != n)
		return pe_fail_errno(app->err, "cannot write %s", path);
	session->claimed = true;
	return PE_OK;
}

/*
 * Take the locks. One perfevo measures at a time on a machine, because two would disturb each other; and one for each
 * store, even with several caches, because two would continue the same batches. The kernel releases the locks when the
 * process ends. The store's lock is a separate file, because closing the database's file would drop SQLite's locks on it.
 */
static int take_locks(struct pe_session *session)
{
	struct pe_app *app = session->app;
	const char *root = pe_app_cache_root(app);

	PE_TRY(pe_app_make_cache(app, pe_arena_printf(app->arena, "%s/slots", session->cache_dir)));
	PE_TRY(wait_for_lock(session, pe_arena_printf(app->arena, "%s/measure.lock", root),
			     "another perfevo is measuring on this machine: waiting for it"));
	PE_TRY(wait_for_lock(session,
			     pe_arena_printf(app->arena, "%s-lock", pe_store_path(app->store)),
			     "another perfevo is measuring into this store: waiting for it"));
	return pe_store_network(app->store) != NULL ? claim_for_host(session) : PE_OK;
}

/* "run: {cpu: auto}": the last processor that this process may use; the first serves most interrupts. */
static int choose_cpu(int wanted)
{
#ifdef CPU_SETSIZE
	cpu_set_t set;

	if (wanted != -2)
		return wanted;
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
			if (CPU_ISSET(cpu, &set))
				return cpu;
#endif
	return wanted < 0 ? -1 : wanted;
}

static int overlay(const char *tree, void *payload, struct pe_err *err)
{
	const struct pe_app *app = payload;
	const struct pe_overlay *what = &app->config->overlay;

	if (what->revision == NULL)
		return pe_config_apply_overlay(app->config, tree, err);
	return pe_repo_export(app->repo, what->revision, &what->paths, tree, NULL, err);
}

static void prepare_builder(struct pe_session *session)
{
	struct pe_app *app = session->app;

	session->builder = (struct pe_builder){
		.recipe = &app->config->recipe,
		.recipe_hash = session->recipe_hash,
		.root = app->config->root,
		.source = pe_repo_source(app->repo),
		.executor = session->executor,
		.overlay = app->config->overlay.paths.n > 0 ? overlay : NULL,
		.overlay_payload = app,
		.tree_bytes = app->config->limits.disk_bytes,
		.limits = pe_session_limits(session),
		.sandbox = session->confined ? &session->sandbox : NULL,
		.limits_of_steps = &app->config->limits,
		/* Only with a launcher: the executor of tests starts no process that could be watched. */
		.watch = session->launcher != NULL ? pe_build_variant_library(PE_LIBRARY_COUNTING,
									      session->arena, NULL)
						   : NULL,
		.interrupts = app->interrupts,
	};
}

static int prepare_runner(struct pe_session *session)
{
	struct pe_app *app = session->app;
	const struct pe_surroundings *around = &app->config->surroundings;
	struct pe_err why = PE_ERR_INIT;
	const char *scratch = pe_arena_printf(session->arena, "%s/scratch", session->cache_dir);

	session->runner = (struct pe_runner){
		.executor = session->executor,
		.json = pe_json_number_reader(),
		.suites = pe_suite_port_of(session),
		.outside = pe_outside_port_of(&session->outside),
		.scratch = scratch,
		.trusted = pe_app_cache_root(app),
		.root = app->config->root,
		.pass_env = &around->pass_env,
		.alloc_library =
			pe_build_variant_library(PE_LIBRARY_COUNTING, session->arena, &why),
		.since_s = session->since_s,
		.cpu = choose_cpu(around->cpu),
		.nice = around->nice,
		.fixed_layout = around->fixed_layout,
		.sandbox = session->confined ? &session->sandbox : NULL,
		.limits = &app->config->limits,
		.instructions = session->launcher != NULL &&
				pe_launcher_counts_instructions(session->launcher),
		.oom_kills = pe_oom_kills(),
		.interrupts = app->interrupts,
	};
	if (session->runner.alloc_library == NULL)
		pe_app_note(app, "allocations are not counted: %s", why.message);
	PE_TRY(pe_files_remove(scratch, app->err));
	PE_TRY(pe_files_make_dir(scratch, app->err));
	return pe_session_choose_counts(session);
}

static void observe_conditions(struct pe_session *session)
{
	static const struct pe_benchmark plain = {.cwd = "."};
	const struct pe_surroundings *around = &session->app->config->surroundings;

	pe_conditions_observe(&session->conditions, session->arena);
	session->conditions.cpu = choose_cpu(around->cpu);
	session->conditions.nice = around->nice;
	session->conditions.fixed_layout = around->fixed_layout;
	session->conditions.env_bytes = (unsigned)pe_env_size(
		pe_env_for_run(&plain, &around->pass_env, session->cache_dir,
			       session->app->config->root, NULL, session->arena));
}

int pe_session_open(struct pe_session *out, struct pe_app *app, bool measure)
{
	struct pe_executor executor;
	const char *slots;

	*out = (struct pe_session){
		.app = app,
		.arena = app->arena,
		.measures = measure,
		.builds_before = -1,
		.since_s = pe_clock_now_s(),
	};
	if (app->config->to_do != NULL)
		return pe_fail(app->err, PE_EINVALID, "%s", app->config->to_do);
	if (measure)
		PE_TRY(pe_allowed_check(app));
	if (app->counts_only)
		app->config->surroundings.instructions = PE_INSTRUCTIONS_SIMULATED;
	pe_recipe_hash(&app->config->recipe, out->recipe_hash);
	out->cache_dir = pe_app_cache_dir(app);
	out->machine = *pe_app_machine(app);
	observe_conditions(out);
	PE_TRY(pe_store_put_machine(&out->machine_key, app->store, &out->machine, app->err));
	if (measure)
		PE_TRY(take_locks(out));
	slots = pe_arena_printf(out->arena, "%s/slots", out->cache_dir);
	PE_TRY(pe_slots_open(&out->slots, slots, app->config->disk_bytes, out->arena, app->err));
	executor = app->executor;
	if (measure && app->executor.run == NULL) {
		PE_TRY(pe_launcher_open(&out->launcher, NULL, app->err));
		PE_TRY(pe_session_confine(out));
		executor = pe_process_executor(out->launcher);
		if (out->confined && !out->sandbox.by_landlock)
			executor.tree = PE_INSIDE_TREE;
	}
	pe_outside_open(&out->outside, app, &out->slots, out->cache_dir, out->arena);
	out->executor = pe_outside_executor(&out->outside, executor);
	if (out->confined && !out->sandbox.by_landlock)
		out->outside.sandbox = &out->sandbox;
	if (!measure)
		return PE_OK;
	prepare_builder(out);
	return prepare_runner(out);
}

void pe_session_yield(struct pe_session *session)
{
	if (!session->measures || session->n_locks == 0)
		return;
	pe_session_close_slots(session, &session->slots);
	session->measures = false;
	if (session->runner.scratch != NULL)
		pe_files_remove(session->runner.scratch, NULL);
	session->runner.scratch = NULL;
	close(session->locks[0]);
	memmove(session->locks, session->locks + 1, --session->n_locks * sizeof(*session->locks));
}

void pe_session_close(struct pe_session *session)
{
	if (session == NULL || session->app == NULL)
		return;
	pe_troubles_report(&session->troubles, session->app);
	pe_troubles_report(&session->uncounted, session->app);
	pe_pool_close(session->pool);
	pe_launcher_close(session->launcher);
	/* With landlock, temporary files are in folders; namespaces have them in memory. */
	if (session->sandbox.by_landlock)
		pe_files_remove(pe_arena_printf(session->arena, "%s/root", session->cache_dir),
				NULL);
	if (session->measures)
		pe_session_close_slots(session, &session->slots);
	pe_outside_close(&session->outside, session->measures);
	if (session->runner.scratch != NULL)
		pe_files_remove(session->runner.scratch, NULL);
	if (session->claimed && ftruncate(session->locks[session->n_locks - 1], 0) < 0)
		pe_app_note(session->app, "cannot give back the lock of %s: %s",
			    pe_store_path(session->app->store), strerror(errno));
	while (session->n_locks > 0)
		close(session->locks[--session->n_locks]);
	pe_vec_release(&session->benchmarks);
	pe_key_index_release(&session->revision_index);
	pe_key_index_release(&session->benchmark_index);
	pe_vec_release(&session->left_out);
	pe_vec_release(&session->edited);
	pe_vec_release(&session->ahead);
	pe_vec_release(&session->suite_metrics);
	session->app = NULL;
}

/* --- Revisions and benchmarks --- */

PE_SORT_BY(compare_ids, struct pe_revision, id);

static void add_revision(struct pe_session *session, const struct pe_revision *one, int64_t key,
			 bool wanted)
{
	pe_key_index_put(&session->revision_index, key, session->n_revisions);
	session->wanted[session->n_revisions] = wanted;
	session->revisions[session->n_revisions] = *one;
	session->revisions[session->n_revisions++].key = key;
}

/* Add the ancestors that are in the store: only those can be anchors. */
static int add_ancestors(struct pe_session *session, const struct pe_revisions *ancestors)
{
	struct pe_app *app = session->app;
	struct pe_revision *stored;
	size_t n;

	PE_TRY(pe_store_revisions(&stored, &n, app->store, session->arena, app->err));
	if (n == 0)
		return PE_OK;
	pe_sort(stored, n, compare_ids);
	/* The last one is the oldest wanted revision itself. */
	for (size_t i = 0; i + 1 < ancestors->n; i++) {
		const struct pe_revision *known =
			bsearch(&ancestors->at[i], stored, n, sizeof(*stored), compare_ids);

		if (known != NULL)
			add_revision(session, &ancestors->at[i], known->key, false);
	}
	return PE_OK;
}

static int add_wanted(struct pe_session *session, const struct pe_revisions *wanted)
{
	struct pe_app *app = session->app;

	for (size_t i = 0; i < wanted->n; i++) {
		int64_t key;

		PE_TRY(pe_store_put_revision(&key, app->store, &wanted->at[i], app->err));
		add_revision(session, &wanted->at[i], key, true);
	}
	return PE_OK;
}

static int choose_revisions(struct pe_session *session, const struct pe_revisions *revisions)
{
	struct pe_app *app = session->app;
	struct pe_revisions ancestors = {.n = 0};
	struct pe_range range = {.last = ANCHOR_REACH + 1};

	if (revisions->n > 0 && !session->unanchored) {
		range.spec = revisions->at[0].id;
		PE_TRY(pe_repo_walk(&ancestors, app->repo, &range, session->arena, app->err));
	}
	session->revisions =
		pe_arena_new(session->arena, struct pe_revision, revisions->n + ancestors.n);
	session->wanted = pe_arena_new(session->arena, bool, revisions->n + ancestors.n);
	PE_TRY(add_ancestors(session, &ancestors));
	return add_wanted(session, revisions);
}

int pe_session_choose(struct pe_session *session, const struct pe_revisions *revisions,
		      const char *bench)
{
	struct pe_app *app = session->app;
	/* A dry run is inside a transaction of its own, which is rolled back. */
	pe_auto_transaction own = session->measures ? app->store : NULL;

	if (own != NULL)
		PE_TRY(pe_store_begin(own, app->err));
	PE_TRY(choose_revisions(session, revisions));
	PE_TRY(pe_session_take_benchmarks(session, app->config->benchmarks,
					  app->config->n_benchmarks, bench));
	PE_TRY(pe_session_take_suites(session, bench));
	if (own != NULL)
		PE_TRY(pe_store_commit(own, app->err));
	return session->benchmarks.n == 0 && app->config->n_suites == 0 &&
			       app->config->tests.kind == PE_TESTS_NONE
		       ? pe_names_fail_benchmark(app, bench, false)
		       : PE_OK;
}
