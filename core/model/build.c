#include "core/model/build.h"

void pe_recipe_hash(const struct pe_recipe *recipe, char hex[PE_HASH_HEX])
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_number(&hash, recipe->steps.n);
	for (size_t i = 0; i < recipe->steps.n; i++) {
		const char *const *argv = recipe->steps.at[i].argv;

		for (size_t j = 0; argv != NULL && argv[j] != NULL; j++)
			pe_hash_string(&hash, argv[j]);
		pe_hash_string(&hash, NULL);
	}
	pe_hash_number(&hash, recipe->env.n);
	for (size_t i = 0; i < recipe->env.n; i++)
		pe_hash_string(&hash, recipe->env.at[i]);
	pe_hash_string(&hash, recipe->overlay_hash);
	pe_hash_hex(&hash, hex);
}
