/* Tracking on a farm: what there is to do, divided, handed out, and confirmed on another node where there is one. */
#include "app/cluster/farm.h"
#include "app/cluster/shard.h"
#include "app/history/detect.h"
#include "app/history/machine_drift.h"
#include "app/measure/costs.h"
#include "app/measure/plan.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/json/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One call of pe_farm_track(). */
struct tracking {
	struct pe_session *session;
	const struct pe_track_request *request;
	struct pe_farm farm;
	bool quick;
	size_t workers;          /* that work at a time */
	struct pe_strings nodes; /* that there are */
};

int pe_farm_choose_machine(struct pe_app *app, int how)
{
	struct pe_machine *machine = pe_arena_new(app->arena, struct pe_machine, 1);
	int rc;

	if (how != PE_FARM_SLURM)
		return PE_OK;
	rc = pe_store_get_farm(machine, app->store, app->arena, app->err);
	if (rc == PE_ENOTFOUND)
		return pe_fail(app->err, PE_ENOTFOUND,
			       "no machines are known yet: run 'perfevo farm init'");
	app->machine = machine;
	return rc;
}

/* --- What there is to do --- */

static double seconds_of(const struct tracking *tracking, const struct pe_known *known,
			 const struct pe_session_costs *costs, size_t w, bool *wanted)
{
	const struct pe_session *session = tracking->session;
	const struct pe_session_benchmark *one = &session->benchmarks.data[w];
	double sum = 0;

	*wanted = false;
	for (size_t r = 0; r < session->n_revisions; r++) {
		struct pe_wants wants = {0};

		if (session->revisions[r].wanted)
			wants = pe_plan_wants(session, known, r, w);
		if (wants.timed + wants.counted == 0)
			continue;
		*wanted = true;
		sum += pe_cell_cost_of(&costs->cell[w], one->benchmark, wants.timed, wants.counted,
				       true);
	}
	return sum;
}

static bool is_gone(const struct tracking *tracking, const char *node)
{
	for (size_t i = 0; i < tracking->nodes.n; i++)
		if (strcmp(tracking->nodes.at[i], node) == 0)
			return false;
	/* Where no node answers, they come back. */
	return tracking->nodes.n > 0;
}

/* Those of the session's benchmarks that anything is left of; suspects: also those that have to be looked at again. */
static int choose_parts(struct pe_shard_part *parts, size_t *which, size_t *n,
			const struct tracking *tracking, bool suspects)
{
	struct pe_session *session = tracking->session;
	struct pe_app *app = session->app;
	struct pe_session_costs costs;
	struct pe_known known;
	const char *gone = NULL;
	size_t moved = 0;
	int rc = pe_known_load(&known, session);

	*n = 0;
	if (rc == PE_OK)
		rc = pe_session_costs_load(&costs, session, &known);
	for (size_t w = 0; rc == PE_OK && w < session->benchmarks.n; w++) {
		struct pe_shard_part part = {.node = NULL};
		bool wanted;

		part.seconds = seconds_of(tracking, &known, &costs, w, &wanted);
		if (!wanted && !suspects)
			continue;
		if (!app->config->farm.moves && app->machine != NULL)
			rc = pe_store_node_of(&part.node, app->store, session->machine_key,
					      session->benchmarks.data[w].key, session->arena,
					      app->err);
		if (part.node != NULL && is_gone(tracking, part.node)) {
			gone = part.node;
			moved++;
			part.node = NULL;
		}
		which[*n] = w;
		parts[(*n)++] = part;
	}
	if (gone != NULL)
		pe_app_note(app, "%zu benchmark%s on other nodes than before: %s is not to be had",
			    moved, moved == 1 ? " goes on" : "s go on", gone);
	return rc;
}

/* --- Shards --- */

static struct pe_strings wanted_ids(const struct pe_session *session)
{
	const char **at = pe_arena_new(session->arena, const char *, session->n_revisions);
	size_t n = 0;

	for (size_t r = 0; r < session->n_revisions; r++)
		if (session->revisions[r].wanted)
			at[n++] = session->revisions[r].revision->id;
	return (struct pe_strings){at, n};
}

