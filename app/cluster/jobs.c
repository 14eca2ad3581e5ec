/* What a coordinator remembers in its spool, so that the next one goes on where it ended. */
#include "app/cluster/farm.h"

#include "core/base/array.h"
#include "core/json/tree.h"
#include "core/json/writer.h"

#include <stdio.h>
#include <string.h>

enum { FORMAT = 1 };

static const char *path_of(const struct pe_farm *farm, struct pe_arena *arena)
{
	return pe_arena_printf(arena, "%s/jobs", farm->spool);
}

static void write_work(struct pe_json *json, const struct pe_farm_work *work)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "shard", work->name);
	pe_json_put(json, "job", (const char *)work->job.id);
	pe_json_put(json, "pin", work->job.node);
	pe_json_put(json, "node", (const char *)work->job.seen_on);
	pe_json_members(json, work, failures, lost, stopped, known, moved, said);
	pe_json_bool(json, "waits", work->waits_ns > 0);
	pe_json_end(json);
}

static void write_node(struct pe_json *json, const struct pe_farm_node *node)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "name", (const char *)node->name);
	pe_json_members(json, node, failures, excluded, said);
	pe_json_end(json);
}

int pe_farm_write_jobs(struct pe_farm *farm)
{
	pe_auto_arena scratch = PE_ARENA_INIT;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_json json = PE_JSON_INIT(&text);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", FORMAT);
	pe_json_put(&json, "how", farm->how);
	pe_json_begin_rows(&json, "work");
	for (size_t i = 0; i < farm->work.n; i++)
		if (!farm->work.data[i].done && !farm->work.data[i].given_up)
			write_work(&json, &farm->work.data[i]);
	pe_json_end(&json);
	pe_json_each_row(&json, "nodes", i, farm->nodes.n, write_node(&json, &farm->nodes.data[i]));
	pe_json_finish(&json);
	return pe_text_write_file(&text, path_of(farm, &scratch), farm->app->err);
}

struct pe_farm_node *pe_farm_node_of(struct pe_farm *farm, const char *name)
{
	struct pe_farm_node fresh = {.failures = 0};

	for (size_t i = 0; i < farm->nodes.n; i++)
		if (strcmp(farm->nodes.data[i].name, name) == 0)
			return &farm->nodes.data[i];
	snprintf(fresh.name, sizeof(fresh.name), "%s", name);
	pe_vec_push(&farm->nodes, fresh);
	return &farm->nodes.data[farm->nodes.n - 1];
}

static void copy_text(char *out, size_t size, const struct pe_json_value *from)
{
	const char *text = pe_json_string(from);

	snprintf(out, size, "%s", text != NULL ? text : "");
}

static void read_work(struct pe_farm *farm, const struct pe_json_value *from)
{
	struct pe_farm_work work = {
		.name = pe_json_string(pe_json_member(from, "shard")),
		.failures = (unsigned)pe_json_whole(pe_json_member(from, "failures"), 0),
		.lost = (unsigned)pe_json_whole(pe_json_member(from, "lost"), 0),
		.stopped = pe_json_true(pe_json_member(from, "stopped")),
		.known = (size_t)pe_json_whole(pe_json_member(from, "known"), 0),
		.moved = pe_json_true(pe_json_member(from, "moved")),
		.said = pe_json_string(pe_json_member(from, "said")),
	};

	if (work.name == NULL)
		return;
	work.job.shard = work.name;
	work.job.node = pe_json_string(pe_json_member(from, "pin"));
	if (farm->how == PE_FARM_SLURM)
		copy_text(work.job.id, sizeof(work.job.id), pe_json_member(from, "job"));
	copy_text(work.job.seen_on, sizeof(work.job.seen_on), pe_json_member(from, "node"));
	work.job.without_node = pe_json_true(pe_json_member(from, "waits"));
	work.job.state = work.job.id[0] != '\0' ? PE_JOB_WAITING : PE_JOB_NONE;
	pe_vec_push(&farm->work, work);
}

static void read_node(struct pe_farm *farm, const struct pe_json_value *from)
{
	const char *name = pe_json_string(pe_json_member(from, "name"));
	struct pe_farm_node *node;

	if (name == NULL)
		return;
	node = pe_farm_node_of(farm, name);
	node->failures = (unsigned)pe_json_whole(pe_json_member(from, "failures"), 0);
	node->excluded = pe_json_true(pe_json_member(from, "excluded"));
	node->said = pe_json_string(pe_json_member(from, "said"));
}

int pe_farm_read_jobs(struct pe_farm *farm)
{
	struct pe_app *app = farm->app;
	const struct pe_json_value *top, *work, *nodes;
	const char *path = path_of(farm, app->arena);
	pe_auto_text text = PE_TEXT_INIT;
	int64_t how;
	int rc = pe_text_read_file(&text, path, NULL);

	if (rc == PE_ENOTFOUND)
		return PE_OK;
	if (rc != PE_OK)
		return pe_fail(app->err, rc, "cannot read %s", path);
	rc = pe_json_tree(&top, text.data, text.len, app->arena, app->err);
	if (rc == PE_OK && pe_json_whole(pe_json_member(top, "format"), 0) != FORMAT)
		rc = pe_fail(app->err, PE_EUNSUPPORTED, "it is of another version of perfevo");
	if (rc != PE_OK) {
		pe_err_context(app->err, "%s (remove it when none of its jobs is left)", path);
		return rc;
	}
	work = pe_json_member(top, "work");
	nodes = pe_json_member(top, "nodes");
	how = pe_json_whole(pe_json_member(top, "how"), 0);
	if (pe_json_length(work) > 0 && how == PE_FARM_SLURM && farm->how == PE_FARM_LOCAL)
		return pe_fail(app->err, PE_EBUSY,
			       "%s has work that Slurm was given: 'perfevo farm stop' ends it",
			       farm->spool);
	/* Children ended with the coordinator that had them. */
	for (size_t i = 0; how == farm->how && i < pe_json_length(work); i++)
		read_work(farm, pe_json_element(work, i));
	for (size_t i = 0; i < pe_json_length(nodes); i++)
		read_node(farm, pe_json_element(nodes, i));
	return PE_OK;
}
