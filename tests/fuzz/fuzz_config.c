/*
 * The config's reader on arbitrary bytes: whatever they are, reading ends in a config or in a sentence with a
 * place, and what was read keeps its promises.
 */
#include "configs/config.h"
#include "configs/yaml.h"
#include "tests/fuzz/require.h"

#include <string.h>

static void check_config(struct pe_config *config)
{
	struct pe_err err = PE_ERR_INIT;

	require(config->n_benchmarks > 0 || config->tests.kind != PE_TESTS_NONE,
		"nothing to measure");
	for (size_t i = 0; i < config->n_benchmarks; i++) {
		const struct pe_benchmark *benchmark = &config->benchmarks[i];

		require(benchmark->name[0] != '\0', "a name");
		require(benchmark->command.argv != NULL && benchmark->command.argv[0] != NULL,
			"a command");
		require(benchmark->repeats > 0 && benchmark->timeout_ns > 0, "amounts above 0");
		require(benchmark->cwd[0] != '/' && strncmp(benchmark->cwd, "..", 3) != 0,
			"a cwd inside");
		for (size_t j = 0; j < i && j < 50; j++)
			require(strcmp(config->benchmarks[j].name, benchmark->name) != 0,
				"unique names");
	}
	/* Without a tree, sealing reads no file. */
	config->root = NULL;
	if (config->overlay.revision == NULL)
		pe_config_seal(config, NULL, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_yaml *root;
	struct pe_config config;
	char *text = pe_arena_strndup(&arena, (const char *)data, size);
	int rc;

	if (pe_yaml_parse(&root, "f.yml", (const char *)data, size, &arena, &err) != PE_OK)
		require(strncmp(err.message, "f.yml:", 6) == 0, "a place in the message");
	rc = pe_config_load(&config, "f.yml", "/nowhere", text, &arena, &err);
	if (rc == PE_OK)
		check_config(&config);
	else
		require(rc == PE_EINVALID && strncmp(err.message, "f.yml:", 6) == 0,
			"a refusal with a place");
	return 0;
}