static struct pe_shard model(const struct tracking *tracking, const char *store)
{
	const struct pe_session *session = tracking->session;
	struct pe_shard shard = {
		.store = store,
		.machine = session->machine.fingerprint,
		.is_class = session->app->machine != NULL,
		.recipe = session->recipe_hash,
		.quick = tracking->quick,
		.whole = session->whole,
		.revisions = wanted_ids(session),
		.request = *tracking->request,
	};

	if (session->metrics != NULL)
		shard.metrics = *session->metrics;
	shard.request.bench = NULL;
	return shard;
}

static void add_benchmarks(struct pe_shard *shard, const struct tracking *tracking,
			   const struct pe_shard_part *parts, const size_t *which, size_t n,
			   size_t k)
{
	const struct pe_session *session = tracking->session;
	const char **names = pe_arena_new(session->arena, const char *, n);
	const char **versions = pe_arena_new(session->arena, const char *, n);
	size_t m = 0;

	shard->seconds = 0;
	for (size_t i = 0; i < n; i++) {
		const struct pe_benchmark *one = session->benchmarks.data[which[i]].benchmark;

		if (parts[i].shard != k)
			continue;
		names[m] = one->name;
		versions[m++] = one->version;
		shard->seconds += parts[i].seconds;
		shard->node = parts[i].node;
	}
	shard->names = (struct pe_strings){names, m};
	shard->versions = (struct pe_strings){versions, m};
	/* A budget of runs is shared like the benchmarks. */
	if (shard->request.max_runs > 0)
		shard->request.max_runs = (shard->request.max_runs * m + n - 1) / n;
}

static int add_work(struct tracking *tracking, const struct pe_shard *shard)
{
	struct pe_app *app = tracking->session->app;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_farm_work work = {.failures = 0};
	char name[PE_HASH_HEX];
	int rc;

	pe_shard_write(&text, shard);
	rc = pe_spool_put(name, app, tracking->farm.spool, "shards", &text);
	work.name = work.job.shard = pe_arena_strdup(app->arena, name);
	if (rc == PE_OK)
		pe_vec_push(&tracking->farm.work, work);
	return rc;
}

/* Divide, write down, hand out, and wait for the end. @param avoid  for confirmations: elsewhere than where it was measured */
static int do_parts(struct tracking *tracking, struct pe_shard_part *parts, const size_t *which,
		    size_t n, bool avoid)
{
	struct pe_app *app = tracking->session->app;
	struct pe_farm *farm = &tracking->farm;
	const char *store = pe_arena_printf(app->arena, "%lld.db", (long long)pe_clock_file_ns());
	struct pe_shard shard = model(tracking, store);
	size_t n_shards = pe_shards_divide(parts, n, tracking->workers);
	int rc = pe_store_copy(app->store,
			       pe_arena_printf(app->arena, "%s/stores/%s", farm->spool, store),
			       app->err);

	shard.request.no_confirm = tracking->request->no_confirm ||
				   (!avoid && tracking->workers > 1 && app->machine != NULL);
	for (size_t k = 0; rc == PE_OK && k < n_shards; k++) {
		struct pe_shard one = shard;

		add_benchmarks(&one, tracking, parts, which, n, k);
		if (avoid) {
			one.avoid = one.node;
			one.node = NULL;
		}
		rc = add_work(tracking, &one);
	}
	if (rc == PE_OK)
		rc = pe_farm_write_jobs(farm);
	if (rc == PE_OK)
		pe_app_note(app, "%zu benchmark%s %s handed out in %zu part%s", n,
			    n == 1 ? "" : "s",
			    avoid    ? "with suspected changes are"
			    : n == 1 ? "is"
				     : "are",
			    n_shards, n_shards == 1 ? "" : "s");
	return rc == PE_OK ? pe_farm_watch(farm) : rc;
}

/* --- Confirming elsewhere --- */

static bool is_suspected(const struct pe_evolution *evolution, const char *benchmark)
{
	for (size_t i = 0; i < evolution->n_lines; i++)
		for (size_t j = 0; j < evolution->lines[i].n_jumps; j++)
			if (strcmp(evolution->lines[i].benchmark, benchmark) == 0 &&
			    evolution->lines[i].jumps[j].state == PE_JUMP_SUSPECT)
				return true;
	return false;
}

