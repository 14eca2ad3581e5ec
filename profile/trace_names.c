/* Each distinct address of each distinct file is named once, whatever the number of nodes and processes. */
#include "profile/trace_reader.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024, OBJECT_SHIFT = 48 };

uint32_t pe_trace_names_object(struct pe_trace_names *names, const char *path, const char *build_id)
{
	for (size_t i = 0; i < names->objects.n; i++)
		if (strcmp(names->objects.data[i].path, path) == 0 &&
		    strcmp(names->objects.data[i].build_id, build_id) == 0)
			return (uint32_t)i + 1;
	pe_vec_push(&names->objects, (struct pe_trace_object){path, build_id});
	return (uint32_t)names->objects.n;
}

static struct pe_trace_name *find_slot(const struct pe_trace_table *table, uint64_t key)
{
	uint32_t mask = table->size - 1;
	uint32_t at = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;

	while (table->at[at].key != 0 && table->at[at].key != key)
		at = (at + 1) & mask;
	return &table->at[at];
}

static void grow(struct pe_trace_table *table)
{
	struct pe_trace_table old = *table;

	table->size = old.size != 0 ? 2 * old.size : FIRST_SLOTS;
	table->at = pe_realloc(NULL, table->size, sizeof(*table->at));
	memset(table->at, 0, table->size * sizeof(*table->at));
	for (uint32_t i = 0; i < old.size; i++)
		if (old.at[i].key != 0)
			*find_slot(table, old.at[i].key) = old.at[i];
	free(old.at);
}

static int resolve(struct pe_symbols *out, struct pe_trace_names *names,
		   const struct pe_module *module, uint64_t address, struct pe_err *err)
{
	const struct pe_symbolizer *symbolizer = names->symbolizer;
	int rc = symbolizer->resolve(out, module, address - 1, symbolizer->payload, err);

	if (rc == PE_OK && out->n == 0)
		return pe_fail(err, PE_ESYS, "no answer for an address in %s", module->path);
	return rc;
}

/* The slot for an address, and whether it is filled. */
static struct pe_trace_name *look_up(struct pe_trace_table *table, uint64_t key, bool *known)
{
	struct pe_trace_name *name;

	if (table->n >= table->size / 2)
		grow(table);
	name = find_slot(table, key);
	*known = name->key == key;
	return name;
}

static const struct pe_trace_name *nowhere(struct pe_trace_names *names)
{
	struct pe_frame frame = {.name = "(code that lies in no file)", .kind = PE_FRAME_UNKNOWN};

	if (names->nowhere.key == 0) {
		names->nowhere.frame = pe_frames_add(names->frames, &frame);
		names->nowhere.key = 1;
	}
	return &names->nowhere;
}

static uint64_t make_key(uint32_t object, uint64_t address)
{
	return (uint64_t)object << OBJECT_SHIFT | (address & PE_TRACE_ADDRESS);
}

int pe_trace_names_function(const struct pe_trace_name **out, struct pe_trace_names *names,
			    const struct pe_module *module, uint32_t object, uint64_t address,
			    struct pe_err *err)
{
	struct pe_symbols symbols;
	struct pe_trace_name *name;
	uint64_t relative;
	bool known;
	int rc;

	if (module == NULL) {
		*out = nowhere(names);
		return PE_OK;
	}
	relative = address - module->bias;
	*out = name = look_up(&names->functions, make_key(object, relative), &known);
	if (known)
		return PE_OK;
	rc = resolve(&symbols, names, module, relative, err);
	if (rc != PE_OK)
		return rc;
	name->key = make_key(object, relative);
	name->frame = pe_frames_add(names->frames, &symbols.at[0].frame);
	name->line = symbols.at[0].line;
	name->inlined = symbols.n > 1;
	name->outer = symbols.n > 1 ? symbols.at[1].line : 0;
	names->functions.n++;
	return PE_OK;
}

int pe_trace_names_site(uint32_t *line, struct pe_trace_names *names,
			const struct pe_module *module, uint32_t object, uint64_t address,
			struct pe_err *err)
{
	struct pe_symbols symbols;
	struct pe_trace_name *name;
	uint64_t relative;
	bool known;
	int rc;

	*line = 0;
	if (module == NULL)
		return PE_OK;
	relative = address - module->bias;
	name = look_up(&names->sites, make_key(object, relative), &known);
	if (!known) {
		rc = resolve(&symbols, names, module, relative, err);
		if (rc != PE_OK)
			return rc;
		name->key = make_key(object, relative);
		name->line = symbols.at[0].line;
		names->sites.n++;
	}
	*line = name->line;
	return PE_OK;
}

void pe_trace_names_release(struct pe_trace_names *names)
{
	free(names->functions.at);
	free(names->sites.at);
	pe_vec_release(&names->objects);
}
