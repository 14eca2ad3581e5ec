/* Tracking on a farm: what there is to do, divided, handed out, and confirmed on another node where there is one. */
#include "app/cluster/farm.h"
#include "app/cluster/shard.h"
#include "app/history/detect.h"
#include "app/measure/costs.h"
#include "app/measure/plan.h"
#include "core/base/array.h"
#include "core/base/clock.h"

#include <math.h>
#include <string.h>

/* One call of pe_farm_track(). */
struct tracking {
	struct pe_session *session;
	const struct pe_track_request *request;
	struct pe_farm farm;
	bool quick;
	size_t workers;          /* that work at a time */
	struct pe_strings nodes; /* that take jobs */
	/* What is handed out next, by the session's benchmarks. */
	PE_VEC(struct pe_shard_part) parts;
};

/* --- What there is to do --- */

static double seconds_of(const struct tracking *tracking, const struct pe_known *known,
			 const struct pe_session_costs *costs, size_t w, bool *wanted)
{
	const struct pe_session *session = tracking->session;
	const struct pe_benchmark *one = session->benchmarks.data[w];
	double sum = 0;

	*wanted = false;
	for (size_t r = 0; r < session->n_revisions; r++) {
		struct pe_coverage wants = {0};

		if (session->wanted[r])
			wants = pe_plan_wants(session, known, r, w);
		if (wants.timed + wants.counted == 0)
			continue;
		*wanted = true;
		sum += pe_cell_cost_of(&costs->cell[w], one, wants.timed, wants.counted, true);
	}
	return sum;
}

/* Where no node takes jobs, they come back. */
static bool is_gone(const struct tracking *tracking, const char *node)
{
	return pe_has_string(tracking->farm.others.at, tracking->farm.others.n, node) ||
	       (tracking->nodes.n > 0 &&
		!pe_has_string(tracking->nodes.at, tracking->nodes.n, node));
}

/* Those of the session's benchmarks that anything is left of; suspects: also those that have to be looked at again. */
static int choose_parts(struct tracking *tracking, bool suspects)
{
	struct pe_session *session = tracking->session;
	struct pe_app *app = session->app;
	struct pe_session_costs costs;
	struct pe_known known;
	const char *gone = NULL;
	size_t moved = 0;

	PE_TRY(pe_known_load(&known, session));
	PE_TRY(pe_session_costs_load(&costs, session, &known));
	for (size_t w = 0; w < session->benchmarks.n; w++) {
		struct pe_shard_part part = {.benchmark = w};
		bool wanted;

		part.seconds = seconds_of(tracking, &known, &costs, w, &wanted);
		if (!wanted && !suspects)
			continue;
		if (!app->config->farm.moves)
			PE_TRY(pe_store_node_of(&part.node, app->store, session->machine_key,
						session->benchmarks.data[w]->key, session->arena,
						app->err));
		if (part.node != NULL && is_gone(tracking, part.node)) {
			gone = part.node;
			moved++;
			part.node = NULL;
		}
		pe_vec_push(&tracking->parts, part);
	}
	if (gone != NULL)
		pe_app_note(app, "%zu benchmark%s on other nodes than before: %s is not to be had",
			    moved, moved == 1 ? " goes on" : "s go on", gone);
	return PE_OK;
}

/* --- Shards --- */

static struct pe_strings wanted_ids(const struct pe_session *session)
{
	const char **at = pe_arena_new(session->arena, const char *, session->n_revisions);
	size_t n = 0;

	for (size_t r = 0; r < session->n_revisions; r++)
		if (session->wanted[r])
			at[n++] = session->revisions[r].id;
	return (struct pe_strings){at, n};
}

