#include "report/log_marks.h"

#include "report/estimate.h"
#include "report/query.h"
#include "report/terminal.h"

unsigned pe_log_marks_of(const struct pe_evolution *evolution, const struct pe_line *line,
			 const struct pe_point *point)
{
	struct pe_change change;

	if (point == NULL || point->outcome != PE_MEASURED)
		return 0;
	change = pe_line_change(line, pe_line_predecessor(evolution, line, point->revision), point);
	return pe_change_is_noise(&change) ? PE_LOG_NOISE : 0;
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
		{PE_LOG_NOISE, "~ no jump: noise, or sessions without common runs"},
		{PE_LOG_REUSED, "= reused: identical build"},
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
