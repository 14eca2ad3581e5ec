/* Wire: whole messages over a stream socket, for the launcher's end. */
#ifndef PE_LAUNCHER_WIRE_H
#define PE_LAUNCHER_WIRE_H

#include "launcher/protocol.h"

#include <stdbool.h>
#include <stddef.h>

/** Send one message. False: the other end is gone. */
bool pe_wire_send(int fd, enum pe_wire_kind kind, uint64_t run, const void *payload,
		  uint32_t length);

/** Receive exactly n bytes, waiting for them. False: the other end is gone. */
bool pe_wire_receive(int fd, void *bytes, size_t n);

#endif