static struct pe_shard model(const struct tracking *tracking, const char *store)
{
	const struct pe_session *session = tracking->session;
	struct pe_shard shard = {
		.store = store,
		.machine = session->machine.fingerprint,
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

static void add_benchmarks(struct pe_shard *shard, const struct tracking *tracking, size_t k)
{
	const struct pe_session *session = tracking->session;
	const size_t n = tracking->parts.n;
	const char **names = pe_arena_new(session->arena, const char *, n);
	const char **versions = pe_arena_new(session->arena, const char *, n);
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		const struct pe_shard_part *part = &tracking->parts.data[i];
		const struct pe_benchmark *one = session->benchmarks.data[part->benchmark];

		if (part->shard != k)
			continue;
		names[m] = one->name;
		versions[m++] = one->version;
		shard->node = part->node;
	}
	shard->names = (struct pe_strings){names, m};
	shard->versions = (struct pe_strings){versions, m};
	/* A budget of runs is shared like the benchmarks. */
	if (shard->request.max_runs > 0)
		shard->request.max_runs = (shard->request.max_runs * m + n - 1) / n;
}

/* Divide, submit, and wait for the end. @param avoid  for confirmations: elsewhere than where it was measured */
static int do_parts(struct tracking *tracking, bool avoid)
{
	struct pe_app *app = tracking->session->app;
	struct pe_farm *farm = &tracking->farm;
	const char *store = pe_arena_printf(app->arena, "%lld.db", (long long)pe_clock_file_ns());
	struct pe_shard shard = model(tracking, store);
	const size_t n = tracking->parts.n,
		     n_shards = pe_shards_divide(tracking->parts.data, n, tracking->workers);
	pe_auto_text text = PE_TEXT_INIT;
	char name[PE_HASH_HEX];

	PE_TRY(pe_store_copy(app->store,
			     pe_arena_printf(app->arena, "%s/stores/%s", farm->spool, store),
			     app->err));
	shard.request.no_confirm =
		tracking->request->no_confirm || (!avoid && tracking->workers > 1);
	farm->parts.n = 0;
	for (size_t k = 0; k < n_shards; k++) {
		struct pe_shard one = shard;

		add_benchmarks(&one, tracking, k);
		if (avoid) {
			one.avoid = one.node;
			one.node = NULL;
		}
		pe_text_clear(&text);
		pe_shard_write(&text, &one);
		PE_TRY(pe_spool_put(name, app, farm->spool, "shards", &text));
		pe_farm_add(farm, name, &one);
	}
	pe_app_note(app, "%zu benchmark%s %s handed out in %zu part%s", n, n == 1 ? "" : "s",
		    avoid    ? "with suspected changes are"
		    : n == 1 ? "is"
			     : "are",
		    n_shards, n_shards == 1 ? "" : "s");
	return pe_farm_watch(farm);
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
	const struct pe_detect_opts opts = pe_track_detect_opts(session);
	struct pe_evolution evolution;
	const int rc = pe_detect_load(&evolution, app, &opts);

	if (rc != PE_OK)
		return rc == PE_ENOTFOUND ? PE_OK : rc;
	tracking->parts.n = 0;
	for (size_t w = 0; w < session->benchmarks.n; w++) {
		const struct pe_benchmark *one = session->benchmarks.data[w];
		struct pe_shard_part part = {.benchmark = w, .seconds = NAN};

		if (!is_suspected(&evolution, one->name))
			continue;
		PE_TRY(pe_store_node_of(&part.node, app->store, session->machine_key, one->key,
					session->arena, app->err));
		pe_vec_push(&tracking->parts, part);
	}
	return tracking->parts.n > 0 ? do_parts(tracking, true) : PE_OK;
}

/* --- Tracking --- */

static int count_workers(struct tracking *tracking)
{
	struct pe_app *app = tracking->session->app;
	const struct pe_farm_plan *plan = &app->config->farm;

	PE_TRY(pe_jobs_nodes(&tracking->nodes, &tracking->farm.jobs));
	tracking->workers = 0;
	for (size_t i = 0; i < tracking->nodes.n; i++)
		tracking->workers += !pe_has_string(tracking->farm.others.at,
						    tracking->farm.others.n, tracking->nodes.at[i]);
	if (plan->nodes > 0 && tracking->workers > plan->nodes)
		tracking->workers = plan->nodes;
	if (tracking->workers == 0)
		tracking->workers = 1;
	return PE_OK;
}

static int track_new(struct tracking *tracking)
{
	struct pe_session *session = tracking->session;
	struct pe_track_plan plan;
	bool runs, elsewhere;

	PE_TRY(pe_track_plan(&plan, session, tracking->request));
	runs = plan.plan.runs > 0 &&
	       !(plan.adaptive &&
		 (plan.explored.complete || plan.explored.decided || plan.explored.runs_left == 0));
	if (!runs && plan.left.changes == 0) {
		if (plan.plan.complete > 0)
			pe_app_note(session->app, "everything in this range is measured already");
		return PE_OK;
	}
	PE_TRY(count_workers(tracking));
	PE_TRY(choose_parts(tracking, plan.left.changes > 0));
	elsewhere = tracking->workers > 1;
	if (tracking->parts.n > 0 && (runs || !elsewhere))
		PE_TRY(do_parts(tracking, false));
	return elsewhere && !tracking->request->no_confirm ? confirm(tracking) : PE_OK;
}

/* Jobs of an earlier call are waited for first: they may be all there is to do. */
static int finish_earlier(struct tracking *tracking)
{
	struct pe_farm *farm = &tracking->farm;

	PE_TRY(pe_farm_adopt(farm));
	if (farm->parts.n > 0)
		pe_app_note(tracking->session->app,
			    "waiting for %zu part%s of the work that an earlier call handed out",
			    farm->parts.n, farm->parts.n == 1 ? "" : "s");
	return pe_farm_watch(farm);
}

int pe_farm_track(struct pe_session *session, const struct pe_track_request *request, bool quick)
{
	struct pe_app *app = session->app;
	struct tracking tracking = {.session = session, .request = request, .quick = quick};
	int rc = pe_farm_open(&tracking.farm, app);

	/* Tests and suites are found in a build, here, so that all workers have the same ones. */
	if (rc == PE_OK)
		rc = pe_session_discover(session, request->bench);
	pe_session_yield(session);
	if (rc == PE_OK)
		rc = finish_earlier(&tracking);
	if (rc == PE_OK)
		rc = track_new(&tracking);
	pe_vec_release(&tracking.parts);
	pe_farm_close(&tracking.farm);
	return rc == PE_OK ? pe_track_find_changes(session) : rc;
}
