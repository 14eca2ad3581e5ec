/* A test's data, which stands in the tree as it is, or compressed by gzip where it is long. */
#pragma once

#include "core/base/text.h"
#include "tests/support/test.h"

#include <zlib.h>

/* FOLDER/NAME of the tests, or FOLDER/NAME.gz where there is no such file. Lives until the next call. */
static inline const char *data_path(const char *folder, const char *name)
{
	static char path[1024];

	snprintf(path, sizeof(path), PE_SOURCE_DIR "/tests/%s/%s", folder, name);
	if (access(path, R_OK) != 0)
		snprintf(path, sizeof(path), PE_SOURCE_DIR "/tests/%s/%s.gz", folder, name);
	return path;
}

/* What data_path() names, decompressed. */
static inline void data_file(struct pe_text *out, const char *folder, const char *name)
{
	char buffer[1 << 14];
	gzFile file = gzopen(data_path(folder, name), "rb");
	int n;

	cr_assert(file != NULL, "%s/%s", folder, name);
	pe_text_clear(out);
	while ((n = gzread(file, buffer, sizeof(buffer))) > 0)
		pe_text_addn(out, buffer, (size_t)n);
	cr_assert(gzclose(file) == Z_OK && n == 0, "%s/%s", folder, name);
}

/* Write a file as it is kept: by gzip where its name says so. */
static inline void data_write(const struct pe_text *text, const char *path)
{
	gzFile file = gzopen(path, strstr(path, ".gz") != NULL ? "wb9" : "wbT");

	cr_assert(file != NULL, "%s", path);
	cr_assert((size_t)gzwrite(file, pe_text_str(text), (unsigned)text->len) == text->len);
	cr_assert(gzclose(file) == Z_OK, "%s", path);
}
