#include "core/exec/build_variant.h"

#include "core/base/place.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

/* Raised whenever the same flags make other programs. */
enum { VARIANT_REVISION = 5 };

/* The part of an exclude list that is always there: the system's headers. */
static const char *const system_files[] = {"/usr/include", "/usr/lib/gcc", NULL};

const char *pe_profile_mode_name(enum pe_profile_mode mode)
{
	static const char *const names[] = {
		[PE_PROFILE_DEFAULT] = "counting+samples", [PE_PROFILE_BOTH] = "counting+samples",
		[PE_PROFILE_COUNTING] = "counting",        [PE_PROFILE_SAMPLES] = "samples",
		[PE_PROFILE_COMMAND] = "command",
	};

	return names[mode];
}

/* --- Flags --- */

/* A name of gcc's lists: commas part them, a backslash before one does not. */
static void add_name(struct pe_text *flags, const char *name, bool first)
{
	if (!first)
		pe_text_addc(flags, ',');
	for (; *name != '\0'; name++) {
		if (*name == ',')
			pe_text_addc(flags, '\\');
		pe_text_addc(flags, *name);
	}
}

/* One a line, as probe/launcher/perfevo-cc1.c reads them. Warnings that only come of hooks must not end a build. */
static const char *gcc_flags(enum pe_build_variant variant,
			     const struct pe_profile_exclude *exclude, struct pe_arena *arena)
{
	pe_auto_text flags = PE_TEXT_INIT;

	pe_text_add(&flags, "-g\n");
	if (variant == PE_BUILD_VARIANT_SAMPLED) {
		pe_text_add(&flags, "-Wno-error\n-fno-optimize-sibling-calls");
	} else if (variant == PE_BUILD_VARIANT_COUNTING) {
		pe_text_add(&flags, "-Wno-error\n-finstrument-functions\n"
				    "-finstrument-functions-exclude-file-list=");
		for (size_t i = 0; system_files[i] != NULL; i++)
			add_name(&flags, system_files[i], i == 0);
		for (size_t i = 0; i < exclude->files.n; i++)
			add_name(&flags, exclude->files.at[i], false);
		if (exclude->functions.n > 0)
			pe_text_add(&flags, "\n-finstrument-functions-exclude-function-list=");
		for (size_t i = 0; i < exclude->functions.n; i++)
			add_name(&flags, exclude->functions.at[i], i == 0);
	}
	return pe_arena_strdup(arena, pe_text_str(&flags));
}

/*
 * '#': clang does not tell what it edits. '+': behind the build's own arguments. 's': by a regular expression. What
 * strips becomes a folder that holds no library, which both clang and the linker take (-Xlinker -s).
 */
#define KEEP_SYMBOLS                                                                               \
	"s/^(-Wl,(.*,)?)(-s|-S|-+strip-all|-+strip-debug)(,.*)?$/\\1-L/dev/null\\4/ "              \
	"s/^(-s|-+strip-all|-+strip-debug)$/-L/dev/null/"

static const char *clang_edits(enum pe_build_variant variant)
{
	static const char *const edits[] = {
		[PE_BUILD_VARIANT_COUNTING] =
			"# +-g +-finstrument-functions-after-inlining " KEEP_SYMBOLS,
		[PE_BUILD_VARIANT_SAMPLED] = "# +-g +-fno-optimize-sibling-calls " KEEP_SYMBOLS,
		[PE_BUILD_VARIANT_NATIVE] = "# +-g " KEEP_SYMBOLS,
	};

	return edits[variant];
}

/* --- Recipes --- */

/* The value of a variable in the recipe or in the user's environment; NULL: unset. */
static const char *said(const struct pe_recipe *recipe, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = recipe->env.n; i-- > 0;)
		if (strncmp(recipe->env.at[i], name, n) == 0 && recipe->env.at[i][n] == '=')
			return recipe->env.at[i] + n + 1;
	return getenv(name);
}

static const struct pe_commands *steps_of(enum pe_build_variant variant,
					  const struct pe_recipe *recipe,
					  const struct pe_profile_plan *plan)
{
	return variant == PE_BUILD_VARIANT_COUNTING && plan->build.n > 0 ? &plan->build
									 : &recipe->steps;
}

