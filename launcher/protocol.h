/*
 * Protocol: what perfevo and perfevo-launch say to each other over a socket of sequenced packets. Both ends
 * are built from one tree and live on one machine, so structures travel as they lie in memory; the greeting
 * carries their sizes, so that a launcher of another version is refused instead of misread.
 *
 * A message is a packet that begins with its head. Where the payload does not fit into it, further packets
 * of at most PE_WIRE_PACKET bytes bring the rest. Nearly every message is one packet, read at once.
 *
 * perfevo                          perfevo-launch
 *                         <-       HELLO    once, when it is ready
 * RUN                     ->
 * STOP (if the user asks) ->
 *                         <-       RESULT or REFUSED, exactly one for a RUN
 */
#ifndef PE_LAUNCHER_PROTOCOL_H
#define PE_LAUNCHER_PROTOCOL_H

#include "core/base/proc.h"

#include <stdint.h>

enum {
	PE_WIRE_VERSION = 1,
	PE_WIRE_MAX = 16 << 20, /**< bytes of a payload */
	PE_WIRE_PACKET = 32 << 10,
};

enum pe_wire_kind {
	PE_WIRE_HELLO = 1, /**< struct pe_wire_hello */
	PE_WIRE_RUN,       /**< struct pe_wire_run and its strings */
	PE_WIRE_STOP,      /**< no payload; ignored unless its run is the one under way */
	PE_WIRE_RESULT,    /**< struct pe_proc_result */
	PE_WIRE_REFUSED,   /**< struct pe_wire_refused */
};

/** Before each payload. */
struct pe_wire_head {
	uint32_t kind;   /**< enum pe_wire_kind */
	uint32_t length; /**< of the payload in bytes */
	uint64_t run;    /**< number of the run that this is about; 0 in HELLO */
};

struct pe_wire_hello {
	uint32_t version;
	/** sizeof(struct pe_wire_run), sizeof(struct pe_proc_result) */
	uint32_t run_size, result_size;
	uint32_t counts_instructions;
};

/**
 * A command. After it come strings with their terminators: cwd, stdin, stdout, stderr (absolute paths; "" of
 * the last three is /dev/null), argc arguments, envc environment entries.
 */
struct pe_wire_run {
	uint64_t timeout_ns, output_bytes;
	int32_t cpu, nice;
	uint32_t flags; /**< enum pe_proc_flags */
	uint32_t argc, envc;
	uint32_t reserved; /**< 0; keeps the structure free of padding */
};

/** Why a run has no result. */
enum pe_wire_refusal {
	PE_WIRE_BAD_REQUEST = 1, /**< the RUN payload does not hold what it says */
	PE_WIRE_BAD_STDOUT,      /**< the file cannot be opened, error says why */
	PE_WIRE_BAD_STDERR,
	PE_WIRE_NO_PROCESS, /**< vfork(2) failed */
	PE_WIRE_UNENDING,   /**< process `pid` could not be ended */
};

struct pe_wire_refused {
	uint32_t why;  /**< enum pe_wire_refusal */
	int32_t error; /**< errno, or 0 */
	int32_t pid;   /**< of PE_WIRE_UNENDING */
};

#endif
