#include "core/base/regex.h"

#include "core/base/arena.h"

#include "core/base/text.h"

#include <ctype.h>
#include <string.h>

/* --- What an expression costs --- */

/* The sizes of open groups, and of the last part of each, which a repeat multiplies. */
struct measure {
	double sum[PE_REGEX_MOST_LEVELS + 1], last[PE_REGEX_MOST_LEVELS + 1];
	size_t level;
};

static void add_part(struct measure *measure, double size)
{
	measure->sum[measure->level] += measure->last[measure->level];
	measure->last[measure->level] = size;
}

static double close_group(struct measure *measure)
{
	double size = measure->sum[measure->level] + measure->last[measure->level];

	if (measure->level > 0)
		measure->last[--measure->level] = size + 1;
	return size;
}

/* What follows a bracket expression; '[]a]' and '[^]a]' hold a bracket, '[[:alpha:]]' a class. */
static const char *skip_bracket(const char *at)
{
	at += at[1] == '^' ? 2 : 1;
	for (const char *first = at; *at != '\0' && (*at != ']' || at == first); at++) {
		const char kind = at[0] == '[' ? at[1] : '\0';
		const char end[] = {kind, ']', '\0'};
		const char *close =
			kind == ':' || kind == '.' || kind == '=' ? strstr(at + 2, end) : NULL;

		if (close != NULL)
			at = close + 1;
	}
	return *at == ']' ? at + 1 : at;
}

static double read_count(const char **at)
{
	double count = 0;

	for (; isdigit((unsigned char)**at); ++*at)
		count = count * 10 + (**at - '0');
	return count;
}

/* '{3}', '{3,}', '{3,5}': how often it is written out. Anything else in braces is left to the compiler. */
static const char *skip_repeat(const char *at, struct measure *measure)
{
	const char *end = at + 1;
	double low = read_count(&end), high = low;

	if (*end == ',') {
		end++;
		high = *end == '}' ? low + 1 : read_count(&end);
	}
	if (*end != '}' || end == at + 1) {
		add_part(measure, 1);
		return at + 1;
	}
	measure->last[measure->level] *= high > low ? high : low > 1 ? low : 1;
	return end + 1;
}

static int too_deep(struct pe_err *err)
{
	return pe_fail(err, PE_EINVALID, "parentheses nest deeper than %d levels",
		       PE_REGEX_MOST_LEVELS);
}

static int check(const char *expression, struct pe_err *err)
{
	struct measure measure = {.level = 0};
	double size = 0;

	if (strlen(expression) > PE_REGEX_MOST_BYTES)
		return pe_fail(err, PE_EINVALID, "longer than %d characters", PE_REGEX_MOST_BYTES);
	for (const char *at = expression; *at != '\0';) {
		if (*at == '\\' && isdigit((unsigned char)at[1]))
			return pe_fail(err, PE_EINVALID,
				       "back-references such as \\1 are not supported");
		if (*at == '{') {
			at = skip_repeat(at, &measure);
			continue;
		}
		if (*at == '(' && measure.level == PE_REGEX_MOST_LEVELS)
			return too_deep(err);
		if (*at == '(') {
			measure.level++;
			measure.sum[measure.level] = measure.last[measure.level] = 0;
		} else if (*at == ')') {
			close_group(&measure);
		} else if (*at == '+') {
			measure.last[measure.level] *= 2; /* x+ becomes xx* */
		} else if (*at != '*' && *at != '?') {
			add_part(&measure, 1);
		}
		if (*at == '[')
			at = skip_bracket(at);
		else
			at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
	}
	while (measure.level > 0)
		close_group(&measure);
	size = close_group(&measure);
	if (size > PE_REGEX_MOST_POSITIONS)
		return pe_fail(err, PE_EINVALID,
			       "with its repeats written out it has more than %d characters",
			       PE_REGEX_MOST_POSITIONS);
	return PE_OK;
}

/* --- Compiling --- */

int pe_regex_init(struct pe_regex *regex, const char *expression, struct pe_err *err)
{
	char why[128];
	int code;

	*regex = (struct pe_regex){.is_compiled = false};
	if (expression == NULL)
		return PE_OK;
	PE_TRY(check(expression, err));
	code = regcomp(&regex->compiled, expression, REG_EXTENDED | REG_NEWLINE);
	regex->is_compiled = code == 0;
	if (code == 0)
		return PE_OK;
	if (code == REG_ESPACE)
		pe_out_of_memory(strlen(expression));
	regerror(code, &regex->compiled, why, sizeof(why));
	return pe_fail(err, PE_EINVALID, "%s", why);
}

int pe_regex_init_option(struct pe_regex *regex, const char *option, const char *expression,
			 struct pe_err *err)
{
	int rc = pe_regex_init(regex, expression, err);

	regex->exact = expression;
	if (rc != PE_OK)
		pe_err_context(err, "%s '%.60s%s' is not a valid regular expression", option,
			       expression, strlen(expression) > 60 ? "..." : "");
	return rc;
}

void pe_regex_release(struct pe_regex *regex)
{
	if (regex->is_compiled)
		regfree(&regex->compiled);
	regex->is_compiled = false;
}

size_t pe_regex_groups(const struct pe_regex *regex)
{
	return regex->is_compiled ? regex->compiled.re_nsub : 0;
}

/* --- Matching --- */

/* A search that failed for want of memory counts as a match: its text is not reported missing. */
static bool matches(const struct pe_regex *regex, const char *text, size_t n, regmatch_t *groups,
		    int flags)
{
	int code = regexec(&regex->compiled, text, n, groups, flags);

	if (code == REG_ESPACE)
		pe_out_of_memory(PE_REGEX_LINE_BYTES);
	return code == 0;
}

bool pe_regex_matches(const struct pe_regex *regex, const char *text)
{
	regmatch_t bounds = {.rm_so = 0, .rm_eo = (regoff_t)strnlen(text, PE_REGEX_LINE_BYTES)};

	return !regex->is_compiled || (regex->exact != NULL && strcmp(text, regex->exact) == 0) ||
	       matches(regex, text, 1, &bounds, REG_STARTEND);
}

static void find_on_line(const struct pe_regex *regex, const char *line,
			 void (*found)(const char *match, size_t n, void *payload), void *payload)
{
	regmatch_t groups[2];
	int flags = 0;

	while (matches(regex, line, 2, groups, flags)) {
		const regmatch_t *group = &groups[groups[1].rm_so >= 0];

		found(line + group->rm_so, (size_t)(group->rm_eo - group->rm_so), payload);
		line += groups[0].rm_eo > 0 ? groups[0].rm_eo : 1;
		if (line[-1] == '\0' || *line == '\0')
			break;
		flags = REG_NOTBOL;
	}
}

void pe_regex_find(const struct pe_regex *regex, const char *text,
		   void (*found)(const char *match, size_t n, void *payload), void *payload)
{
	pe_auto_text line = PE_TEXT_INIT;

	while (regex->is_compiled && *text != '\0') {
		size_t n = strcspn(text, "\n");

		pe_text_clear(&line);
		pe_text_addn(&line, text, n < PE_REGEX_LINE_BYTES ? n : PE_REGEX_LINE_BYTES);
		find_on_line(regex, line.data, found, payload);
		text += n + (text[n] == '\n');
	}
}
