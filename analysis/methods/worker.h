/*
 * Worker: extraction in a process of its own. A parser is a large program fed with whatever a history holds; there
 * are texts on which it corrupts memory, and texts that take it minutes. Here either costs one file.
 *
 * The worker is a fork of this process, one a file. It keeps no descriptor but its pipe, ignores the terminal's signals,
 * and dies with its parent.
 */
#pragma once

#include "analysis/methods/extract.h"

#include <signal.h>

/**
 * As pe_extract(), but a file that takes more than its limit of the processor's time, or brings its process down, counts
 * as unread, too. That a process was ended from outside, or that its time ran out, shows in out->ran_out: it is the machine's
 * doing too, and such an answer must not be kept.
 *
 * @param out         in the arena
 * @param packed      replaced by the same as pe_methods_pack() writes it
 * @param interrupts  counts Ctrl-C: above 0 no file is read any more; NULL: never
 * @return            PE_ESTOPPED, without a sentence, after Ctrl-C; PE_ESYS where no process can be started
 */
int pe_worker_extract(struct pe_methods *out, struct pe_text *packed,
		      const struct pe_source_file *file, const volatile sig_atomic_t *interrupts,
		      struct pe_arena *arena, struct pe_err *err);
