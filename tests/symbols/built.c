#define _XOPEN_SOURCE 700 /* realpath(3) */

#include "built.h"

#include "core/base/files.h"
#include "tests/support/test.h"

#include <stdarg.h>

#define SOURCES PE_SOURCE_DIR "/tests/symbols/programs"

static char root[4096];

const char *built_root(void)
{
	return root;
}

void built_make_root(void)
{
	const char *folder = getenv("TMPDIR");
	char given[4096];

	snprintf(given, sizeof(given), "%s/perfevo-symbols-XXXXXX",
		 folder != NULL ? folder : "/tmp");
	cr_assert(mkdtemp(given) != NULL);
	cr_assert(realpath(given, root) != NULL);
	built_shell("src", "cp %s/* .", SOURCES);
}

void built_remove_root(void)
{
	pe_files_remove(root, NULL);
}

void built_shell(const char *folder, const char *format, ...)
{
	pe_auto_text text = PE_TEXT_INIT;
	char line[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	pe_text_addf(
		&text,
		"cd '%s' && mkdir -p '%s' && cd '%s' && { %s; } >log 2>&1 || { cat log >&2; exit "
		"1; }",
		root, folder, folder, line);
	cr_assert_ok(system(text.data), line);
}

size_t built_run(struct built_mark *marks, size_t most, const char *folder, const char *command)
{
	pe_auto_text text = PE_TEXT_INIT;
	char line[8192];
	FILE *pipe;
	size_t n = 0;

	pe_text_addf(&text, "cd '%s/%s' && %s", root, folder, command);
	pipe = popen(text.data, "r");
	cr_assert(pipe != NULL);
	while (fgets(line, sizeof(line), pipe) != NULL && n < most)
		n += sscanf(line, "%31s %4095s %lx %lx", marks[n].tag, marks[n].path,
			    &marks[n].bias, &marks[n].address) == 4;
	cr_assert_ok(pclose(pipe), command);
	return n;
}

const struct built_mark *built_find(const struct built_mark *marks, size_t n, const char *tag)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(marks[i].tag, tag) == 0)
			return &marks[i];
	cr_assert(0, "the program did not mark %s", tag);
	return NULL;
}

/* The comment that marks a line of a source: "@inner". */
static void add_marker(struct pe_text *out, const char *component, uint32_t line)
{
	pe_auto_text path = PE_TEXT_INIT, source = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;
	const char *at, *end, *found;

	pe_text_addf(&path, "%s%s%s", component[0] == '/' ? "" : root,
		     component[0] == '/' ? "" : "/", component);
	if (line == 0 || pe_text_read_file(&source, path.data, &err) != PE_OK) {
		pe_text_add(out, line == 0 ? "@-" : "@?");
		return;
	}
	for (at = source.data; line > 1 && *at != '\0'; line--)
		at += strcspn(at, "\n") + 1;
	end = at + strcspn(at, "\n");
	found = strstr(at, "/* @");
	if (found != NULL && found < end)
		pe_text_addn(out, found + 3, strcspn(found + 3, " "));
	else
		pe_text_add(out, "@?");
}

const char *built_describe(struct pe_symbols_db *db, const struct built_mark *mark)
{
	static struct pe_text text;
	struct pe_symbolizer symbolizer = pe_symbols_symbolizer(db);
	struct pe_module module = {.path = mark->path, .build_id = "", .bias = mark->bias};
	struct pe_err err = PE_ERR_INIT;
	struct pe_symbols symbols;

	pe_text_clear(&text);
	cr_assert(eq(int,
		     symbolizer.resolve(&symbols, &module, mark->address, symbolizer.payload, &err),
		     PE_OK));
	cr_assert(gt(sz, symbols.n, 0));
	for (size_t i = 0; i < symbols.n; i++) {
		const struct pe_frame *frame = &symbols.at[i].frame;

		pe_text_addf(&text, "%s%s%s%s %s", i > 0 ? " < " : "",
			     frame->kind == PE_FRAME_UNKNOWN ? "?" : "", frame->name,
			     frame->signature, frame->component);
		add_marker(&text, frame->component, symbols.at[i].line);
	}
	return pe_text_str(&text);
}
