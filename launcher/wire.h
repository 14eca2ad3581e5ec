/* Wire: whole messages over the socket, for the launcher's end. */
#ifndef PE_LAUNCHER_WIRE_H
#define PE_LAUNCHER_WIRE_H

#include "formats/launch.h"

#include <stdbool.h>
#include <stddef.h>

/** Send one message of a single packet. False: the other end is gone. */
bool pe_wire_send(int fd, enum pe_wire_kind kind, uint64_t run, const void *payload,
		  uint32_t length);

/**
 * Receive one message, waiting for it.
 *
 * @param payload  receives its bytes, the caller's to free; NULL when there are none
 * @return         false: the other end is gone, or does not keep to the protocol
 */
bool pe_wire_receive(int fd, struct pe_wire_head *head, char **payload);

#endif
