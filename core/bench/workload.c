#include "core/bench/workload.h"

static void hash_strings(struct pe_hash *hash, const struct pe_strings *strings)
{
	pe_hash_number(hash, strings->n);
	for (size_t i = 0; i < strings->n; i++)
		pe_hash_string(hash, strings->at[i]);
}

static void hash_command(struct pe_hash *hash, const struct pe_command *command)
{
	if (command->argv != NULL)
		for (size_t i = 0; command->argv[i] != NULL; i++)
			pe_hash_string(hash, command->argv[i]);
	pe_hash_string(hash, NULL);
}

static void hash_commands(struct pe_hash *hash, const struct pe_commands *commands)
{
	pe_hash_number(hash, commands->n);
	for (size_t i = 0; i < commands->n; i++)
		hash_command(hash, &commands->at[i]);
}

void pe_workload_version(struct pe_workload *workload, const char *recipe_hash,
			 const char *inputs_hash)
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	hash_command(&hash, &workload->command);
	pe_hash_string(&hash, workload->cwd);
	hash_strings(&hash, &workload->env);
	pe_hash_string(&hash, workload->input);
	pe_hash_string(&hash, inputs_hash);
	hash_commands(&hash, &workload->setup);
	hash_commands(&hash, &workload->prepare);
	hash_commands(&hash, &workload->cleanup);
	pe_hash_number(&hash, (uint64_t)workload->expected_status);
	for (size_t i = 0; i < workload->n_customs; i++) {
		const struct pe_custom_metric *custom = &workload->customs[i];

		pe_hash_string(&hash, custom->metric.name);
		pe_hash_string(&hash, custom->metric.unit);
		pe_hash_number(&hash, custom->metric.better);
		pe_hash_number(&hash, custom->how);
		pe_hash_string(&hash, custom->expression);
		pe_hash_number(&hash, custom->from_stderr);
	}
	pe_hash_string(&hash, recipe_hash);
	pe_hash_hex(&hash, workload->version);
}
