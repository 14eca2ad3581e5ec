/* Nodes: the machines of a farm, as probed, and the class that most of them are of. */
#include "app/cluster/farm.h"
#include "app/cluster/worker.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/exec/machine.h"
#include "core/json/tree.h"
#include "core/json/writer.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

static const char *node_file(const char *spool, const char *node, struct pe_arena *arena)
{
	return pe_arena_printf(arena, "%s/nodes/%s.json", spool, node);
}

int pe_farm_describe_node(struct pe_app *app, const char *spool)
{
	const char *node = pe_farm_node(app->arena);
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_json json = PE_JSON_INIT(&text);
	struct pe_machine machine = *pe_app_here(app);

	pe_machine_as_class(&machine);
	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "node", node);
	pe_json_members(&json, &machine, fingerprint, cpu, cores, memory_bytes, kernel, compilers);
	pe_json_finish(&json);
	return pe_text_write_file(&text, node_file(spool, node, app->arena), app->err);
}

static int read_node(struct pe_machine *out, struct pe_app *app, const char *path)
{
	const struct pe_json_value *top;
	pe_auto_text text = PE_TEXT_INIT;
	const char *fingerprint;

	PE_TRY(pe_text_read_file(&text, path, app->err));
	PE_TRY(pe_json_tree(&top, text.data, text.len, app->arena, app->err));
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

int pe_farm_other_nodes(struct pe_strings *out, struct pe_app *app, const char *spool,
			const struct pe_machine *machine)
{
	const char *path = pe_arena_printf(app->arena, "%s/nodes", spool);
	pe_auto_free PE_VEC(const char *) names = {NULL, 0, 0};
	const char **copy;
	struct pe_machine other;
	DIR *dir = opendir(path);

	if (dir == NULL)
		return pe_fail_errno(app->err, "cannot read %s", path);
	for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		const char *end = strstr(entry->d_name, ".json");
		const char *name = end != NULL ? pe_arena_strndup(app->arena, entry->d_name,
								  (size_t)(end - entry->d_name))
					       : NULL;

		if (name != NULL &&
		    read_node(&other, app, node_file(spool, name, app->arena)) == PE_OK &&
		    strcmp(other.fingerprint, machine->fingerprint) != 0)
			pe_vec_push(&names, name);
	}
	closedir(dir);
	copy = pe_vec_copy(app->arena, &names);
	*out = (struct pe_strings){copy, names.n};
	return PE_OK;
}

int pe_farm_choose_machine(struct pe_app *app)
{
	struct pe_machine *machine = pe_arena_new(app->arena, struct pe_machine, 1);
	const int rc = pe_store_get_farm(machine, app->store, app->arena, app->err);

	if (rc == PE_ENOTFOUND)
		return pe_fail(app->err, PE_ENOTFOUND,
			       "no machines are known yet: run 'perfevo farm init'");
	app->machine = machine;
	return rc;
}

/* --- Init --- */

/* A class of machines, and the nodes that are of it. */
struct class_of {
	struct pe_machine machine;
	size_t n;
	const char *nodes;
};

typedef PE_VEC(struct class_of) class_vec;

static void add_node(class_vec *classes, const struct pe_machine *machine, const char *node,
		     struct pe_arena *arena)
{
	size_t k = 0;

	while (k < classes->n &&
	       strcmp(classes->data[k].machine.fingerprint, machine->fingerprint) != 0)
		k++;
	if (k == classes->n)
		pe_vec_push(classes, ((struct class_of){.machine = *machine, .nodes = ""}));
	classes->data[k].nodes = pe_arena_printf(arena, "%s %s", classes->data[k].nodes, node);
	classes->data[k].n++;
}

/* All nodes are asked at the same time; one that does not answer in two minutes is left out. */
static int probe(struct pe_farm *farm, const struct pe_strings *nodes)
{
	enum { WAIT_S = 120, PAUSE_MS = 500 };
	const uint64_t since_ns = pe_clock_ns();
	struct pe_app *app = farm->app;
	size_t missing = nodes->n;

	for (size_t i = 0; i < nodes->n; i++) {
		PE_TRY(pe_files_remove(node_file(farm->spool, nodes->at[i], app->arena), app->err));
		PE_TRY(pe_jobs_submit(&farm->jobs, NULL, nodes->at[i],
				      &(struct pe_strings){NULL, 0}));
	}
	while (missing > 0 && pe_clock_ns() - since_ns < WAIT_S * UINT64_C(1000000000)) {
		if (pe_farm_pause(farm, PAUSE_MS))
			return pe_fail(app->err, PE_ESTOPPED, "stopped");
		if (pe_jobs_poll(&farm->jobs) == PE_OK &&
		    pe_jobs_find(&farm->jobs, "probe") == NULL)
			break;
		missing = 0;
		for (size_t i = 0; i < nodes->n; i++)
			missing +=
				access(node_file(farm->spool, nodes->at[i], app->arena), F_OK) != 0;
	}
	if (missing > 0)
		pe_jobs_cancel(&farm->jobs);
	return PE_OK;
}

static int choose_class(struct pe_app *app, const class_vec *classes, struct pe_text *out)
{
	size_t best = 0;
	int64_t key;

	for (size_t k = 0; k < classes->n; k++) {
		const struct pe_machine *one = &classes->data[k].machine;

		best = classes->data[k].n > classes->data[best].n ? k : best;
		pe_text_addf(out, "%.8s  %s:%s\n", one->fingerprint,
			     pe_machine_describe(one, app->arena), classes->data[k].nodes);
	}
	if (classes->n == 0)
		return pe_fail(app->err, PE_ENOTFOUND,
			       "no node answered: 'sinfo' and the spool's logs say more");
	PE_TRY(pe_store_put_machine(&key, app->store, &classes->data[best].machine, app->err));
	PE_TRY(pe_store_set_farm(app->store, key, app->err));
	if (classes->n > 1)
		pe_text_addf(out,
			     "measured on: %.8s; the others get no work ('farm: constraint:' "
			     "chooses)\n",
			     classes->data[best].machine.fingerprint);
	return PE_OK;
}

int pe_farm_init(struct pe_app *app, struct pe_text *out)
{
	pe_auto_farm farm = {.app = NULL};
	pe_auto_free class_vec classes = {NULL, 0, 0};
	struct pe_machine machine;
	struct pe_strings nodes;

	PE_TRY(pe_farm_open(&farm, app));
	PE_TRY(pe_jobs_nodes(&nodes, &farm.jobs));
	PE_TRY(probe(&farm, &nodes));
	for (size_t i = 0; i < nodes.n; i++) {
		if (read_node(&machine, app, node_file(farm.spool, nodes.at[i], app->arena)) ==
		    PE_OK)
			add_node(&classes, &machine, nodes.at[i], app->arena);
		else
			pe_text_addf(out, "no answer: %s (%s)\n", nodes.at[i], app->err->message);
	}
	return choose_class(app, &classes, out);
}
