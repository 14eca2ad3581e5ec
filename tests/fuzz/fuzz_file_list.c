/* The list of a folder's files, below its title: builds may have written it. */
#include "core/base/file_list.h"
#include "require.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	pe_auto_text text = PE_TEXT_INIT;
	struct pe_file_list list;
	size_t bytes = 0;

	pe_text_add(&text, "title\n");
	pe_text_addn(&text, (const char *)data, size);
	if (!pe_file_list_parse(&list, &text, "title", &arena))
		return 0;
	for (size_t i = 0; i < list.files.n; i++) {
		require(i == 0 || strcmp(list.files.data[i - 1].path, list.files.data[i].path) < 0,
			"files are sorted");
		bytes += strlen(list.files.data[i].path);
	}
	require(bytes < text.len, "paths lie in the text");
	pe_vec_release(&list.files);
	return 0;
}
