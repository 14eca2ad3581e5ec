#include "core/model/benchmark.h"

#include "core/base/array.h"

#include <string.h>

void pe_strings_hash(struct pe_hash *hash, const struct pe_strings *strings)
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

void pe_commands_hash(struct pe_hash *hash, const struct pe_commands *commands)
{
	pe_hash_number(hash, commands->n);
	for (size_t i = 0; i < commands->n; i++)
		hash_command(hash, &commands->at[i]);
}

void pe_benchmark_version(struct pe_benchmark *benchmark, const char *recipe_hash,
			  const char *inputs_hash)
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	hash_command(&hash, &benchmark->command);
	pe_hash_string(&hash, benchmark->cwd);
	pe_strings_hash(&hash, &benchmark->env);
	pe_hash_string(&hash, benchmark->input);
	pe_hash_string(&hash, inputs_hash);
	pe_commands_hash(&hash, &benchmark->setup);
	pe_commands_hash(&hash, &benchmark->prepare);
	pe_commands_hash(&hash, &benchmark->cleanup);
	pe_hash_number(&hash, (uint64_t)benchmark->expected_status);
	for (size_t i = 0; i < benchmark->n_customs; i++) {
		const struct pe_custom_metric *custom = &benchmark->customs[i];

		pe_hash_string(&hash, custom->metric.name);
		pe_hash_string(&hash, custom->metric.unit);
		pe_hash_number(&hash, custom->metric.better);
		pe_hash_number(&hash, custom->how);
		pe_hash_string(&hash, custom->expression);
		pe_hash_number(&hash, custom->from_stderr);
		if (custom->decimal != '\0')
			pe_hash_number(&hash, (uint64_t)custom->decimal);
	}
	pe_hash_string(&hash, recipe_hash);
	pe_hash_hex(&hash, benchmark->version);
}

const struct pe_metric *pe_benchmark_metric(const struct pe_benchmark *benchmark,
					    enum pe_metric_id id)
{
	return benchmark->suite != NULL ? &pe_metrics_of_iteration[id] : &pe_metrics[id];
}

bool pe_benchmark_counts(const struct pe_benchmark *benchmark, const struct pe_metric *metric)
{
	return pe_metric_is_counted(metric) &&
	       (benchmark->suite == NULL || benchmark->count_allocations);
}

/* A word of a command as a path in the tree; NULL: it leads out of it, or to nothing in particular. */
static const char *path_of(const struct pe_benchmark *benchmark, const char *word, size_t n,
			   struct pe_arena *arena)
{
	const char *cwd = benchmark->cwd;

	while (n > 2 && word[0] == '.' && word[1] == '/') {
		word += 2;
		n -= 2;
	}
	if (n == 0 || word[0] == '/' || word[0] == '-' || (n > 1 && memcmp(word, "..", 2) == 0))
		return NULL;
	if (cwd == NULL || strcmp(cwd, ".") == 0 || cwd[0] == '\0')
		return pe_arena_strndup(arena, word, n);
	return pe_arena_printf(arena, "%s/%.*s", cwd, (int)n, word);
}

struct pe_strings pe_benchmark_words(const struct pe_benchmark *benchmark, struct pe_arena *arena)
{
	static const char parts[] = " \t\n;|&()<>\"'`$=";
	const char *const *argv = benchmark->command.argv;
	pe_auto_free PE_VEC(const char *) words = {NULL, 0, 0};
	const char *text, **copy;
	bool shell;

	if (argv == NULL || argv[0] == NULL)
		return (struct pe_strings){NULL, 0};
	shell = strcmp(argv[0], "/bin/sh") == 0 && argv[1] != NULL && argv[2] != NULL;
	text = shell ? argv[2] + strspn(argv[2], parts) : argv[0];
	while (*text != '\0') {
		size_t n = shell ? strcspn(text, parts) : strlen(text);
		const char *path = path_of(benchmark, text, n, arena);

		if (path != NULL)
			pe_vec_push(&words, path);
		text += n;
		text += shell ? strspn(text, parts) : 0;
	}
	copy = pe_vec_copy(arena, &words);
	return (struct pe_strings){copy, words.n};
}
