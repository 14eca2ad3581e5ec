/* Log marks: the signs in the tables and the graph of `log`, and the line below them that explains those that occur. */
#pragma once

#include "report/evolution.h"

enum pe_log_mark {
	PE_LOG_SPARKS = 1 << 0,     /**< bars below "mat" */
	PE_LOG_NOISE = 1 << 1,      /**< "~" before a change */
	PE_LOG_REUSED = 1 << 2,     /**< "=" */
	PE_LOG_RECORDED = 1 << 3,   /**< PE_LOG_RECORDED_SIGN behind the title of a metric */
	PE_LOG_UNMEASURED = 1 << 4, /**< a hollow dot */
	PE_LOG_WORSE = 1 << 5,      /**< triangle up */
	PE_LOG_BETTER = 1 << 6,     /**< triangle down */
};

/** The title of a metric's column: "time", "memory", "instr."; of one of the config's own its name. */
const char *pe_log_title(const struct pe_metric *metric);

/** After the title of a metric that `track` does not judge: its apparent jumps are reported nowhere else. */
#define PE_LOG_RECORDED_SIGN "*"

/** Append the line that explains marks, some of enum pe_log_mark; nothing where there are none. */
void pe_log_add_legend(struct pe_text *out, const struct pe_term *term, unsigned marks);
