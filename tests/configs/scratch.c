/* realpath(3) is in the X/Open part of POSIX. */
#define _XOPEN_SOURCE 700

#include "scratch.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "tests/support/test.h"

void scratch_init(struct scratch *scratch)
{
	const char *base = getenv("TMPDIR");
	char *path, *whole;

	scratch->arena = (struct pe_arena)PE_ARENA_INIT;
	path = pe_arena_printf(&scratch->arena, "%s/perfevo-test-XXXXXX",
			       base != NULL ? base : "/tmp");
	cr_assert_not_null(mkdtemp(path));
	whole = realpath(path, NULL);
	cr_assert_not_null(whole);
	scratch->dir = pe_arena_strdup(&scratch->arena, whole);
	free(whole);
}

void scratch_release(struct scratch *scratch)
{
	struct pe_err err = PE_ERR_INIT;

	cr_expect_ok(pe_files_remove(scratch->dir, &err), err.message);
	pe_arena_release(&scratch->arena);
}

const char *scratch_path(struct scratch *scratch, const char *path)
{
	return pe_arena_printf(&scratch->arena, "%s/%s", scratch->dir, path);
}

void scratch_write(struct scratch *scratch, const char *path, const char *text)
{
	char *full = pe_arena_strdup(&scratch->arena, scratch_path(scratch, path));
	pe_auto_text content = PE_TEXT_INIT;
	struct pe_err err = PE_ERR_INIT;
	char *slash = strrchr(full, '/');

	*slash = '\0';
	cr_assert_ok(pe_files_make_dir(full, &err), err.message);
	*slash = '/';
	pe_text_add(&content, text);
	cr_assert_ok(pe_text_write_file(&content, full, &err), err.message);
}

const char *scratch_read(struct scratch *scratch, const char *path)
{
	pe_auto_text content = PE_TEXT_INIT;
	const char *copy = NULL;

	if (pe_text_read_file(&content, scratch_path(scratch, path), NULL) == PE_OK)
		copy = pe_arena_strdup(&scratch->arena, pe_text_str(&content));
	return copy;
}

void scratch_shell(struct scratch *scratch, const char *command)
{
	const char *line =
		pe_arena_printf(&scratch->arena, "cd '%s' && { %s\n}", scratch->dir, command);

	cr_assert_eq(system(line), 0, "failed: %s", command);
}

void scratch_write_tree(struct scratch *scratch, const char *input)
{
	char *at = pe_arena_strdup(&scratch->arena, input);

	while (strncmp(at, "== ", 3) == 0) {
		char *path = at + 3, *content = path + strcspn(path, "\n") + 1;
		char *next = strncmp(content, "== ", 3) == 0 ? content : strstr(content, "\n== ");
		size_t n = next == NULL ? strlen(content)
					: (size_t)(next - content) + (next > content);
		const char *text = pe_arena_strndup(&scratch->arena, content, n);

		if (n >= 2 && strcmp(text + n - 2, "\\\n") == 0)
			text = pe_arena_strndup(&scratch->arena, text, n - 2);
		content[-1] = '\0';
		scratch_write(scratch, path, text);
		if (strncmp(text, "#!", 2) == 0)
			cr_assert_eq(chmod(scratch_path(scratch, path), 0755), 0);
		if (next == NULL)
			break;
		at = content + n;
	}
}
