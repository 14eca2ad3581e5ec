#define _GNU_SOURCE
#include "tests/runtime/counted.h"

#include "analysis/symbols/symbols.h"
#include "core/base/text.h"
#include "probe/formats/trace.h"
#include "tests/support/test.h"

#include <stdarg.h>

#define SOURCES PE_SOURCE_DIR "/tests/programs/calls/"
#define RUNTIME PE_BINARY_DIR "/runtime/libperfevo_calls.so"

static char dir[256];
static struct pe_arena arena;
static struct pe_frames frames;
static struct pe_symbols_db *symbols;
static struct pe_trace_notes notes;
static struct pe_text source, output;

void counted_set_up(void)
{
	const char *tmp = getenv("TMPDIR");
	struct pe_err err = PE_ERR_INIT;

	snprintf(dir, sizeof(dir), "%s/pe-calls-XXXXXX", tmp != NULL ? tmp : P_tmpdir);
	cr_assert(ne(ptr, mkdtemp(dir), NULL));
	cr_assert(eq(int, pe_symbols_open(&symbols, SOURCES, NULL, &err), PE_OK));
}

void counted_tear_down(void)
{
	counted_shell("rm -rf '%s'", dir);
	pe_symbols_close(symbols);
	pe_frames_release(&frames);
	pe_arena_release(&arena);
	pe_text_release(&source);
	pe_text_release(&output);
}

const char *counted_dir(void)
{
	return dir;
}

const struct pe_trace_notes *counted_notes(void)
{
	return &notes;
}

const char *counted_output(void)
{
	return pe_text_str(&output);
}