/* A change that another node shows, too, is the code's and not the node's. */
static int confirm(struct tracking *tracking)
{
	struct pe_session *session = tracking->session;
	struct pe_app *app = session->app;
	const size_t n_all = session->benchmarks.n;
	struct pe_shard_part *parts = pe_arena_new(session->arena, struct pe_shard_part, n_all);
	size_t *which = pe_arena_new(session->arena, size_t, n_all), n = 0;
	const struct pe_detect_opts opts = pe_track_detect_opts(session);
	struct pe_evolution evolution;
	int rc = pe_detect_load(&evolution, app, &opts);

	if (rc == PE_ENOTFOUND)
		return PE_OK;
	for (size_t w = 0; rc == PE_OK && w < n_all; w++) {
		const struct pe_session_benchmark *one = &session->benchmarks.data[w];

		if (!is_suspected(&evolution, one->benchmark->name))
			continue;
		which[n] = w;
		parts[n].seconds = NAN;
		rc = pe_store_node_of(&parts[n++].node, app->store, session->machine_key, one->key,
				      session->arena, app->err);
	}
	tracking->farm.work.n = 0;
	return rc == PE_OK && n > 0 ? do_parts(tracking, parts, which, n, true) : rc;
}

/* --- Nodes that changed --- */

/* A node that got slower or faster since it measured last is named: its commits of before say so, measured again. */
static int name_moved(const struct tracking *tracking, int64_t newest)
{
	struct pe_session *session = tracking->session;
	struct pe_app *app = session->app;
	struct pe_stored_node *nodes;
	size_t n;
	int rc = pe_store_nodes(&nodes, &n, app->store, session->machine_key, app->arena, app->err);

	for (size_t i = 0; rc == PE_OK && i < n; i++) {
		const struct pe_machine_drift_asked asked = {.machine = session->machine_key,
							     .newest = newest,
							     .metrics = session->metrics,
							     .node = nodes[i].name};
		const struct pe_machine_drift *moved;

		rc = pe_machine_drift_find(&moved, app, &asked);
		if (rc == PE_OK && moved != NULL)
			pe_app_note(
				app,
				"%s ran %.1f %% %s than before, by %zu commits that it measured "
				"both times: the node, not the code",
				nodes[i].name, fabs(100 * moved->relative),
				moved->relative > 0 ? "slower" : "faster", moved->commits);
	}
	return rc;
}

/* --- Tracking --- */

static int count_workers(struct tracking *tracking)
{
	struct pe_app *app = tracking->session->app;
	const struct pe_farm_plan *plan = &app->config->farm;
	int rc;

	if (tracking->farm.how == PE_FARM_LOCAL) {
		tracking->workers = plan->local > 0 ? plan->local : 1;
		return PE_OK;
	}
	rc = tracking->farm.dispatch.nodes(&tracking->nodes, &tracking->farm.dispatch);
	tracking->workers = tracking->nodes.n > 0 ? tracking->nodes.n : 1;
	for (size_t i = 0; i < tracking->farm.nodes.n; i++)
		tracking->workers -= tracking->farm.nodes.data[i].excluded && tracking->workers > 1;
	if (plan->nodes > 0 && tracking->workers > plan->nodes)
		tracking->workers = plan->nodes;
	return rc;
}

static int track_new(struct tracking *tracking)
{
	struct pe_session *session = tracking->session;
	struct pe_app *app = session->app;
	const size_t n_all = session->benchmarks.n;
	struct pe_shard_part *parts = pe_arena_new(session->arena, struct pe_shard_part, n_all);
	size_t *which = pe_arena_new(session->arena, size_t, n_all), n = 0;
	struct pe_track_plan plan;
	bool runs;
	int rc = pe_track_plan(&plan, session, tracking->request);

	if (rc != PE_OK)
		return rc;
	runs = plan.plan.runs > 0 &&
	       !(plan.adaptive &&
		 (plan.explored.complete || plan.explored.decided || plan.explored.runs_left == 0));
	if (!runs && plan.left.changes == 0) {
		if (plan.plan.complete > 0)
			pe_app_note(app, "everything in this range is measured already");
		return PE_OK;
	}
	if (rc == PE_OK)
		rc = count_workers(tracking);
	if (rc == PE_OK)
		rc = choose_parts(parts, which, &n, tracking, plan.left.changes > 0);
	tracking->farm.work.n = 0;
	if (rc == PE_OK && n > 0 && (runs || tracking->workers == 1 || app->machine == NULL))
		rc = do_parts(tracking, parts, which, n, false);
	if (rc == PE_OK && !tracking->request->no_confirm && tracking->workers > 1 &&
	    app->machine != NULL)
		rc = confirm(tracking);
	return rc;
}

