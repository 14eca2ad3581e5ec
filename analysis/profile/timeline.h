/*
 * Timeline: one run of a program as a trace in the format of Chrome, for the viewers that read it (ui.perfetto.dev,
 * chrome://tracing). Each process has a row for each thread, in which calls and waits lie over each other, and one for the
 * path: at each moment, the thread that the program waits for.
 */
#ifndef PE_PROFILE_TIMELINE_H
#define PE_PROFILE_TIMELINE_H

#include "analysis/profile/samples_path.h"
#include "core/base/text.h"

/** Append the first run of a path that was walked with its stretches. */
void pe_timeline_write(struct pe_text *out, const struct pe_samples_path *path);

#endif