void pe_build_variant_recipe(struct pe_recipe *out, enum pe_build_variant variant,
			     const struct pe_recipe *recipe, const struct pe_profile_plan *plan,
			     const char *compilers, struct pe_arena *arena)
{
	const char **env = pe_arena_new(arena, const char *, recipe->env.n + 5);
	const char *path = said(recipe, "COMPILER_PATH");
	const char *edits = said(recipe, "CCC_OVERRIDE_OPTIONS");
	size_t n = recipe->env.n;

	if (n > 0)
		memcpy(env, recipe->env.at, n * sizeof(*env));
	env[n++] =
		pe_arena_printf(arena, "COMPILER_PATH=%s%s%s", compilers,
				path != NULL && *path != '\0' ? ":" : "", path != NULL ? path : "");
	/* For a stand-in that looks for the program in whose place it is. */
	env[n++] = pe_arena_printf(arena, "PERFEVO_COMPILER_PATH=%s", path != NULL ? path : "");
	env[n++] = pe_arena_printf(arena, "PERFEVO_CC1_FLAGS=%s",
				   gcc_flags(variant, &plan->exclude, arena));
	env[n++] = pe_arena_printf(arena, "CCC_OVERRIDE_OPTIONS=%s%s%s", clang_edits(variant),
				   edits != NULL ? " " : "",
				   edits != NULL ? edits + strspn(edits, "# ") : "");
	/* It would keep what these flags made under the name of what the project asked for. */
	env[n++] = "CCACHE_DISABLE=1";
	*out = *recipe;
	out->steps = *steps_of(variant, recipe, plan);
	out->env = (struct pe_strings){env, n};
	out->ccache = false;
	out->clean = PE_CLEAN_ALWAYS;
}

const char *pe_profile_language_name(enum pe_profile_language language)
{
	static const char *const names[PE_N_PROFILE_LANGUAGES] = {
		[PE_PROFILE_PYTHON] = "python",
		[PE_PROFILE_NODE] = "node",
		[PE_PROFILE_GO] = "go",
	};

	return (unsigned)language < PE_N_PROFILE_LANGUAGES ? names[language] : NULL;
}

/* --- Hashes --- */

void pe_build_variant_hash(enum pe_build_variant variant, const struct pe_recipe *recipe,
			   const struct pe_profile_plan *plan, char hex[PE_HASH_HEX])
{
	static const struct pe_commands none = {NULL, 0};
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_hash hash;

	pe_recipe_hash(recipe, hex);
	pe_hash_init(&hash);
	pe_hash_number(&hash, VARIANT_REVISION);
	pe_hash_number(&hash, variant);
	pe_hash_string(&hash, hex);
	pe_hash_string(&hash, gcc_flags(variant, &plan->exclude, &arena));
	pe_hash_string(&hash, clang_edits(variant));
	pe_commands_hash(&hash, variant == PE_BUILD_VARIANT_COUNTING ? &plan->build : &none);
	pe_hash_hex(&hash, hex);
}

void pe_profile_plan_hash(const struct pe_profile_plan *plan, char hex[PE_HASH_HEX])
{
	const struct pe_commands command = {&plan->command, plan->command.argv != NULL ? 1 : 0};
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_number(&hash, VARIANT_REVISION);
	pe_strings_hash(&hash, &plan->exclude.files);
	pe_strings_hash(&hash, &plan->exclude.functions);
	pe_hash_number(&hash, plan->exclude.size_bytes);
	pe_commands_hash(&hash, &plan->build);
	pe_commands_hash(&hash, &command);
	pe_hash_string(&hash, plan->format);
	if (plan->language != PE_PROFILE_NO_LANGUAGE)
		pe_hash_number(&hash, plan->language);
	pe_hash_hex(&hash, hex);
}

/* --- The stand-ins --- */

const char *pe_build_variant_compilers(struct pe_arena *arena, struct pe_err *err)
{
	static const char *const dirs[] = {"../launcher", "../../launcher",
					   "../" PE_LIBEXECDIR "/perfevo", NULL};

	return pe_place_find("compilers", "PERFEVO_COMPILERS", dirs, arena, err);
}

const char *pe_build_variant_library(enum pe_probe_library which, struct pe_arena *arena,
				     struct pe_err *err)
{
	static const char *const dirs[] = {".",
					   "../runtime",
					   "../../runtime",
					   "../" PE_LIBDIR "/perfevo",
					   "../lib/perfevo",
					   "../lib64/perfevo",
					   NULL};
	static const struct {
		const char *name, *variable;
	} libraries[] = {
		[PE_LIBRARY_COUNTING] = {"libperfevo_rt.so", "PERFEVO_RUNTIME"},
		[PE_LIBRARY_CALLS] = {"libperfevo_calls.so", "PERFEVO_CALLS_LIBRARY"},
		[PE_LIBRARY_SAMPLES] = {"libperfevo_sample.so", "PERFEVO_SAMPLE_LIBRARY"},
	};

	return pe_place_find(libraries[which].name, libraries[which].variable, dirs, arena, err);
}
