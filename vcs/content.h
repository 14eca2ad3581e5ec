/*
 * Content: the bytes that a checkout of a file would have: its blob, after line endings, ident keywords, the
 * working tree's encoding and Git LFS, by the attributes of its own commit.
 *
 * Filter drivers that run a program (`filter.<name>.smudge`) are not run: they may ask for a password or the
 * network, and need not give the same answer twice. A file that passes one that is configured is refused, and so is a
 * pointer whose object is not here.
 */
#pragma once

#include "core/base/text.h"
#include "vcs/tree.h"

/** Zero-initialise; pe_content_release() frees what it holds. */
struct pe_content {
	const char *data;
	size_t size;
	git_blob *blob;
	git_buf filtered;
	struct pe_text encoded;
	void *mapped; /* a Git LFS object; NULL: none */
};

/** Bytes of a file as git keeps it, without reading it; 0: unknown. */
uint64_t pe_content_raw_size(const struct pe_tree *tree, const struct pe_row *row);

/** Load a file or a link. PE_EUNSUPPORTED: a checkout would have another content. */
int pe_content_load(struct pe_content *out, const struct pe_tree *tree, const struct pe_row *row,
		    struct pe_err *err);

/** Release what pe_content_load() loaded. One that is zeroed is left alone. */
void pe_content_release(struct pe_content *content);

/** A content that is released where its block is left. */
#define pe_auto_content __attribute__((cleanup(pe_content_release))) struct pe_content
