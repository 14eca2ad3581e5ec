/*
 * Worker: extraction in a process of its own. A parser is a large program fed with whatever a history holds; there
 * are texts on which it corrupts memory, and texts that take it minutes. Here
 * either costs one file: the process is replaced, and the next file is read as usual.
 *
 * The worker is a fork of this process, made for the first file. It keeps no descriptor but its
 * socket, ignores the terminal's signals, and dies with its parent.
 */
#ifndef PE_METHODS_WORKER_H
#define PE_METHODS_WORKER_H

#include "analysis/methods/extract.h"

#include <signal.h>
#include <sys/types.h>

/** Start, and hold, a worker for one thread. */
struct pe_worker;

/** @param interrupts  counts Ctrl-C: above 0 no file is read any more; NULL: never. Borrowed. */
struct pe_worker *pe_worker_new(const volatile sig_atomic_t *interrupts);

/** End the process, whatever it does. NULL is allowed. */
void pe_worker_free(struct pe_worker *worker);

/**
 * As pe_extract(), but a file that takes more than its limit of the processor's time, or brings the process down, counts
 * as unread, too. The latter is a property of its content, once it happened to a process that had read nothing before. A
 * process that was ended from outside is replaced once; then the file is given up. That, or that its time ran out, shows in
 * out->ran_out: it is the machine's doing too, and such an answer must not be kept.
 *
 * @param out  in the arena
 * @return     PE_ESTOPPED, without a sentence, after Ctrl-C; PE_ESYS where no process can be started
 */
int pe_worker_extract(struct pe_methods *out, struct pe_worker *worker,
		      const struct pe_source_file *file, struct pe_arena *arena,
		      struct pe_err *err);

/** The last answer as pe_methods_pack() writes it; borrowed until the next question. */
const struct pe_text *pe_worker_packed(const struct pe_worker *worker);

/** The process's number; 0: none runs now. */
pid_t pe_worker_pid(const struct pe_worker *worker);

#endif