/* What an earlier call handed out is waited for first: it may be all there is to do. */
static int finish_earlier(struct tracking *tracking)
{
	struct pe_app *app = tracking->session->app;

	if (tracking->farm.work.n > 0)
		pe_app_note(app, "waiting for %zu part%s of the work that %s handed out before",
			    tracking->farm.work.n, tracking->farm.work.n == 1 ? "" : "s",
			    tracking->farm.work.n == 1 ? "was" : "were");
	return pe_farm_watch(&tracking->farm);
}

int pe_farm_track(struct pe_session *session, const struct pe_track_request *request, int how,
		  bool quick)
{
	struct pe_app *app = session->app;
	struct tracking tracking = {.session = session, .request = request, .quick = quick};
	int64_t newest;
	int rc = pe_farm_open(&tracking.farm, app, how);

	if (rc == PE_OK)
		rc = pe_machine_drift_begin(&newest, app);

	/* Tests and suites are found in a build: here, so that everybody knows the same ones. */
	if (rc == PE_OK)
		rc = pe_session_discover(session, request->bench);
	pe_session_yield(session);
	if (rc == PE_OK)
		rc = finish_earlier(&tracking);
	if (rc == PE_OK)
		rc = track_new(&tracking);
	if (rc == PE_OK && app->machine != NULL)
		rc = name_moved(&tracking, newest);
	pe_farm_close(&tracking.farm);
	return rc == PE_OK ? pe_track_find_changes(session) : rc;
}

/* --- Init --- */

/* A class of machines, and which nodes are of it. */
struct class_of {
	struct pe_machine machine;
	size_t n;
	struct pe_text nodes;
};

typedef PE_VEC(struct class_of) class_vec;

static int read_node(struct pe_machine *out, struct pe_app *app, const char *spool,
		     const char *node)
{
	const char *path = pe_arena_printf(app->arena, "%s/nodes/%s.json", spool, node);
	const struct pe_json_value *top;
	pe_auto_text text = PE_TEXT_INIT;
	const char *fingerprint;
	int rc = pe_text_read_file(&text, path, app->err);

	if (rc == PE_OK)
		rc = pe_json_tree(&top, text.data, text.len, app->arena, app->err);
	if (rc != PE_OK)
		return rc;
	fingerprint = pe_json_string(pe_json_member(top, "fingerprint"));
	*out = (struct pe_machine){
		.hostname = "farm",
		.cpu = pe_json_string(pe_json_member(top, "cpu")),
		.cores = (unsigned)pe_json_whole(pe_json_member(top, "cores"), 0),
		.memory_bytes = (uint64_t)pe_json_whole(pe_json_member(top, "memory_bytes"), 0),
		.kernel = pe_json_string(pe_json_member(top, "kernel")),
		.compilers = pe_json_string(pe_json_member(top, "compilers")),
	};
	if (fingerprint == NULL || strlen(fingerprint) != PE_HASH_HEX - 1 || out->cpu == NULL ||
	    out->kernel == NULL || out->compilers == NULL)
		return pe_fail(app->err, PE_EINVALID, "%s: it describes no machine", path);
	memcpy(out->fingerprint, fingerprint, PE_HASH_HEX);
	return PE_OK;
}

static void add_node(class_vec *classes, const struct pe_machine *machine, const char *node)
{
	size_t k = 0;

	while (k < classes->n &&
	       strcmp(classes->data[k].machine.fingerprint, machine->fingerprint) != 0)
		k++;
	if (k == classes->n)
		pe_vec_push(classes, (struct class_of){.machine = *machine});
	pe_text_addf(&classes->data[k].nodes, " %s", node);
	classes->data[k].n++;
}