PE_PRINTF(1, 0) static int shell(const char *format, va_list args)
{
	char *command;
	int status;

	cr_assert(ge(int, vasprintf(&command, format, args), 0));
	status = system(command);
	free(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void counted_shell(const char *format, ...)
{
	va_list args;
	int status;

	va_start(args, format);
	status = shell(format, args);
	va_end(args);
	cr_assert(eq(int, status, 0), "a line of shell failed: %s", format);
}

PE_PRINTF(1, 2) static int shell_status(const char *format, ...)
{
	va_list args;
	int status;

	va_start(args, format);
	status = shell(format, args);
	va_end(args);
	return status;
}

/* The program is named after its source. */
static const char *program_of(const struct counted *how)
{
	static char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(how->source, "."), how->source);
	return name;
}

void counted_build(const struct counted *how)
{
	counted_shell(
		"cd '%s' && %s -g -fno-builtin -finstrument-functions "
		"-finstrument-functions-exclude-file-list=/usr/include,/usr/lib/gcc -o %s '" SOURCES
		"%s' -pthread -ldl 2>log || "
		"%s -g -fno-builtin -finstrument-functions -o %s '" SOURCES "%s' -pthread -ldl",
		dir, how->compiler, program_of(how), how->source, how->compiler, program_of(how),
		how->source);
}

const struct pe_cct *counted_run(const struct counted *how)
{
	struct pe_symbolizer symbolizer = pe_symbols_symbolizer(symbols);
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct;
	char path[300];
	int status;

	status = shell_status("cd '%s' && rm -rf traces && mkdir traces && { "
			      "env -u LD_PRELOAD %s %s='%s/traces' LD_PRELOAD='" RUNTIME
			      "' ./%s %s; } >out 2>/dev/null",
			      dir, how->env != NULL ? how->env : "", PE_TRACE_DIR_ENV, dir,
			      program_of(how), how->args != NULL ? how->args : "");
	cr_assert(eq(int, status, how->status));
	pe_text_clear(&output);
	snprintf(path, sizeof(path), "%s/out", dir);
	cr_assert(eq(int, pe_text_read_file(&output, path, &err), PE_OK));
	snprintf(path, sizeof(path), "%s/traces", dir);
	cr_assert_ok(pe_trace_read_dir(&cct, &notes, path, &symbolizer, &frames, &arena, &err),
		     err.message);
	cr_assert_ok(pe_cct_check(cct, &err), err.message);
	return cct;
}

uint32_t counted_child(const struct pe_cct *cct, uint32_t node, const char *name)
{
	for (uint32_t c = pe_cct_first(cct, node); c != PE_CCT_NONE; c = pe_cct_next(cct, c))
		if (strcmp(pe_cct_frame(cct, c)->name, name) == 0)
			return c;
	return PE_CCT_NONE;
}

/* The number of the line that is marked with a tag; 0: none is. */
static unsigned line_of(const char *tag, size_t n)
{
	unsigned line = 1;

	for (const char *at = pe_text_str(&source); *at != '\0'; at++) {
		line += *at == '\n';
		if (*at == '<' && strncmp(at + 1, tag, n) == 0 && at[1 + n] == '>')
			return line;
	}
	return 0;
}

/* A line of the drawing with numbers for tags; false: it is not of this run. */
static bool translate(struct pe_text *out, const char *line, size_t n, const struct counted *how)
{
	const char *tag = memchr(line, '[', n);
	size_t i = 0;

	if (tag != NULL) {
		size_t length =
			(size_t)((const char *)memchr(tag, ']', n - (size_t)(tag - line)) - tag) -
			1;

		if (how->tag == NULL || strlen(how->tag) != length ||
		    strncmp(how->tag, tag + 1, length) != 0)
			return false;
		n = (size_t)(tag - line) - 1;
	}
	while (i < n) {
		size_t word = strcspn(line + i, " \n");

		if (line[i] == '@' && line[i + 1] != '*' &&
		    (line[i + 1] < '0' || line[i + 1] > '9')) {
			unsigned number = line_of(line + i + 1, word - 1);

			cr_assert(gt(uint, number, 0), "no line of %s is marked <%.*s>",
				  how->source, (int)word - 1, line + i + 1);
			pe_text_addf(out, "@%u", number);
			i += word;
		} else {
			pe_text_addc(out, line[i++]);
		}
	}
	pe_text_addc(out, '\n');
	return true;
}

/* What the opening comment draws: its lines that are indented. */
static void read_drawing(struct pe_text *out, const struct counted *how)
{
	const char *at = pe_text_str(&source);
	const char *end = strstr(at, "*/");

	while (at < end) {
		size_t n = strcspn(at, "\n");

		if (strncmp(at, " *   ", 5) == 0)
			translate(out, at + 5, n - 5, how);
		at += n + 1;
	}
}

static void draw_node(struct pe_text *out, const struct pe_cct *cct, uint32_t node, unsigned depth,
		      bool allocations)
{
	pe_text_addf(out, "%*s%s @%u x%llu", (int)(2 * depth), "", pe_cct_frame(cct, node)->name,
		     cct->nodes[node].site, (unsigned long long)cct->calls[node]);
	if (allocations && cct->allocations != NULL) {
		if (cct->allocations[node] != 0)
			pe_text_addf(out, " +%llu:%llu", (unsigned long long)cct->allocations[node],
				     (unsigned long long)cct->allocated_bytes[node]);
		if (cct->frees[node] != 0)
			pe_text_addf(out, " -%llu", (unsigned long long)cct->frees[node]);
	}
	pe_text_addf(out, "%s\n", (cct->flags[node] & PE_CCT_FOLDED) != 0 ? " folded" : "");
}

/* The root is not drawn. What the C library itself allocates is not the same everywhere: only methods' is. */
static void draw(struct pe_text *out, const struct pe_cct *cct, const struct counted *how)
{
	for (uint32_t i = 1; i < cct->n; i++) {
		unsigned depth = 0;

		for (uint32_t at = cct->nodes[i].parent; at != 0; at = cct->nodes[at].parent)
			depth++;
		draw_node(out, cct, i, depth,
			  pe_cct_frame(cct, i)->kind == PE_FRAME_METHOD && !how->no_allocations);
	}
}

/* A drawn line against a line of the tree, word by word; sites only where they are drawn. */
static bool same_line(const char *drawn, const char *is)
{
	while (*drawn != '\n' || *is != '\n') {
		size_t n = strcspn(drawn, " \n"), m = strcspn(is, " \n");

		if (*is == '@' && (*drawn != '@' || drawn[1] == '*')) {
			is += m + (is[m] == ' ');
			if (*drawn == '@')
				drawn += n + (drawn[n] == ' ');
			continue;
		}
		if (n == 1 && *drawn == '~') {
			drawn++;
			while (*is == '+' || *is == '-')
				is += strcspn(is, " \n") + (is[strcspn(is, " \n")] == ' ');
			continue;
		}
		if (n != m || strncmp(drawn, is, n) != 0)
			return false;
		drawn += n + (drawn[n] == ' ');
		is += m + (is[m] == ' ');
	}
	return true;
}

static bool same_text(const char *drawn, const char *is)
{
	while (*drawn != '\0' && *is != '\0') {
		if (!same_line(drawn, is))
			return false;
		drawn = strchr(drawn, '\n') + 1;
		is = strchr(is, '\n') + 1;
	}
	return *drawn == *is;
}

void counted_check(const struct counted *how)
{
	pe_auto_text drawn = PE_TEXT_INIT, is = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;
	const struct pe_cct *cct;
	char path[512];

	snprintf(path, sizeof(path), SOURCES "%s", how->source);
	pe_text_clear(&source);
	cr_assert(eq(int, pe_text_read_file(&source, path, &err), PE_OK));
	counted_build(how);
	cct = counted_run(how);
	read_drawing(&drawn, how);
	draw(&is, cct, how);
	cr_expect(same_text(pe_text_str(&drawn), pe_text_str(&is)),
		  "%s with %s: the drawing, and what is:\n%s--\n%s", how->source, how->compiler,
		  pe_text_str(&drawn), pe_text_str(&is));
}
