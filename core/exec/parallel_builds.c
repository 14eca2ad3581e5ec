#include "core/exec/parallel_builds.h"

#include <string.h>

static const uint64_t LANE_BYTES = 1u << 30;

/* As a path of its own or the begin of one: not in "build/tmp". */
static bool names_folder(const char *text, const char *folder)
{
	size_t n = strlen(folder);

	for (const char *at = text; (at = strstr(at, folder)) != NULL; at += n) {
		bool begins = at == text || strchr(" \t\n='\":(;,>", at[-1]) != NULL;

		if (begins && (at[n] == '\0' || strchr("/ \t\n'\":);", at[n]) != NULL))
			return true;
	}
	return false;
}

/* Whether a shell command redirects output to a path outside of the tree: "> /srv/out", and not ">/dev/null". */
static bool writes_elsewhere(const char *text)
{
	static const char *const begins[] = {"/", "~", "$HOME", "${HOME}"};

	for (const char *at = text; (at = strchr(at, '>')) != NULL;) {
		at += strspn(at, ">|& \t'\"");
		if (strncmp(at, "/dev/", 5) == 0)
			continue;
		for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
			if (strncmp(at, begins[i], strlen(begins[i])) == 0)
				return true;
	}
	return false;
}

bool pe_parallel_builds_write_elsewhere(const struct pe_commands *commands)
{
	for (size_t i = 0; i < commands->n; i++)
		if (commands->at[i].text != NULL && writes_elsewhere(commands->at[i].text))
			return true;
	return false;
}

bool pe_parallel_builds_use_temporary(const struct pe_commands *steps)
{
	static const char *const folders[] = {"/tmp", "/var/tmp", "/dev/shm", "$TMPDIR",
					      "${TMPDIR}"};

	for (size_t i = 0; i < steps->n; i++)
		for (size_t f = 0; f < sizeof(folders) / sizeof(*folders); f++)
			if (steps->at[i].text != NULL &&
			    names_folder(steps->at[i].text, folders[f]))
				return true;
	return false;
}

unsigned pe_parallel_builds_count(const struct pe_recipe *recipe, uint64_t memory_bytes,
				  bool confined)
{
	uint64_t workers = recipe->jobs;

	if (recipe->parallel > 0)
		return recipe->parallel < PE_PARALLEL_BUILDS_MAX ? recipe->parallel
								 : PE_PARALLEL_BUILDS_MAX;
	if (!confined && (pe_parallel_builds_use_temporary(&recipe->prepare) ||
			  pe_parallel_builds_use_temporary(&recipe->steps)))
		return 1;
	if (memory_bytes / LANE_BYTES < workers)
		workers = memory_bytes / LANE_BYTES;
	if (workers > PE_PARALLEL_BUILDS_MAX)
		workers = PE_PARALLEL_BUILDS_MAX;
	return workers > 0 ? (unsigned)workers : 1;
}

unsigned pe_parallel_builds_jobs(unsigned jobs, unsigned in_use, unsigned waiting)
{
	unsigned left = jobs > in_use ? jobs - in_use : 0;

	return left > waiting ? left / waiting : 1;
}
