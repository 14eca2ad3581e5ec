/* Open: the config and the store of a command, found where they lie. */
#ifndef PE_CMD_OPEN_H
#define PE_CMD_OPEN_H

#include "cmd/cmd.h"

/**
 * Find, read and seal the config into ctx->config: --config, else perfevo.yml or .perfevo.yml at the top of
 * the user's tree, else (bare repository) the one of HEAD, whose files are then copied into the cache.
 *
 * @return  PE_ENOTFOUND: "no perfevo.yml in /home/me/tool: run 'perfevo init'"; PE_EINVALID
 */
int pe_open_config(struct pe_cmd_ctx *ctx);

/**
 * Open ctx->store: --store, else perfevo/perfevo.db in the repository's common directory, whose folder is
 * made when the store may be created.
 *
 * @param needs  PE_NEEDS_STORE: for writing; PE_NEEDS_STORE_READ: it must exist
 */
int pe_open_store(struct pe_cmd_ctx *ctx, unsigned needs);

/** Where the store lies or would lie; in the context's arena. */
const char *pe_store_place(struct pe_cmd_ctx *ctx);

#endif
