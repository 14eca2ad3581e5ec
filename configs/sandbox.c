#include "configs/sections.h"

#include "core/exec/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Parse a mode. YAML's other readers take `off` for false; here it is a text. */
static bool mode_of(enum pe_sandbox_mode *out, const char *word)
{
	*out = PE_SANDBOX_OFF;
	if (strcmp(word, "false") == 0)
		return true;
	while (*out < PE_SANDBOX_REQUIRE && strcmp(word, pe_sandbox_mode_name(*out)) != 0)
		++*out;
	return strcmp(word, pe_sandbox_mode_name(*out)) == 0;
}

static int read_mode(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	if (node->kind == PE_YAML_SCALAR && mode_of(field, node->text))
		return PE_OK;
	return pe_read_expected(reader, node, "auto, require or off");
}

static int read_network(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	bool yes = false;
	int rc = pe_read_bool(reader, node, &yes);

	*(enum pe_sandbox_network *)field = yes ? PE_NETWORK_MACHINE : PE_NETWORK_NONE;
	return rc;
}

/* Read a place: "~/data" is in the home folder; others are absolute, as the whole tree is accessible anyway. */
static int read_place(struct pe_reader *reader, const struct pe_yaml *node, void *field)
{
	const char **place = field, *path = "", *home = getenv("HOME");

	PE_TRY(pe_read_text(reader, node, (void *)&path));
	*place = path;
	if (home != NULL && path[0] == '~' && (path[1] == '/' || path[1] == '\0'))
		*place = pe_arena_printf(reader->arena, "%s%s", home, path + 1);
	else if (path[0] != '/')
		return pe_read_expected(reader, node, "absolute paths, or such that begin with ~/");
	return PE_OK;
}

static const struct pe_key keys[] = {
	PE_KEY("mode", read_mode, struct pe_sandbox, mode),
	PE_KEY("network", read_network, struct pe_sandbox, network),
	PE_KEY_LIST("read", read_place, struct pe_sandbox, read),
	PE_KEY_LIST("write", read_place, struct pe_sandbox, write),
};

/* Disable ccache: its files come from other builds and go to others, so untrusted code must not use it. */
static void leave_ccache(struct pe_recipe *recipe, struct pe_arena *arena)
{
	const char **env = pe_arena_new(arena, const char *, recipe->env.n + 1);

	env[0] = "CCACHE_DISABLE=1";
	if (recipe->env.n > 0)
		memcpy(env + 1, recipe->env.at, recipe->env.n * sizeof(*env));
	recipe->env = (struct pe_strings){env, recipe->env.n + 1};
	recipe->ccache = false;
}

int pe_sandbox_read(struct pe_reader *reader, const struct pe_yaml *node, void *config)
{
	struct pe_config *out = config;
	const char *wanted = getenv("PERFEVO_SANDBOX");

	if (wanted != NULL && *wanted == '\0')
		wanted = NULL;
	out->sandbox_is_said = node != NULL || wanted != NULL;
	if (node != NULL && node->kind == PE_YAML_SCALAR) {
		PE_TRY(read_mode(reader, node, &out->sandbox.mode));
	} else if (node != NULL) {
		/* A mapping without a mode turns the sandbox on. */
		out->sandbox.mode = PE_SANDBOX_AUTO;
		PE_TRY(pe_read_map(reader, node, PE_KEYS(keys), &out->sandbox, "'sandbox'"));
	}
	if (wanted != NULL && !mode_of(&out->sandbox.mode, wanted))
		return pe_fail(reader->err, PE_EINVALID,
			       "PERFEVO_SANDBOX must be auto, require or off, not '%s'", wanted);
	/* Commits fetched at night are built before anyone has reviewed them. */
	if (!out->sandbox_is_said && out->nightly.fetch != NULL)
		out->sandbox.mode = PE_SANDBOX_REQUIRE;
	if (out->sandbox.mode == PE_SANDBOX_REQUIRE)
		leave_ccache(&out->recipe, reader->arena);
	out->recipe.sandbox = out->sandbox.mode;
	if (out->sandbox.mode == PE_SANDBOX_AUTO)
		out->recipe.sandbox_means = pe_sandbox_find_means();
	return PE_OK;
}

/* --- Limits --- */

/* The line of a limit, for messages when it is reached; NULL: there is none. */
static const char *place_of(const struct pe_reader *reader, const struct pe_yaml *limits,
			    const char *key)
{
	const struct pe_yaml *limit = pe_yaml_get(limits, key);

	return limit != NULL
		       ? pe_arena_printf(reader->arena, "%s:%zu", reader->path, limit->mark.line)
		       : NULL;
}

static const struct pe_key limit_keys[] = {
	PE_KEY("memory", pe_read_size, struct pe_limits, memory_bytes),
	PE_KEY("processes", pe_read_positive, struct pe_limits, processes),
};

/* Seven eighths of the machine's memory, to keep the machine responsive. */
static uint64_t most_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 8 * 7 : 0;
}

/* Set the limits of the strictest mode where the config has none. */
static void bound(struct pe_limits *limits)
{
	enum { MOST_PROCESSES = 8192 };

	if (limits->memory_at == NULL)
		limits->memory_bytes = most_memory();
	if (limits->processes_at == NULL)
		limits->processes = MOST_PROCESSES;
}

int pe_limits_read(struct pe_reader *reader, const struct pe_yaml *node, void *config)
{
	struct pe_config *out = config;

	if (node != NULL)
		PE_TRY(pe_read_map(reader, node, PE_KEYS(limit_keys), &out->limits, "'limits'"));
	out->limits.memory_at = place_of(reader, node, "memory");
	out->limits.processes_at = place_of(reader, node, "processes");
	if (out->sandbox.mode == PE_SANDBOX_REQUIRE)
		bound(&out->limits);
	return PE_OK;
}

void pe_sandbox_require(struct pe_config *config, bool or_auto, struct pe_arena *arena)
{
	const enum pe_sandbox_means means = or_auto ? pe_sandbox_find_means() : PE_BY_NAMESPACES;

	if (config->sandbox.mode == PE_SANDBOX_REQUIRE)
		return;
	config->sandbox.mode = means == PE_BY_NAMESPACES ? PE_SANDBOX_REQUIRE : PE_SANDBOX_AUTO;
	if (means != PE_BY_NAMESPACES && config->sandbox.network == PE_NETWORK_DEFAULT)
		config->sandbox.network = PE_NETWORK_NONE;
	config->recipe.sandbox = config->sandbox.mode;
	config->recipe.sandbox_means = means;
	leave_ccache(&config->recipe, arena);
	bound(&config->limits);
}
