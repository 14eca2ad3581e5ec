/*
 * Landlock: what confines commands where the machine gives no user namespaces. A ruleset names all that a command may
 * reach; nothing is hidden but by leaving it out, so a folder that holds something hidden is given entry by entry.
 *
 * It is less than namespaces (landlock(7)): names, sizes and modes of files can be seen, modes and owners changed by who
 * owns them, other processes be seen; there are no folders in memory, and no UDP or sockets with names are held back.
 */
#ifndef PE_LAUNCHER_LANDLOCK_H
#define PE_LAUNCHER_LANDLOCK_H

#include "probe/launcher/confine.h"

/**
 * Confine further commands by rulesets. Nothing else changes.
 *
 * @return  true; false: *why says what the machine lacks (Linux 6.2)
 */
bool pe_landlock_enter(struct pe_confinement *out, const struct pe_confine_request *request,
		       struct pe_wire_confined *why);

/** Before a command: the ruleset that gives it these folders to write to. False with errno. */
bool pe_landlock_bind(struct pe_confinement *confinement, const char *const places[PE_WIRE_PLACES],
		      unsigned flags);

/** A ruleset that keeps a command's sockets from abstract names of others, and nothing else; -1: this kernel has none. */
int pe_landlock_open_scope(void);

/** In the child, without new privileges: restrict itself. Zero, or errno. */
int pe_landlock_child(const struct pe_confinement *confinement);

#endif
