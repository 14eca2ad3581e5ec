/* Exchange: what its files share. Nothing outside store/ includes it. */
#pragma once

#include "core/json/writer.h"
#include "store/exchange.h"
#include "store/sql.h"

/** Refuse the document for the first row that a query gives: PE_EINVALID. @param sql  name of the table, row, rule */
int pe_results_rule(struct pe_store *store, const char *sql, struct pe_err *err);

/**
 * Import the profiles of the document that was read, those of commits that are here. One that is there stays unless it is
 * older.
 *
 * @param machine  the key of the document's machine, which is of its origin
 * @return         PE_EINVALID: a tree that is damaged, or more nodes than a document may have
 */
int pe_take_profiles(struct pe_results_sum *sum, struct pe_store *store, int64_t machine,
		     struct pe_err *err);

/** Write the tables `trees` and `frames` of a profile into a document, and add their rows to *rows. */
int pe_pack_trees(struct pe_json *json, size_t *rows, struct pe_store *store, int64_t profile,
		  struct pe_err *err);
