#include "core/model/build.h"

static void hash_commands(struct pe_hash *hash, const struct pe_commands *commands)
{
	pe_hash_number(hash, commands->n);
	for (size_t i = 0; i < commands->n; i++) {
		const char *const *argv = commands->at[i].argv;

		for (size_t j = 0; argv != NULL && argv[j] != NULL; j++)
			pe_hash_string(hash, argv[j]);
		pe_hash_string(hash, NULL);
	}
}

void pe_recipe_hash(const struct pe_recipe *recipe, char hex[PE_HASH_HEX])
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	hash_commands(&hash, &recipe->steps);
	pe_hash_number(&hash, recipe->env.n);
	for (size_t i = 0; i < recipe->env.n; i++)
		pe_hash_string(&hash, recipe->env.at[i]);
	pe_hash_string(&hash, recipe->overlay_hash);
	/* Nothing is added for what was not there before: results of before stay those of their recipe. */
	if (recipe->prepare.n > 0)
		hash_commands(&hash, &recipe->prepare);
	if (recipe->sandbox != PE_SANDBOX_OFF)
		pe_hash_string(&hash, recipe->sandbox == PE_SANDBOX_AUTO ? "sandbox auto"
									 : "sandbox require");
	pe_hash_hex(&hash, hex);
}
