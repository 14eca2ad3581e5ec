/* Track: what `perfevo track --format json` says, read by another perfevo that started it. */
#ifndef PE_JSON_TRACK_H
#define PE_JSON_TRACK_H

#include "core/base/arena.h"
#include "core/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A line of its progress. Strings live in the arena. */
struct pe_track_event {
	const char *kind; /**< "build", "run", "note", ... */
	const char *text; /**< of a note; NULL otherwise */
	int64_t done, total;
};

/** @return  PE_EINVALID: it is no event, but a sentence from before the display was open */
int pe_json_track_event(struct pe_track_event *out, const char *line, size_t n,
			struct pe_arena *arena, struct pe_err *err);

struct pe_track_failure {
	const char *benchmark; /**< NULL: the build */
	const char *outcome;
};

/** What the answer says of one commit. */
struct pe_track_answer {
	/** Its jumps in short, with their class: "slower: parse wall time +5 %, 1 more benchmark"; NULL: it has none. */
	const char *summary;
	bool worse, better; /**< which way that went which its class rests on */
	bool confirmed, accepted;
	struct pe_track_failure *failures;
	size_t n_failures;
	size_t benchmarks; /**< that were measured there */
};

/** @return  PE_EINVALID: it is not such a document */
int pe_json_track_answer(struct pe_track_answer *out, const char *document, size_t n,
			 const char *id, struct pe_arena *arena, struct pe_err *err);

#endif
