/* The two ends of a worker's socket; inside this room alone. */
#ifndef PE_METHODS_WORKER_SERVE_H
#define PE_METHODS_WORKER_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct pe_language;

/** After it come the path and the source. Both ends are one program, so an address means the same to both. */
struct pe_worker_question {
	const struct pe_language *language;
	uint64_t cpu_us; /**< for pe_extractor_limit() */
	uint64_t path_bytes, source_bytes;
};

/** After it come the packed methods. */
struct pe_worker_answer {
	uint64_t packed_bytes;
	uint64_t ran_out;
};

/**
 * Send the n parts as one, so that the other end wakes up once. False: it is gone.
 *
 * @param parts  are used up
 */
bool pe_worker_send(int fd, struct iovec *parts, size_t n);

/** All n bytes, whatever signals come. False: the other end is gone. */
bool pe_worker_receive(int fd, void *bytes, size_t n);

/** The worker's life, right after fork(2) with all signals blocked. */
_Noreturn void pe_worker_serve(int fd, pid_t parent);

#endif
