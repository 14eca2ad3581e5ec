/*
 * Site: the files around the pages of several branches, for a web server that hands out files:
 *
 *   index.html          a table of the branches and the newest confirmed changes; without a script
 *   index.json          the same for programs, and the list of the site's files
 *   feed.atom           the confirmed changes (Atom, RFC 4287)
 *   latest/index.html   leads to the first branch
 *   BRANCH/index.html   the report, BRANCH/data.json its values, BRANCH/badge.svg its latest change
 *
 * The same values give the same bytes: times are those of commits.
 *
 * index.json: {
 *   format: 1, generator: "perfevo site", version, project, title, url: null without one,
 *   branches: [{ name, folder, commit: id, subject, time, class: of this commit, for people, null without jumps,
 *                slower, faster, mixed, counts: confirmed commits by class, headline, digest: of the page }],
 *   changes:  [{ branch, id: as in the feed, time, and the members of pe_commit_blocks_json()'s events }], newest first
 *   files:    [path]
 * }
 */
#pragma once

#include "core/base/hash.h"
#include "core/base/text.h"
#include "report/commit_blocks.h"

/** The member `generator` of index.json: such a file is of a site. */
#define PE_SITE_GENERATOR "perfevo site"

/** A branch of the site. Texts are borrowed. */
struct pe_site_branch {
	const char *name;
	const char *folder;        /**< as pe_site_add_folder() makes it */
	struct pe_revision newest; /**< the newest commit that was measured */
	const char *class;         /**< of the newest commit, for people; NULL: it has no jump */
	unsigned direction; /**< of that class: of PE_MOVED_WORSE and PE_MOVED_BETTER; 0: neither */
	struct pe_class_counts counts; /**< of its commits */
	const char *headline;
	char digest[PE_HASH_HEX]; /**< of its page */
};

/** A commit with a confirmed change. */
struct pe_site_change {
	const char *commit;
	int64_t time_s;
	const struct pe_site_branch *branch;
	const char *line; /**< class, leading jump and commit in one line */
	const char *text; /**< all jumps, as `track` prints them */
	const char *json; /**< its object of index.json */
};

struct pe_site {
	const char *project, *version, *title;
	const char *url; /**< where it will be, without a slash at the end; NULL: unknown */
	const struct pe_site_branch *branches;
	size_t n_branches;
	const struct pe_site_change *changes; /**< newest first */
	size_t n_changes;
	const char *const *files; /**< paths below the folder */
	size_t n_files;
};

/**
 * Append the name of a branch's folder: letters, digits, '.', '_' and '-' of the branch's name, each other byte as ~2F. It
 * needs no escaping in an address, differs for different names (git allows no '~' in them), and is none of the site's own.
 */
void pe_site_add_folder(struct pe_text *out, const char *branch);

/** Whether a path below the folder may be a file of a site. */
bool pe_site_is_path(const char *path);

/**
 * Fill in a branch from its evolution: newest commit, class, counts, headline. Texts are in the arena.
 *
 * @return  false: nothing was measured
 */
bool pe_site_describe(struct pe_site_branch *out, const struct pe_evolution *evolution,
		      const struct pe_commit_block *blocks, size_t n, struct pe_arena *arena);

/** A confirmed change of a branch, borrowed by it. Texts are in the arena. */
struct pe_site_change pe_site_change_of(const struct pe_site_branch *branch,
					const struct pe_evolution *evolution,
					const struct pe_commit_block *block,
					struct pe_arena *arena);

/** Write the files, whose names are above. */
void pe_site_html(struct pe_text *out, const struct pe_site *site);
void pe_site_json(struct pe_text *out, const struct pe_site *site);
void pe_site_feed(struct pe_text *out, const struct pe_site *site);
void pe_site_latest(struct pe_text *out, const struct pe_site *site);

/** Write the badge of a branch: its latest confirmed change. */
void pe_site_badge(struct pe_text *out, const struct pe_evolution *evolution,
		   const struct pe_commit_block *blocks, size_t n);
