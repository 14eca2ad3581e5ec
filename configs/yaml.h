/*
 * Yaml: a document as a tree of nodes with their positions, from the one of libyaml. Stricter than
 * YAML where leniency hides mistakes: keys are unique, merge keys and tags are refused.
 */
#pragma once

#include "core/base/arena.h"
#include "core/base/text.h"

#include <stdbool.h>

enum {
	PE_YAML_MOST_BYTES = 1 << 20, /**< of a file: configs are written by hand */
};

enum pe_yaml_kind { PE_YAML_SCALAR, PE_YAML_LIST, PE_YAML_MAP };

/** A position; both numbers count from 1. */
struct pe_yaml_mark {
	size_t line, column;
};

struct pe_yaml_pair;

/** A node. An alias is the very node of its anchor. */
struct pe_yaml {
	enum pe_yaml_kind kind;
	struct pe_yaml_mark mark;
	const char *text; /**< scalar: its value, without NUL bytes */
	bool plain;       /**< scalar: written without quotes, so that `true` and `~` are special */
	bool open;        /**< it is being read: an alias to it would be a ring */
	size_t size;      /**< values in it; aliases count as their anchors */
	size_t n;
	struct pe_yaml **items;     /**< list */
	struct pe_yaml_pair *pairs; /**< map, in the file's order */
};

struct pe_yaml_pair {
	struct pe_yaml *key; /**< always a scalar */
	struct pe_yaml *value;
};

/**
 * Read a file for pe_yaml_parse(). It may be untrusted: it has to be a regular file of at most 1 MiB, and
 * below root no part of its path may be a link (pe_files_open_placed()). --config may name a file elsewhere, also a link.
 *
 * @return  PE_ENOTFOUND for a missing file; PE_EINVALID for a link below root, and for other kinds of files
 */
int pe_yaml_read_file(struct pe_text *out, const char *path, const char *root, struct pe_err *err);

/**
 * Read one document.
 *
 * @param out   the root, in the arena; NULL for an empty document
 * @param path  for messages
 * @return      PE_EINVALID: "path:line:column: ..."
 */
int pe_yaml_parse(struct pe_yaml **out, const char *path, const char *text, size_t len,
		  struct pe_arena *arena, struct pe_err *err);

/** Whether a node is an unquoted null: `~`, `null`, or nothing at all. */
bool pe_yaml_is_null(const struct pe_yaml *node);

/** The value of a map's key; NULL: it is missing, or node is no map. */
struct pe_yaml *pe_yaml_get(const struct pe_yaml *node, const char *key);

/** "a mapping", "a list", "a single value", for messages. */
const char *pe_yaml_kind_name(const struct pe_yaml *node);
