/* Status: what a farm is doing, and what its nodes are like. Reads alone: a coordinator may be at work. */
#include "app/cluster/farm.h"
#include "app/cluster/shard.h"
#include "core/base/files.h"
#include "core/exec/machine.h"
#include "core/json/writer.h"

#include <string.h>
#include <unistd.h>

/* What is written, for people and for programs at the same time. */
struct status {
	struct pe_app *app;
	const char *spool;
	struct pe_text *text;
	struct pe_json json;
	size_t n_work;
};

/* @param machine  the class; NULL: none is known yet */
static void add_class(struct status *status, const struct pe_machine *machine)
{
	if (machine != NULL)
		pe_text_addf(status->text, "class %.8s: %s\n", machine->fingerprint,
			     pe_machine_describe(machine, status->app->arena));
	else
		pe_text_add(status->text, "no machines are known yet: run 'perfevo farm init'\n");
	if (pe_json_begin_maybe(&status->json, "class", machine != NULL)) {
		pe_json_members(&status->json, machine, cpu, cores, memory_bytes, kernel,
				compilers);
		pe_json_put(&status->json, "fingerprint", (const char *)machine->fingerprint);
		pe_json_end(&status->json);
	}
}

static int add_work(struct status *status, const struct pe_job *job)
{
	struct pe_app *app = status->app;
	struct pe_json *json = &status->json;
	struct pe_shard shard;
	const char *waits;
	size_t pieces;

	/* A probe is no work. */
	if (pe_shard_get(&shard, app, status->spool, job->shard, app->arena) != PE_OK)
		return PE_OK;
	PE_TRY(pe_store_count_pieces(&pieces, app->store, job->shard, app->err));
	waits = job->lacks_node ? shard.node : NULL;
	status->n_work++;
	pe_text_addf(status->text,
		     "part %.8s: %zu benchmark%s, %zu commits, job %s%s%s, %zu piece%s", job->shard,
		     shard.names.n, shard.names.n == 1 ? "" : "s", shard.revisions.n, job->id,
		     job->node[0] != '\0' ? " on " : "", job->node, pieces, pieces == 1 ? "" : "s");
	if (waits != NULL)
		pe_text_addf(status->text, ", waits for %s, which is down or drained", waits);
	pe_text_addc(status->text, '\n');
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", (const char *)job->shard);
	pe_json_put(json, "job", (const char *)job->id);
	pe_json_put(json, "node", (const char *)job->node);
	pe_json_put(json, "benchmarks", shard.names.n);
	pe_json_put(json, "revisions", shard.revisions.n);
	pe_json_put(json, "pieces", pieces);
	pe_json_put(json, "waits", waits);
	pe_json_end(json);
	return PE_OK;
}

static void add_node(struct status *status, const struct pe_stored_node *node, bool excluded)
{
	pe_text_addf(status->text, "node %s: %zu runs of %zu benchmarks in %zu batches%s\n",
		     node->name, node->runs, node->benchmarks, node->batches,
		     excluded ? "; gets no work: it is of another class" : "");
	pe_json_begin_object(&status->json, NULL);
	pe_json_members(&status->json, node, name, batches, runs, benchmarks, last_run_s);
	pe_json_bool(&status->json, "excluded", excluded);
	pe_json_end(&status->json);
}

static int add_nodes(struct status *status, const struct pe_stored_machine *class)
{
	struct pe_app *app = status->app;
	struct pe_strings others = {NULL, 0};
	struct pe_stored_node *nodes;
	size_t n;

	PE_TRY(pe_store_nodes(&nodes, &n, app->store, class->key, app->arena, app->err));
	if (access(status->spool, F_OK) == 0)
		PE_TRY(pe_farm_other_nodes(&others, app, status->spool, &class->machine));
	for (size_t i = 0; i < n; i++)
		add_node(status, &nodes[i], false);
	for (size_t i = 0; i < others.n; i++)
		add_node(status, &(struct pe_stored_node){.name = others.at[i]}, true);
	return PE_OK;
}

static bool is_coordinated(const struct status *status)
{
	pe_auto_fd lock = -1;

	return access(status->spool, F_OK) == 0 &&
	       pe_spool_lock(&lock, status->app, status->spool) == PE_EBUSY;
}

static int write_all(struct status *status, const struct pe_jobs *jobs, const char *silence)
{
	struct pe_app *app = status->app;
	const bool coordinated = is_coordinated(status);
	const struct pe_stored_machine *class = NULL;
	struct pe_stored_machine *machines;
	size_t n;

	PE_TRY(pe_store_machines(&machines, &n, app->store, app->arena, app->err));
	for (size_t i = 0; i < n; i++)
		class = machines[i].farm ? &machines[i] : class;
	pe_json_put(&status->json, "format", 1);
	pe_json_put(&status->json, "spool", status->spool);
	add_class(status, class != NULL ? &class->machine : NULL);
	pe_json_bool(&status->json, "coordinated", coordinated);
	pe_json_begin_rows(&status->json, "work");
	for (size_t i = 0; i < jobs->at.n; i++)
		PE_TRY(add_work(status, &jobs->at.data[i]));
	pe_json_end(&status->json);
	if (silence != NULL)
		pe_text_addf(status->text, "the queue cannot be asked: %s\n", silence);
	else if (status->n_work == 0)
		pe_text_add(status->text, "no work is handed out\n");
	else if (!coordinated)
		pe_text_add(status->text,
			    "nobody waits for it: 'perfevo track --farm slurm' takes it in\n");
	pe_json_begin_rows(&status->json, "nodes");
	return class != NULL ? add_nodes(status, class) : PE_OK;
}

/* { "format": 1, "spool", "class": null or what it is, "coordinated", "work": [...], "nodes": [...] } */
int pe_farm_status(struct pe_text *text, struct pe_text *document, struct pe_app *app)
{
	struct status status = {.app = app,
				.spool = pe_spool_path(app),
				.text = text,
				.json = PE_JSON_INIT(document)};
	const char *silence = NULL;
	struct pe_jobs jobs;
	int rc;

	pe_json_begin_object(&status.json, NULL);
	pe_jobs_open(&jobs, app, status.spool);
	if (pe_jobs_poll(&jobs) != PE_OK)
		silence = pe_arena_strdup(app->arena, app->err->message);
	rc = write_all(&status, &jobs, silence);
	pe_json_finish(&status.json);
	pe_jobs_close(&jobs);
	return rc;
}
