#include "configs/discovery.h"
#include "configs/read.h"
#include "core/base/array.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

static const char *glob_quote(const char *text, struct pe_arena *arena)
{
	pe_auto_text out = PE_TEXT_INIT;

	for (; *text != '\0'; text++) {
		if (strchr("*?[]\\", *text) != NULL)
			pe_text_addc(&out, '\\');
		pe_text_addc(&out, *text);
	}
	return pe_arena_strdup(arena, pe_text_str(&out));
}

/* Add the files of the tree that match a pattern of `sources` for a test. */
static void expand_sources(pe_string_vec *sources, const struct pe_discovery *discovery,
			   const char *pattern, const char *name)
{
	struct pe_arena *arena = discovery->arena;
	const char *tree = glob_quote(discovery->tree, arena);
	glob_t found = {0};

	pattern = pe_fill_hole(pattern, "{name}", glob_quote(name, arena), arena);
	if (glob(pe_arena_printf(arena, "%s/%s", tree, pattern), 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *path = pe_discovery_relative(discovery, found.gl_pathv[i]);

			if (path != NULL)
				pe_discovery_push(sources, path);
		}
	}
	globfree(&found);
}

/* Read one line of the list: the name, then own sources after tabs. */
static void take_line(struct pe_discovery *discovery, char *line)
{
	const struct pe_tests *tests = &discovery->config->tests;
	struct pe_benchmark benchmark = tests->model;
	pe_string_vec sources = {0};
	char *rest = NULL;
	const char *name = strtok_r(line, "\t", &rest);

	if (name == NULL || !pe_discovery_wants(discovery, name))
		return;
	for (const char *field; (field = strtok_r(NULL, "\t", &rest)) != NULL;) {
		const char *path = pe_discovery_relative(discovery, field);

		if (path != NULL && pe_discovery_has_file(discovery, path))
			pe_discovery_push(&sources, path);
	}
	for (size_t i = 0, n = sources.n; n == 0 && i < tests->sources.n; i++)
		expand_sources(&sources, discovery, tests->sources.at[i], name);
	benchmark.name = name;
	benchmark.command = pe_command_fill(&tests->run, "{name}", name, discovery->arena);
	benchmark.sources = pe_discovery_take(&sources, discovery->arena);
	pe_discovery_add(discovery, &benchmark);
}

static int discover_listed(struct pe_discovery *discovery)
{
	const struct pe_tests *tests = &discovery->config->tests;
	pe_auto_text list = PE_TEXT_INIT;
	char *lines, *rest = NULL;

	PE_TRY(pe_discovery_run(&list, discovery, &tests->list, tests->model.cwd));
	lines = pe_arena_strdup(discovery->arena, pe_text_str(&list));
	for (char *line = strtok_r(lines, "\r\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\r\n", &rest))
		take_line(discovery, line);
	return PE_OK;
}

static int discover(struct pe_discovery *discovery)
{
	switch (discovery->config->tests.kind) {
	case PE_TESTS_NONE:
		break;
	case PE_TESTS_CTEST:
		return pe_discovery_ctest(discovery);
	case PE_TESTS_LIST:
		return discover_listed(discovery);
	case PE_TESTS_MESON:
	case PE_TESTS_MESON_BENCHMARKS:
		return pe_discovery_meson(discovery);
	}
	return PE_OK;
}

static void hand_over(struct pe_benchmark **out, size_t *n, struct pe_discovery *discovery)
{
	char recipe_hash[PE_HASH_HEX];

	pe_recipe_hash(&discovery->config->recipe, recipe_hash);
	*n = discovery->found.n;
	*out = pe_arena_new(discovery->arena, struct pe_benchmark, *n);
	for (size_t i = 0; i < *n; i++) {
		(*out)[i] = discovery->found.data[i];
		pe_benchmark_version(&(*out)[i], recipe_hash, "");
	}
}

int pe_tests_discover(struct pe_benchmark **out, size_t *n, struct pe_left_outs *skipped,
		      const struct pe_config *config, const char *tree,
		      const struct pe_executor *executor, struct pe_arena *arena,
		      struct pe_err *err)
{
	struct pe_discovery discovery = {
		.config = config,
		.tree = tree,
		.executor = executor,
		.arena = arena,
		.err = err,
	};
	int rc;

	*out = NULL;
	*n = 0;
	PE_TRY(pe_discovery_resolve(&discovery));
	rc = discover(&discovery);
	if (rc == PE_OK)
		hand_over(out, n, &discovery);
	else if (rc == PE_EINVALID)
		pe_err_context(err, "tests");
	skipped->n = discovery.skipped.n;
	skipped->at = pe_vec_copy(arena, &discovery.skipped);
	pe_vec_release(&discovery.skipped);
	pe_vec_release(&discovery.found);
	return rc;
}
