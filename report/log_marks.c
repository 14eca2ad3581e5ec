#include "report/log_marks.h"

#include "report/terminal.h"

const char *pe_log_title(const struct pe_metric *metric)
{
	static const char *const titles[PE_N_METRICS] = {
		[PE_WALL] = "time",
		[PE_MAX_RSS] = "memory",
		[PE_MINOR_FAULTS] = "faults",
		[PE_MAJOR_FAULTS] = "majflt",
		[PE_VOLUNTARY_SWITCHES] = "waits",
		[PE_INVOLUNTARY_SWITCHES] = "preempt",
		[PE_INSTRUCTIONS] = "instr.",
		[PE_READ_BYTES] = "read",
		[PE_WRITTEN_BYTES] = "written",
		[PE_TEXT_SIZE] = "code",
		[PE_DATA_SIZE] = "data",
		[PE_ALLOCATIONS] = "allocs",
		[PE_ALLOCATED_BYTES] = "bytes",
		[PE_ALLOCATED_PEAK] = "heap",
		[PE_SIMULATED_INSTRUCTIONS] = "instr.",
		[PE_SYSTEM_CALLS] = "syscalls",
	};
	const struct pe_metric *builtin = pe_metric_find(metric->name);
	const char *title = builtin != NULL ? titles[builtin - pe_metrics] : NULL;

	return title != NULL ? title : metric->name;
}

void pe_log_add_legend(struct pe_text *out, const struct pe_term *term, unsigned marks)
{
	const struct {
		unsigned mark;
		const char *text;
	} legend[] = {
		{PE_LOG_SPARKS, "m a t: methods, allocations, time"},
		{PE_LOG_WORSE, "▲ worse"},
		{PE_LOG_BETTER, "▼ better"},
		{PE_LOG_NOISE, "~ no jump"},
		{PE_LOG_REUSED, "= reused: it executes the same"},
		{PE_LOG_RECORDED, PE_LOG_RECORDED_SIGN " not judged, recorded only"},
		{PE_LOG_UNMEASURED, term->unicode ? "○ not measured" : "o not measured"},
	};
	pe_auto_text line = PE_TEXT_INIT;

	for (size_t i = 0; i < sizeof(legend) / sizeof(*legend); i++)
		if ((marks & legend[i].mark) != 0)
			pe_text_addf(&line, "%s%s", line.len > 0 ? "; " : "", legend[i].text);
	if (line.len > 0)
		pe_term_wrap(out, term, PE_DIM, "", "  ", pe_text_str(&line));
}
