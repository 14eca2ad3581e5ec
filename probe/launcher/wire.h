/* Wire: whole messages over the socket, for the launcher's end. */
#pragma once

#include "probe/formats/launch.h"

#include <stdbool.h>
#include <stddef.h>

/** Send one message of a single packet. False: the other end is gone. */
bool pe_wire_send(int fd, enum pe_wire_kind kind, uint64_t run, const void *payload,
		  uint32_t length);

/**
 * Receive one message, waiting for it.
 *
 * @param payload  receives its bytes, the caller's to free; NULL when there are none
 * @param files    receives the open files that came with it, the caller's to close; -1: none
 * @return         false: the other end is gone, or violates the protocol
 */
bool pe_wire_receive(int fd, struct pe_wire_head *head, char **payload, int files[PE_WIRE_FILES]);

/** Close the files of a message. */
void pe_wire_close(int files[PE_WIRE_FILES]);

/** The next string of a payload, and *at behind it; NULL: there is none. */
char *pe_wire_string(char **at, const char *end);
