#include "core/exec/simulate_functions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NONE UINT32_MAX

static uint32_t find_or_add(struct pe_simulated_functions *functions, const char *name,
			    const char *file)
{
	size_t n_name = strlen(name), n_file = strlen(file);
	uint32_t hash = (uint32_t)pe_hash_text(pe_hash_text(0, name, n_name), file, n_file);
	struct pe_function_count added = {.signature = ""};

	for (struct pe_hash_slot *slot = NULL;
	     (slot = pe_hash_index_next(&functions->index, hash, slot)) != NULL;) {
		const struct pe_function_count *one = &functions->at.data[slot->row];

		if (strcmp(one->name, name) == 0 && strcmp(one->component, file) == 0)
			return slot->row;
	}
	functions->name_bytes += n_name + n_file;
	if (functions->at.n == PE_SIMULATE_FUNCTIONS ||
	    functions->name_bytes > PE_SIMULATE_NAME_BYTES)
		return NONE;
	added.name = pe_arena_strdup(&functions->names, name);
	added.component = pe_arena_strdup(&functions->names, file);
	pe_hash_index_add(&functions->index, hash, (uint32_t)functions->at.n);
	pe_vec_push(&functions->at, added);
	return (uint32_t)functions->at.n - 1;
}

/* Decimal; NULL: none, or one past 64 bits. */
static const char *read_count(uint64_t *out, const char *at)
{
	char *end;

	if (*at < '0' || *at > '9')
		return NULL;
	errno = 0;
	*out = strtoull(at, &end, 10);
	return errno == 0 ? end : NULL;
}

struct record {
	struct pe_simulated_functions *functions;
	char *file; /* NULL: none yet */
	uint32_t function;
	uint64_t sum;
	bool begun; /* past the header, whose command line may have lines like any */
	bool whole; /* its last line was the summary, whose number is the total */
};

static bool add_cost(struct record *record, const char *line)
{
	struct pe_simulated_functions *functions = record->functions;
	uint64_t count, source_line;
	const char *at = read_count(&source_line, line);

	at = at != NULL && *at == ' ' ? read_count(&count, at + 1) : NULL;
	if (at == NULL || (*at != '\0' && *at != ' ') || record->function == NONE ||
	    count > UINT64_MAX - record->sum ||
	    count > UINT64_MAX - functions->at.data[record->function].instructions)
		return false;
	record->sum += count;
	functions->at.data[record->function].instructions += count;
	return true;
}

/* False: it is no line of such a record, or beyond what is kept. */
static bool read_line(struct record *record, const char *line)
{
	if (!record->begun) {
		record->begun = strncmp(line, "events: ", 8) == 0;
		return true;
	}
	if (strncmp(line, "fl=", 3) == 0) {
		free(record->file);
		record->file = strdup(line + 3);
		record->function = NONE;
		return record->file != NULL;
	}
	if (strncmp(line, "fn=", 3) != 0)
		return add_cost(record, line);
	record->function = record->file != NULL
				   ? find_or_add(record->functions, line + 3, record->file)
				   : NONE;
	return record->function != NONE;
}

/* Read the next line, without its end. NULL: there is none; *whole stays false where it has no end, or a NUL byte in it. */
static char *next_line(char *buffer, FILE *file, bool *whole)
{
	size_t n;

	*whole = true;
	if (fgets(buffer, PE_SIMULATE_LINE_BYTES, file) == NULL)
		return NULL;
	n = strlen(buffer);
	*whole = n > 0 && buffer[n - 1] == '\n';
	if (*whole)
		buffer[n - 1] = '\0';
	return *whole ? buffer : NULL;
}

void pe_simulated_functions_read(struct pe_simulated_functions *functions, int fd, uint64_t total)
{
	struct record record = {.functions = functions, .function = NONE};
	pe_auto_free char *buffer = NULL;
	bool whole = false;
	char *line;
	FILE *file;

	if (functions->lost)
		return;
	file = fdopen(dup(fd), "r");
	functions->lost = file == NULL;
	buffer = pe_realloc(NULL, 1, PE_SIMULATE_LINE_BYTES);
	while (!functions->lost && (line = next_line(buffer, file, &whole)) != NULL) {
		functions->bytes += strlen(line) + 1;
		record.whole = strncmp(line, "summary: ", 9) == 0;
		functions->lost = functions->bytes > PE_SIMULATE_RECORDS_BYTES ||
				  (!record.whole && !read_line(&record, line));
	}
	functions->lost |= !whole || !record.whole || record.sum != total;
	if (file != NULL)
		fclose(file);
	free(record.file);
}

struct pe_function_counts
pe_simulated_functions_take(const struct pe_simulated_functions *functions, struct pe_arena *arena)
{
	struct pe_function_counts taken = {NULL, 0};

	if (functions->lost)
		return taken;
	taken.at = pe_arena_new(arena, struct pe_function_count, functions->at.n);
	for (size_t i = 0; i < functions->at.n; i++) {
		const struct pe_function_count *one = &functions->at.data[i];

		if (one->instructions == 0)
			continue;
		taken.at[taken.n++] = (struct pe_function_count){
			.name = pe_arena_strdup(arena, one->name),
			.signature = "",
			.component = pe_arena_strdup(arena, one->component),
			.instructions = one->instructions,
		};
	}
	return taken;
}

void pe_simulated_functions_release(struct pe_simulated_functions *functions)
{
	pe_vec_release(&functions->at);
	pe_hash_index_release(&functions->index);
	pe_arena_release(&functions->names);
}