/* All are asked at the same time; one that does not answer is left out. */
static int probe(struct pe_farm *farm, const struct pe_strings *nodes)
{
	enum { WAIT_S = 120 };
	struct pe_app *app = farm->app;
	struct pe_job *jobs = pe_arena_new(app->arena, struct pe_job, nodes->n);
	struct pe_job **at = pe_arena_new(app->arena, struct pe_job *, nodes->n);
	const uint64_t since_ns = pe_clock_ns();
	size_t waiting = nodes->n;
	int rc = PE_OK;

	for (size_t i = 0; rc == PE_OK && i < nodes->n; i++) {
		at[i] = &jobs[i];
		jobs[i].node = nodes->at[i];
		rc = farm->dispatch.submit(&farm->dispatch, &jobs[i]);
	}
	while (rc == PE_OK && waiting > 0 &&
	       pe_clock_ns() - since_ns < WAIT_S * UINT64_C(1000000000)) {
		if (pe_farm_pause(farm, farm->dispatch.least_ms / 2))
			rc = pe_fail(app->err, PE_ESTOPPED, "stopped");
		waiting = 0;
		if (rc == PE_OK)
			rc = farm->dispatch.poll(&farm->dispatch, at, nodes->n);
		rc = rc == PE_EBUSY ? PE_OK : rc;
		for (size_t i = 0; i < nodes->n; i++)
			waiting += jobs[i].state < PE_JOB_OVER;
	}
	if (waiting > 0)
		farm->dispatch.cancel(&farm->dispatch, at, nodes->n);
	return rc;
}

static int choose_class(struct pe_app *app, const class_vec *classes, struct pe_text *out)
{
	size_t best = 0;
	int64_t key;
	int rc;

	for (size_t k = 0; k < classes->n; k++) {
		const struct pe_machine *one = &classes->data[k].machine;

		best = classes->data[k].n > classes->data[best].n ? k : best;
		pe_text_addf(out, "%.8s  %s, %u cores, %llu GiB, %s:%s\n", one->fingerprint,
			     one->cpu, one->cores,
			     (unsigned long long)((one->memory_bytes + (1u << 29)) >> 30),
			     one->kernel, pe_text_str(&classes->data[k].nodes));
	}
	if (classes->n == 0)
		return pe_fail(app->err, PE_ENOTFOUND,
			       "no node answered: 'sinfo' and the spool's logs say more");
	rc = pe_store_put_machine(&key, app->store, &classes->data[best].machine, app->err);
	if (rc == PE_OK)
		rc = pe_store_set_farm(app->store, key, app->err);
	if (rc == PE_OK && classes->n > 1)
		pe_text_addf(out,
			     "measured on: %.8s; others refuse work ('farm: constraint:' "
			     "chooses)\n",
			     classes->data[best].machine.fingerprint);
	return rc;
}

int pe_farm_init(struct pe_app *app, struct pe_text *out)
{
	struct pe_farm farm;
	class_vec classes = {NULL, 0, 0};
	struct pe_machine machine;
	struct pe_strings nodes;
	int rc = pe_farm_open(&farm, app, PE_FARM_SLURM);

	if (rc == PE_OK)
		rc = farm.dispatch.nodes(&nodes, &farm.dispatch);
	for (size_t i = 0; rc == PE_OK && i < nodes.n; i++)
		rc = pe_files_remove(
			pe_arena_printf(app->arena, "%s/nodes/%s.json", farm.spool, nodes.at[i]),
			app->err);
	if (rc == PE_OK)
		rc = probe(&farm, &nodes);
	for (size_t i = 0; rc == PE_OK && i < nodes.n; i++) {
		struct pe_farm_node *node = pe_farm_node_of(&farm, nodes.at[i]);

		if (read_node(&machine, app, farm.spool, nodes.at[i]) == PE_OK) {
			add_node(&classes, &machine, nodes.at[i]);
			node->excluded = false;
			node->failures = 0;
		} else {
			pe_text_addf(out, "no answer: %s (%s)\n", nodes.at[i], app->err->message);
		}
	}
	if (rc == PE_OK)
		rc = pe_farm_write_jobs(&farm);
	if (rc == PE_OK)
		rc = choose_class(app, &classes, out);
	for (size_t k = 0; k < classes.n; k++)
		pe_text_release(&classes.data[k].nodes);
	pe_vec_release(&classes);
	pe_farm_close(&farm);
	return rc;
}
