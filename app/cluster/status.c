#include "app/cluster/status.h"

#include "app/cluster/shard.h"
#include "core/json/writer.h"

#include <string.h>
#include <unistd.h>

static int add_work(struct pe_farm_status *out, struct pe_app *app, const struct pe_job *job)
{
	struct pe_farm_status_work *work = &out->work[out->n_work];
	struct pe_shard shard;

	/* A probe is no work. */
	if (pe_shard_get(&shard, app, out->spool, job->shard, app->arena) != PE_OK)
		return PE_OK;
	out->n_work++;
	*work = (struct pe_farm_status_work){
		.name = pe_arena_strdup(app->arena, job->shard),
		.job = pe_arena_strdup(app->arena, job->id),
		.node = pe_arena_strdup(app->arena, job->node),
		.benchmarks = shard.names.n,
		.revisions = shard.revisions.n,
		.waits = job->lacks_node ? shard.node : NULL,
	};
	return pe_store_count_pieces(&work->pieces, app->store, work->name, app->err);
}

static int add_nodes(struct pe_farm_status *out, struct pe_app *app)
{
	struct pe_strings others = {NULL, 0};
	struct pe_stored_machine *machines;
	struct pe_stored_node *stored;
	size_t n_machines, n;

	PE_TRY(pe_store_machines(&machines, &n_machines, app->store, app->arena, app->err));
	for (size_t i = 0; i < n_machines; i++) {
		if (!machines[i].farm)
			continue;
		out->has_class = true;
		out->machine = machines[i].machine;
		PE_TRY(pe_store_nodes(&stored, &n, app->store, machines[i].key, app->arena,
				      app->err));
		if (access(out->spool, F_OK) == 0)
			PE_TRY(pe_farm_other_nodes(&others, app, out->spool, &out->machine));
		out->nodes = pe_arena_new(app->arena, struct pe_farm_status_node, n + others.n);
		for (size_t k = 0; k < n; k++)
			out->nodes[k].stored = stored[k];
		for (size_t k = 0; k < others.n; k++)
			out->nodes[n + k] = (struct pe_farm_status_node){
				.stored.name = others.at[k], .excluded = true};
		out->n_nodes = n + others.n;
	}
	return PE_OK;
}

int pe_farm_status(struct pe_farm_status *out, struct pe_app *app)
{
	struct pe_jobs jobs;
	int lock, rc = PE_OK;

	*out = (struct pe_farm_status){.spool = pe_spool_path(app)};
	pe_jobs_open(&jobs, app, out->spool);
	if (pe_jobs_poll(&jobs) != PE_OK)
		out->silence = pe_arena_strdup(app->arena, app->err->message);
	out->work = pe_arena_new(app->arena, struct pe_farm_status_work, jobs.at.n);
	for (size_t i = 0; rc == PE_OK && i < jobs.at.n; i++)
		rc = add_work(out, app, &jobs.at.data[i]);
	if (rc == PE_OK)
		rc = add_nodes(out, app);
	if (rc == PE_OK && access(out->spool, F_OK) == 0) {
		out->is_coordinated = pe_spool_lock(&lock, app, out->spool) == PE_EBUSY;
		if (!out->is_coordinated)
			close(lock);
	}
	pe_jobs_close(&jobs);
	return rc;
}

void pe_farm_status_text(struct pe_text *out, const struct pe_farm_status *status)
{
	if (status->has_class)
		pe_text_addf(
			out, "class %.8s: %s, %u cores, %llu GiB, %s\n",
			status->machine.fingerprint, status->machine.cpu, status->machine.cores,
			(unsigned long long)((status->machine.memory_bytes + (1u << 29)) >> 30),
			status->machine.kernel);
	else
		pe_text_add(out, "no machines are known yet: run 'perfevo farm init'\n");
	for (size_t i = 0; i < status->n_work; i++) {
		const struct pe_farm_status_work *one = &status->work[i];

		pe_text_addf(out,
			     "part %.8s: %zu benchmark%s, %zu commits, job %s%s%s, %zu piece%s",
			     one->name, one->benchmarks, one->benchmarks == 1 ? "" : "s",
			     one->revisions, one->job, one->node[0] != '\0' ? " on " : "",
			     one->node, one->pieces, one->pieces == 1 ? "" : "s");
		if (one->waits != NULL)
			pe_text_addf(out, ", waits for %s, which is down or drained", one->waits);
		pe_text_addc(out, '\n');
	}
	if (status->silence != NULL)
		pe_text_addf(out, "the queue cannot be asked: %s\n", status->silence);
	else if (status->n_work == 0)
		pe_text_add(out, "no work is handed out\n");
	else if (!status->is_coordinated)
		pe_text_add(out, "nobody waits for it: 'perfevo track --farm slurm' takes it in\n");
	for (size_t i = 0; i < status->n_nodes; i++) {
		const struct pe_farm_status_node *one = &status->nodes[i];

		pe_text_addf(out, "node %s: %zu runs of %zu benchmarks in %zu batches",
			     one->stored.name, one->stored.runs, one->stored.benchmarks,
			     one->stored.batches);
		if (one->excluded)
			pe_text_add(out, "; gets no work: it is of another class");
		pe_text_addc(out, '\n');
	}
}

static void write_work(struct pe_json *json, const struct pe_farm_status_work *one)
{
	pe_json_begin_object(json, NULL);
	pe_json_members(json, one, name, job, node, benchmarks, revisions, pieces);
	pe_json_put(json, "waits", one->waits);
	pe_json_end(json);
}

static void write_node(struct pe_json *json, const struct pe_farm_status_node *one)
{
	pe_json_begin_object(json, NULL);
	pe_json_members(json, &one->stored, name, batches, runs, benchmarks, last_run_s);
	pe_json_members(json, one, excluded);
	pe_json_end(json);
}

/* { "format": 1, "spool", "class": null or what it is, "coordinated", "work": [...], "nodes": [...] } */
void pe_farm_status_json(struct pe_text *out, const struct pe_farm_status *status)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_json_put(&json, "spool", status->spool);
	if (pe_json_begin_maybe(&json, "class", status->has_class)) {
		pe_json_members(&json, &status->machine, cpu, cores, memory_bytes, kernel,
				compilers);
		pe_json_put(&json, "fingerprint", (const char *)status->machine.fingerprint);
		pe_json_end(&json);
	}
	pe_json_bool(&json, "coordinated", status->is_coordinated);
	pe_json_each_row(&json, "work", i, status->n_work, write_work(&json, &status->work[i]));
	pe_json_each_row(&json, "nodes", i, status->n_nodes, write_node(&json, &status->nodes[i]));
	pe_json_finish(&json);
}
