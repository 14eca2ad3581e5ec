/*
 * From trees of addresses to one tree of frames. Each address of each module is resolved once, to the chain
 * of methods that it lies in, outermost first; a node of a file then becomes a path of that length below what
 * its parent became.
 *
 *	struct chain    the methods of one address
 *	struct names    all chains, by module and address
 *	struct place    what a node of a file became
 *	struct reading  what goes through all files
 */
#include "profile/samples.h"

#include "profile/samples_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OWN_PREFIX "libperfevo_"

struct step {
	uint32_t frame, line;
};

struct chain {
	uint64_t address; /* in the module's own addresses */
	uint32_t module;
	uint32_t first, n; /* of the steps; none where the module is one of ours */
};

/* What a node of a file became. */
struct place {
	uint32_t node, line; /* in the tree; where in its innermost method the next call is */
	uint64_t generation; /* of the modules that the addresses below are in */
	bool cut;            /* the stack lacks its beginning */
};

struct known_module {
	const char *path, *build_id;
	bool own;
};

struct names {
	PE_VEC(struct known_module) modules;
	PE_VEC(struct chain) chains;
	PE_VEC(struct step) steps;
	uint32_t *slots; /* chain + 1, or 0 */
	uint32_t n_slots;
};

struct reading {
	struct pe_cct_builder *builder;
	struct pe_frames *frames;
	const struct pe_symbolizer *symbolizer;
	struct pe_samples_info info;
	struct names names;
	struct pe_arena *arena;
	unsigned clocks; /* bits by enum pe_samples_clock */
	/* Of the file in hand: the number that each of its modules has in names. */
	PE_VEC(uint32_t) modules;
	/* Of the thread in hand, by node. */
	PE_VEC(struct place) became;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static void add_module(struct reading *reading, const struct pe_samples_module *module)
{
	struct names *names = &reading->names;
	const char *path = pe_samples_module_path(module);
	char hex[2 * PE_SAMPLES_BUILD_ID + 1] = "";

	for (uint32_t i = 0; i < module->n_build_id; i++) {
		hex[2 * i] = "0123456789abcdef"[module->build_id[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[module->build_id[i] & 15];
		hex[2 * i + 2] = '\0';
	}
	for (uint32_t i = 0; i < names->modules.n; i++)
		if (strcmp(names->modules.data[i].path, path) == 0 &&
		    strcmp(names->modules.data[i].build_id, hex) == 0) {
			pe_vec_push(&reading->modules, i);
			return;
		}
	pe_vec_push(&reading->modules, (uint32_t)names->modules.n);
	pe_vec_push(&names->modules,
		    (struct known_module){
			    .path = pe_arena_strdup(reading->arena, path),
			    .build_id = pe_arena_strdup(reading->arena, hex),
			    .own = strncmp(base_name(path), OWN_PREFIX, strlen(OWN_PREFIX)) == 0,
		    });
}

static uint32_t *find_chain(const struct names *names, uint32_t module, uint64_t address)
{
	uint64_t hash = (address + module) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t mask = names->n_slots - 1;

	for (uint32_t at = (uint32_t)(hash >> 32) & mask;; at = (at + 1) & mask) {
		const struct chain *chain;

		if (names->slots[at] == 0)
			return &names->slots[at];
		chain = &names->chains.data[names->slots[at] - 1];
		if (chain->module == module && chain->address == address)
			return &names->slots[at];
	}
}

static void grow(struct names *names)
{
	if (2 * (names->chains.n + 1) <= names->n_slots)
		return;
	names->n_slots = names->n_slots != 0 ? 2 * names->n_slots : 1024;
	names->slots = pe_realloc(names->slots, names->n_slots, sizeof(*names->slots));
	memset(names->slots, 0, names->n_slots * sizeof(*names->slots));
	for (uint32_t i = 0; i < names->chains.n; i++)
		*find_chain(names, names->chains.data[i].module, names->chains.data[i].address) =
			i + 1;
}

/* Code that belongs to no file: made while the program ran. */
static uint32_t add_nowhere(struct reading *reading)
{
	struct pe_frame frame = {.name = "(generated code)", .kind = PE_FRAME_UNKNOWN};

	return pe_frames_add(reading->frames, &frame);
}

static int resolve(struct reading *reading, struct chain *chain, const struct pe_module *module,
		   struct pe_err *err)
{
	struct names *names = &reading->names;
	struct pe_symbols symbols = {0};
	int rc;

	chain->first = (uint32_t)names->steps.n;
	if (module == NULL) {
		pe_vec_push(&names->steps, (struct step){.frame = add_nowhere(reading)});
	} else if (!names->modules.data[chain->module].own) {
		rc = reading->symbolizer->resolve(&symbols, module, chain->address,
						  reading->symbolizer->payload, err);
		if (rc != PE_OK)
			return rc;
		for (size_t i = symbols.n; i-- > 0;)
			pe_vec_push(&names->steps,
				    (struct step){
					    pe_frames_add(reading->frames, &symbols.at[i].frame),
					    symbols.at[i].line,
				    });
	}
	chain->n = (uint32_t)names->steps.n - chain->first;
	return PE_OK;
}

/* The module that was at an address in a generation; the number of them where there is none. */
static size_t find_module(const struct pe_samples_file *file, uint64_t address, uint64_t generation)
{
	size_t i = 0;

	while (i < file->modules.n &&
	       (file->modules.data[i]->generation != generation ||
		address < file->modules.data[i]->start || address >= file->modules.data[i]->end))
		i++;
	return i;
}

static int name_address(const struct chain **out, struct reading *reading,
			const struct pe_samples_file *file, uint64_t address, uint64_t generation,
			struct pe_err *err)
{
	struct names *names = &reading->names;
	size_t index = find_module(file, address, generation);
	struct chain chain = {.address = address, .module = PE_CCT_NONE};
	struct pe_module module = {0};
	uint32_t *slot;
	int rc;

	if (index < file->modules.n) {
		const struct pe_samples_module *found = file->modules.data[index];
		const struct known_module *known;

		chain.module = reading->modules.data[index];
		chain.address -= found->bias;
		known = &names->modules.data[chain.module];
		module = (struct pe_module){known->path, known->build_id, found->start, found->end,
					    found->bias};
	}
	grow(names);
	slot = find_chain(names, chain.module, chain.address);
	if (*slot == 0) {
		rc = resolve(reading, &chain, module.path != NULL ? &module : NULL, err);
		if (rc != PE_OK)
			return rc;
		pe_vec_push(&names->chains, chain);
		*slot = (uint32_t)names->chains.n;
	}
	*out = &names->chains.data[*slot - 1];
	return PE_OK;
}

/* A node without a parent: the process, or beneath it the place of stacks without their beginning. */
static void begin_stacks(struct reading *reading, uint32_t process,
			 const struct pe_samples_node *node)
{
	struct pe_frame frame = {.name = PE_SAMPLES_CUT_NAME, .kind = PE_FRAME_UNKNOWN};
	struct place place = {
		.node = process,
		.generation = node->address,
		.cut = node->parent == PE_SAMPLES_CUT,
	};

	if (place.cut) {
		place.node = pe_cct_builder_child(reading->builder, process,
						  pe_frames_add(reading->frames, &frame), 0);
		pe_cct_builder_flag(reading->builder, place.node, PE_CCT_CUT);
	}
	pe_vec_push(&reading->became, place);
}

static void add_stack(struct reading *reading, const struct chain *chain,
		      const struct pe_samples_node *node)
{
	struct place place = reading->became.data[node->parent];

	for (uint32_t i = 0; i < chain->n; i++) {
		const struct step *step = &reading->names.steps.data[chain->first + i];

		place.node =
			pe_cct_builder_child(reading->builder, place.node, step->frame, place.line);
		place.line = step->line;
	}
	if (chain->n == 0) {
		place.line = 0; /* through our own code no call site is to be seen */
		reading->info.hooks += node->samples;
	} else {
		pe_cct_builder_at(reading->builder, place.node)->samples += node->samples;
		reading->info.samples += node->samples;
		reading->info.cut += place.cut ? node->samples : 0;
	}
	pe_vec_push(&reading->became, place);
}

static int add_node(struct reading *reading, const struct pe_samples_file *file, uint32_t process,
		    const struct pe_samples_node *node, struct pe_err *err)
{
	const struct chain *chain;
	int rc;

	if (node->parent >= PE_SAMPLES_CUT) {
		begin_stacks(reading, process, node);
		return PE_OK;
	}
	if (node->parent >= reading->became.n)
		return pe_fail(
			err, PE_EINVALID,
			"offset %zu: a node behind its parent expected; take the samples again",
			(size_t)((const char *)node - file->bytes));
	rc = name_address(&chain, reading, file, node->address,
			  reading->became.data[node->parent].generation, err);
	if (rc == PE_OK)
		add_stack(reading, chain, node);
	return rc;
}

static int add_threads(struct reading *reading, const struct pe_samples_file *file,
		       uint32_t process, struct pe_err *err)
{
	for (size_t i = 0; i < file->chunks.n; i++) {
		const struct pe_samples_chunk *chunk = file->chunks.data[i];

		if (chunk->sequence == 0)
			reading->became.n = 0;
		for (uint32_t j = 0; j < chunk->used; j++) {
			int rc = add_node(reading, file, process, &pe_samples_nodes(chunk)[j], err);

			if (rc != PE_OK)
				return rc;
		}
	}
	return PE_OK;
}

static void add_facts(struct reading *reading, const struct pe_samples_header *header)
{
	struct pe_samples_info *info = &reading->info;

	if (info->processes == 0)
		info->interval_ns = header->interval_ns;
	else if (info->interval_ns != header->interval_ns)
		info->interval_ns = 0;
	info->processes++;
	info->threads += header->threads;
	info->lost += header->lost;
	reading->clocks |= 1u << (header->clock <= PE_SAMPLES_TIMER ? header->clock : 0);
	if ((header->flags & PE_SAMPLES_MIXED) != 0)
		reading->clocks |= 1u << PE_SAMPLES_PERF | 1u << PE_SAMPLES_TIMER;
	info->incomplete |=
		(header->flags & (PE_SAMPLES_MODULES_LOST | PE_SAMPLES_THREADS_LOST)) != 0;
}

static int add_file(struct reading *reading, const char *path, struct pe_err *err)
{
	struct pe_frame process = {.kind = PE_FRAME_PROCESS};
	struct pe_samples_file file;
	int rc = pe_samples_file_open(&file, path, err);

	if (rc != PE_OK)
		return rc;
	reading->info.files++;
	if (file.header == NULL)
		goto done;
	add_facts(reading, file.header);
	reading->modules.n = 0;
	for (size_t i = 0; i < file.modules.n; i++)
		add_module(reading, file.modules.data[i]);
	process.name = base_name(file.header->program);
	rc = add_threads(reading, &file,
			 pe_cct_builder_child(reading->builder, 0,
					      pe_frames_add(reading->frames, &process), 0),
			 err);
	if (rc != PE_OK)
		pe_err_context(err, "%s", path);
done:
	pe_samples_file_close(&file);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of their names, so that one directory always gives one tree. */
static int add_directory(struct reading *reading, const char *directory, struct pe_err *err)
{
	PE_VEC(char *) paths = {0};
	DIR *open = opendir(directory);
	int rc = PE_OK;

	if (open == NULL)
		return errno == ENOENT
			       ? pe_fail(err, PE_ENOTFOUND, "there is no directory %s", directory)
			       : pe_fail_errno(err, "cannot read the directory %s", directory);
	for (struct dirent *entry; (entry = readdir(open)) != NULL;) {
		size_t n = strlen(entry->d_name), suffix = strlen(PE_SAMPLES_SUFFIX);

		if (n > suffix && strcmp(entry->d_name + n - suffix, PE_SAMPLES_SUFFIX) == 0)
			pe_vec_push(&paths, pe_arena_printf(reading->arena, "%s/%s", directory,
							    entry->d_name));
	}
	closedir(open);
	if (paths.n > 1)
		qsort(paths.data, paths.n, sizeof(*paths.data), by_name);
	for (size_t i = 0; i < paths.n && rc == PE_OK; i++)
		rc = add_file(reading, paths.data[i], err);
	pe_vec_release(&paths);
	return rc;
}

static const char *name_clocks(unsigned clocks)
{
	clocks &= ~(1u << PE_SAMPLES_NO_CLOCK);
	switch (clocks) {
	case 0:
		return "none";
	case 1u << PE_SAMPLES_PERF:
		return "perf";
	case 1u << PE_SAMPLES_PERF_USER:
		return "perf, blind in the kernel";
	case 1u << PE_SAMPLES_TIMER:
		return "timer";
	default:
		return "mixed";
	}
}

static void release(struct reading *reading)
{
	pe_vec_release(&reading->names.modules);
	pe_vec_release(&reading->names.chains);
	pe_vec_release(&reading->names.steps);
	free(reading->names.slots);
	pe_vec_release(&reading->modules);
	pe_vec_release(&reading->became);
	pe_cct_builder_free(reading->builder);
}

int pe_samples_read(struct pe_cct **out, struct pe_samples_info *info,
		    const char *const *directories, size_t n_directories,
		    const struct pe_symbolizer *symbolizer, struct pe_frames *frames,
		    struct pe_arena *arena, struct pe_err *err)
{
	struct reading reading = {
		.builder = pe_cct_builder_new(frames, PE_CCT_SAMPLES | PE_CCT_SITES),
		.frames = frames,
		.symbolizer = symbolizer,
		.arena = arena,
	};
	struct pe_cct_facts facts = {.source = "samples"};
	int rc = PE_OK;

	for (size_t i = 0; i < n_directories && rc == PE_OK; i++)
		rc = add_directory(&reading, directories[i], err);
	if (rc == PE_OK && reading.info.files == 0)
		rc = pe_fail(err, PE_ENOTFOUND,
			     "the program left no samples: one that is static, setuid or started "
			     "without "
			     "our environment cannot be sampled");
	if (rc == PE_OK) {
		reading.info.clock = name_clocks(reading.clocks);
		facts.samples = reading.info.samples;
		facts.interval_ns = reading.info.interval_ns;
		facts.processes = reading.info.processes;
		facts.threads = reading.info.threads;
		*out = pe_cct_builder_finish(reading.builder, &facts, arena);
		reading.builder = NULL;
		if (info != NULL)
			*info = reading.info;
	}
	release(&reading);
	return rc;
}
