/* Names for addresses: each distinct address of each distinct file is resolved once, for all nodes and processes. */
#include "analysis/profile/trace_reader.h"

#include <stdlib.h>
#include <string.h>

uint32_t pe_trace_names_object(struct pe_trace_names *names, const char *path, const char *build_id)
{
	for (size_t i = 0; i < names->objects.n; i++)
		if (strcmp(names->objects.data[i].path, path) == 0 &&
		    strcmp(names->objects.data[i].build_id, build_id) == 0)
			return (uint32_t)i + 1;
	pe_vec_push(&names->objects, (struct pe_trace_object){path, build_id});
	return (uint32_t)names->objects.n;
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

static const struct pe_trace_name *nowhere(struct pe_trace_names *names)
{
	struct pe_frame frame = {.name = "(code that lies in no file)", .kind = PE_FRAME_UNKNOWN};

	if (!names->nowhere_added) {
		names->nowhere.frame = pe_frames_add(names->frames, &frame);
		names->nowhere_added = true;
	}
	return &names->nowhere;
}

int pe_trace_names_function(const struct pe_trace_name **out, struct pe_trace_names *names,
			    const struct pe_module *module, uint32_t object, uint64_t address,
			    struct pe_err *err)
{
	struct pe_symbols symbols;
	struct pe_trace_name name;
	const uint32_t *found;
	uint64_t relative;
	int rc;

	if (module == NULL) {
		*out = nowhere(names);
		return PE_OK;
	}
	relative = (address - module->bias) & PE_TRACE_ADDRESS;
	found = pe_map_find(&names->function_numbers, object, relative);
	if (found == NULL) {
		rc = resolve(&symbols, names, module, address - module->bias, err);
		if (rc != PE_OK)
			return rc;
		name = (struct pe_trace_name){
			.frame = pe_frames_add(names->frames, &symbols.at[0].frame),
			.line = symbols.at[0].line,
			.inlined = symbols.n > 1,
			.outer = symbols.n > 1 ? symbols.at[1].line : 0,
		};
		found = pe_map_put(&names->function_numbers, object, relative,
				   (uint32_t)names->functions.n, NULL);
		pe_vec_push(&names->functions, name);
	}
	*out = &names->functions.data[*found];
	return PE_OK;
}

int pe_trace_names_site(uint32_t *line, struct pe_trace_names *names,
			const struct pe_module *module, uint32_t object, uint64_t address,
			struct pe_err *err)
{
	struct pe_symbols symbols;
	const uint32_t *found;
	uint64_t relative;
	int rc;

	*line = 0;
	if (module == NULL)
		return PE_OK;
	relative = (address - module->bias) & PE_TRACE_ADDRESS;
	found = pe_map_find(&names->site_lines, object, relative);
	if (found == NULL) {
		rc = resolve(&symbols, names, module, address - module->bias, err);
		if (rc != PE_OK)
			return rc;
		found = pe_map_put(&names->site_lines, object, relative, symbols.at[0].line, NULL);
	}
	*line = *found;
	return PE_OK;
}

void pe_trace_names_release(struct pe_trace_names *names)
{
	pe_vec_release(&names->functions);
	pe_map_release(&names->function_numbers);
	pe_map_release(&names->site_lines);
	pe_vec_release(&names->objects);
}
