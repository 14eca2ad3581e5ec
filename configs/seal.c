/* Seal: hashes the contents of the files that a config names, on which its values depend, too. */
#include "configs/config.h"
#include "configs/listing.h"
#include "configs/read.h"
#include "core/model/suite.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Hash the files under some paths of the user's tree; "" where there are none. what: has these paths, for messages. */
static int hash_files(char hex[PE_HASH_HEX], const struct pe_config *config,
		      const struct pe_strings *paths, const char *noun, const char *what,
		      struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_listing listing;

	hex[0] = '\0';
	if (paths->n == 0)
		return PE_OK;
	if (config->root == NULL)
		return pe_fail(err, PE_EUNSUPPORTED,
			       "%s needs a working tree, and there is none here", what);
	PE_TRY(pe_listing_read(&listing, config->root, paths, noun, &arena, err));
	return pe_listing_hash(hex, &listing, config->root, err);
}

static int seal_overlay(struct pe_config *config, const char *overlay_hash, struct pe_err *err)
{
	int rc;

	if (overlay_hash != NULL) {
		snprintf(config->recipe.overlay_hash, PE_HASH_HEX, "%s", overlay_hash);
		return PE_OK;
	}
	/* Files of a revision are not here: the hash must be given. */
	assert(config->overlay.paths.n == 0 || config->overlay.revision == NULL);
	rc = hash_files(config->recipe.overlay_hash, config, &config->overlay.paths, "overlay",
			"an overlay without 'revision'", err);
	if (rc != PE_OK)
		pe_err_context(err, "%s", config->path);
	return rc;
}

static int hash_inputs(char hex[PE_HASH_HEX], const struct pe_config *config,
		       const struct pe_benchmark *benchmark, struct pe_err *err)
{
	int rc = hash_files(hex, config, &benchmark->inputs, "input", "'inputs'", err);

	if (rc != PE_OK)
		pe_err_context(err, "%s: benchmark '%s'", config->path, benchmark->name);
	return rc;
}

static bool same_inputs(const struct pe_benchmark *a, const struct pe_benchmark *b)
{
	if (a->inputs.n != b->inputs.n)
		return false;
	for (size_t i = 0; i < a->inputs.n; i++)
		if (strcmp(a->inputs.at[i], b->inputs.at[i]) != 0)
			return false;
	return true;
}

/* Whether a word of a suite's command line only sets the duration or repetitions of measuring. */
static bool only_makes_precise(const char *word)
{
	return pe_read_matches(
		word, "^(--benchmark_(min_time|min_warmup_time|repetitions)="
		      "|--benchmark-(samples|resamples|warmup-time|confidence-interval)"
		      "|--benchmark-(min-rounds|max-time|min-time)=|-(test\\.)?(benchtime|count)="
		      "|--(sample-size|measurement-time|warm-up-time))");
}

int pe_config_seal(struct pe_config *config, const char *overlay_hash, struct pe_err *err)
{
	char recipe_hash[PE_HASH_HEX], inputs_hash[PE_HASH_HEX] = "";

	PE_TRY(seal_overlay(config, overlay_hash, err));
	pe_recipe_hash(&config->recipe, recipe_hash);
	for (size_t i = 0; i < config->n_benchmarks; i++) {
		struct pe_benchmark *benchmark = &config->benchmarks[i];

		/* The combinations of one benchmark mostly read the same files: hash them once. */
		if (i == 0 || !same_inputs(benchmark, benchmark - 1))
			PE_TRY(hash_inputs(inputs_hash, config, benchmark, err));
		pe_benchmark_version(benchmark, recipe_hash, inputs_hash);
	}
	for (size_t i = 0; i < config->n_suites; i++)
		pe_suite_version(&config->suites[i], recipe_hash, only_makes_precise);
	return PE_OK;
}
