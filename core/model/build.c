#include "core/model/build.h"

void pe_recipe_hash(const struct pe_recipe *recipe, char hex[PE_HASH_HEX])
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_commands_hash(&hash, &recipe->steps);
	pe_strings_hash(&hash, &recipe->env);
	pe_hash_string(&hash, recipe->overlay_hash);
	/* Nothing is added for what was not there before: results of before stay those of their recipe. */
	if (recipe->prepare.n > 0)
		pe_commands_hash(&hash, &recipe->prepare);
	if (recipe->exclude.n > 0) {
		pe_hash_string(&hash, "tree without");
		pe_strings_hash(&hash, &recipe->exclude);
	}
	if (recipe->sandbox != PE_SANDBOX_OFF)
		pe_hash_string(&hash, recipe->sandbox == PE_SANDBOX_AUTO ? "sandbox auto"
									 : "sandbox require");
	/* A build contains the path at which it was made, and is run at no other. */
	if (recipe->sandbox != PE_SANDBOX_OFF && recipe->sandbox_means == PE_BY_NAMESPACES)
		pe_hash_string(&hash, "tree at one path");
	if (recipe->sandbox == PE_SANDBOX_AUTO && recipe->sandbox_means != PE_BY_NAMESPACES)
		pe_hash_string(&hash, recipe->sandbox_means == PE_BY_LANDLOCK ? "by landlock"
									      : "by nothing");
	pe_hash_hex(&hash, hex);
}
