/*
 * The methods that perfevo reads, and what reading them costs. Paths of files come on standard input, a line each.
 *
 *   pe_bench_methods list     a line a method: file, plain name, first line, last line, u if uncertain,
 *                             qualified name, signature; between tabs
 *   pe_bench_methods languages  a line a file: file, language that it is read in
 *   pe_bench_methods speed    one core, in its own time: bytes a second of tree-sitter alone and of the extraction
 *   pe_bench_methods version  of the extraction
 */
#include "core/base/text.h"
#include "core/base/vec.h"
#include "analysis/methods/extract.h"
#include "analysis/methods/language.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 7 };

struct file {
	char *path;
	struct pe_text source;
	const struct pe_language *language;
};

typedef PE_VEC(struct file) files;

static void read_files(files *out)
{
	char path[4096];

	while (fgets(path, sizeof(path), stdin) != NULL) {
		struct file file = {.source = PE_TEXT_INIT};
		struct pe_err err = PE_ERR_INIT;

		path[strcspn(path, "\n")] = '\0';
		file.language = pe_language_of(path);
		if (file.language == NULL)
			continue;
		if (pe_text_read_file(&file.source, path, &err) != PE_OK) {
			fprintf(stderr, "pe_bench_methods: %s\n", err.message);
			continue;
		}
		file.path = strdup(path);
		pe_vec_push(out, file);
	}
}

/* The name without what qualifies it and without a macro's arguments, as other tools list it. */
static const char *plain_name(const char *name, size_t *len)
{
	const char *oper = strstr(name, "operator");
	const char *plain = name, *end;
	int depth = 0;

	for (const char *at = name; *at != '\0' && at != oper; at++) {
		depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
		if (depth <= 0 && at[1] != '\0' && strchr(".:#", *at) != NULL &&
		    strchr(".:#", at[1]) == NULL)
			plain = at + 1;
	}
	if (strncmp(plain, "get ", 4) == 0 || strncmp(plain, "set ", 4) == 0)
		plain += 4;
	end = oper != NULL ? NULL : strchr(plain, '(');
	*len = end != NULL ? (size_t)(end - plain) : strlen(plain);
	return plain;
}

static void list(const files *all)
{
	struct pe_extractor *extractor = pe_extractor_new();

	for (size_t i = 0; i < all->n; i++) {
		const struct file *file = &all->data[i];
		struct pe_arena arena = PE_ARENA_INIT;
		struct pe_methods methods;

		pe_extract(&methods, extractor, file->language, file->path,
			   pe_text_str(&file->source), file->source.len, &arena);
		for (size_t k = 0; k < methods.n; k++) {
			const struct pe_method *method = &methods.at[k];
			size_t len;
			const char *plain = plain_name(method->name, &len);

			printf("%s\t%.*s\t%" PRIu32 "\t%" PRIu32 "\t%s\t%s\t%s\n", file->path,
			       (int)len, plain, method->first_line, method->last_line,
			       method->uncertain ? "u" : "-", method->name, method->signature);
		}
		pe_arena_release(&arena);
	}
	pe_extractor_free(extractor);
}

/* The language a file is read in, headers by what they show. */
static const struct pe_language *language_of(const struct file *file)
{
	return pe_language_by_content(file->language, file->path, pe_text_str(&file->source),
				      file->source.len);
}

static void list_languages(const files *all)
{
	for (size_t i = 0; i < all->n; i++)
		printf("%s\t%s\n", all->data[i].path, pe_language_name(language_of(&all->data[i])));
}

/* Of this process: others on the machine do not count. */
static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Parsing alone, in the languages that the extraction takes. */
static uint64_t time_parsing(const files *all)
{
	TSParser *parser = ts_parser_new();
	uint64_t start = cpu_ns();

	for (size_t i = 0; i < all->n; i++) {
		const struct file *file = &all->data[i];
		const struct pe_language *language = language_of(file);
		TSTree *tree;

		ts_parser_set_language(parser, language->grammar());
		tree = ts_parser_parse_string(parser, NULL, pe_text_str(&file->source),
					      (uint32_t)file->source.len);
		ts_tree_delete(tree);
	}
	start = cpu_ns() - start;
	ts_parser_delete(parser);
	return start;
}

static uint64_t time_extraction(const files *all)
{
	struct pe_extractor *extractor = pe_extractor_new();
	struct pe_arena arena = PE_ARENA_INIT;
	uint64_t start = cpu_ns();

	for (size_t i = 0; i < all->n; i++) {
		const struct file *file = &all->data[i];
		struct pe_methods methods;

		pe_extract(&methods, extractor, file->language, file->path,
			   pe_text_str(&file->source), file->source.len, &arena);
	}
	pe_arena_release(&arena);
	start = cpu_ns() - start;
	pe_extractor_free(extractor);
	return start;
}

/* In turns, the best of each: whatever else the machine does only adds. */
static void speed(const files *all)
{
	uint64_t parsing = UINT64_MAX, extraction = UINT64_MAX;
	size_t bytes = 0;

	for (size_t i = 0; i < all->n; i++)
		bytes += all->data[i].source.len;
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t bare = time_parsing(all), ours = time_extraction(all);

		parsing = bare < parsing ? bare : parsing;
		extraction = ours < extraction ? ours : extraction;
	}
	printf("%zu files, %.2f MB: tree-sitter %.2f MB/s, extraction %.2f MB/s, %.1f %% of it\n",
	       all->n, (double)bytes / 1e6, (double)bytes * 1e3 / (double)parsing,
	       (double)bytes * 1e3 / (double)extraction,
	       100.0 * (double)parsing / (double)extraction);
}

int main(int argc, char **argv)
{
	files all = {0};

	if (argc == 2 && strcmp(argv[1], "version") == 0) {
		printf("%08" PRIx32 "\n", pe_extract_version());
		return EXIT_SUCCESS;
	}
	if (argc != 2 || (strcmp(argv[1], "list") != 0 && strcmp(argv[1], "languages") != 0 &&
			  strcmp(argv[1], "speed") != 0)) {
		fprintf(stderr, "usage: pe_bench_methods list|languages|speed|version <paths\n");
		return 129;
	}
	read_files(&all);
	if (all.n == 0) {
		fprintf(stderr, "pe_bench_methods: no file in a language that perfevo reads\n");
		return 125;
	}
	if (strcmp(argv[1], "list") == 0)
		list(&all);
	else if (strcmp(argv[1], "languages") == 0)
		list_languages(&all);
	else
		speed(&all);
	for (size_t i = 0; i < all.n; i++) {
		free(all.data[i].path);
		pe_text_release(&all.data[i].source);
	}
	pe_vec_release(&all);
	return EXIT_SUCCESS;
}
