/*
 * Landlock: confinement of commands where the machine has no user namespaces. A ruleset names all paths that a command may
 * use. A path is hidden only by having no rule, so the entries of a folder with a hidden path get rules one by one.
 *
 * It is weaker than namespaces (landlock(7)): commands see names, sizes and modes of all files and other processes, and
 * change modes and owners of their user's files; there are no folders in memory, and neither UDP nor named sockets are
 * blocked.
 */
#pragma once

#include "probe/launcher/confine.h"

/**
 * Confine further commands by rulesets. Nothing else changes.
 *
 * @return  true; false: *why has the missing feature of the machine (Linux 6.2)
 */
bool pe_landlock_enter(struct pe_confinement *out, const struct pe_confine_request *request,
		       struct pe_wire_confined *why);

/** Before a command: make the ruleset that lets it write to these folders. False with errno. */
bool pe_landlock_bind(struct pe_confinement *confinement, const char *const places[PE_WIRE_PLACES],
		      unsigned flags);

/** Make a ruleset that only blocks other processes' sockets with abstract names; -1: this kernel has none. */
int pe_landlock_open_scope(void);

/** In the child, without new privileges: restrict itself. Zero, or errno. */
int pe_landlock_child(const struct pe_confinement *confinement);
