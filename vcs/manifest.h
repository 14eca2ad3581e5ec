/*
 * Manifest: what a filled folder held when it was whole, kept beside it as <folder>.manifest.
 *
 * It is removed before a fill touches the folder and appears, by rename(2), when the fill is through: a folder
 * without one holds nothing that can be relied on. The stat data in it tells which files a build changed.
 */
#ifndef PE_VCS_MANIFEST_H
#define PE_VCS_MANIFEST_H

#include "core/exec/ports.h"
#include "vcs/tree.h"

/** A loaded manifest: the tree that the folder held. */
struct pe_manifest {
	struct pe_tree tree;
	int64_t written_ns; /* when it was written, by the file system's clock */
	bool dates_folders; /* this file system notes in a folder when names in it came or went */
};

/**
 * Load the manifest of a folder.
 *
 * @param spec          the folder, what is trusted above it, and the revision that it holds (`have`)
 * @param surroundings  hash of what else decides the content of files
 * @return  false when there is none, or when it speaks of another revision, repository, configuration or boot
 */
bool pe_manifest_load(struct pe_manifest *manifest, const struct pe_fill_spec *spec,
		      const char *surroundings);

/** Write the manifest of a folder that holds spec->id. */
int pe_manifest_save(const struct pe_tree *tree, const struct pe_fill_spec *spec,
		     const char *surroundings, struct pe_err *err);

/** Remove the manifest: from here on the folder is not whole. */
int pe_manifest_remove(const struct pe_fill_spec *spec, struct pe_err *err);

#endif
