/* Make and Autotools: both list their programs in makefiles, and build in the tree. */
#include "configs/survey.h"

#include "core/base/text.h"

#include <ctype.h>
#include <string.h>

enum { MAX_DEPTH = 8, MAX_EXPANSIONS = 100000, MAX_RULES = 2000 };

struct variable {
	const char *name, *value;
};

struct rule {
	const char *target;
	pe_line_vec needs;
	bool recipe; /* it has one */
	bool links;  /* which makes a program */
};

/* One makefile. */
struct makefile {
	struct pe_survey *survey;
	const char *dir;
	PE_VEC(struct variable) variables;
	PE_VEC(struct rule) rules;
	size_t first_of_line; /* rules of the line that recipes now belong to */
	size_t expansions;    /* so far: variables may refer to each other without end */
};

/* The next line with its continuations joined; NULL at the end. */
static char *next_line(const char **at, struct pe_arena *arena)
{
	pe_auto_text line = PE_TEXT_INIT;
	const char *text = *at;

	if (*text == '\0')
		return NULL;
	for (;;) {
		size_t n = strcspn(text, "\n");
		bool more = n > 0 && text[n - 1] == '\\' && text[n] == '\n';

		pe_text_addn(&line, text, more ? n - 1 : n);
		text += n + (text[n] == '\n');
		if (!more)
			break;
		pe_text_addc(&line, ' ');
	}
	*at = text;
	return pe_arena_strdup(arena, pe_text_str(&line));
}

static const char *value_of(const struct makefile *file, const char *name, size_t n)
{
	for (size_t i = file->variables.n; i-- > 0;)
		if (strlen(file->variables.data[i].name) == n &&
		    strncmp(file->variables.data[i].name, name, n) == 0)
			return file->variables.data[i].value;
	/* Suffixes of programs are empty here. */
	if (n >= 3 && (strncmp(name, "EXE", 3) == 0 || strncmp(name, "EXT", 3) == 0))
		return "";
	return NULL;
}

/* A word with its $(variables); NULL when one is not known. */
static const char *expand(struct makefile *file, const char *word, unsigned depth)
{
	struct pe_arena *arena = file->survey->arena;
	struct pe_text out = PE_TEXT_INIT;
	const char *expanded = NULL;

	for (const char *at; (at = strchr(word, '$')) != NULL;) {
		size_t n = at[1] == '('   ? strcspn(at + 2, ")")
			   : at[1] == '{' ? strcspn(at + 2, "}")
					  : 0;
		const char *value = n > 0 && at[2 + n] != '\0' ? value_of(file, at + 2, n) : NULL;

		if (value != NULL && depth < MAX_DEPTH && out.len < 4096 &&
		    file->expansions++ < MAX_EXPANSIONS)
			value = expand(file, value, depth + 1);
		else
			value = NULL;
		if (value == NULL)
			goto done;
		pe_text_addn(&out, word, (size_t)(at - word));
		pe_text_add(&out, value);
		word = at + 2 + n + 1;
	}
	pe_text_add(&out, word);
	expanded = pe_arena_strdup(arena, pe_text_str(&out));
done:
	pe_text_release(&out);
	return expanded;
}

/* Expanded words of a line, unknown ones left out. Words break at blanks outside parentheses. */
static void split(pe_line_vec *out, struct makefile *file, const char *text)
{
	struct pe_arena *arena = file->survey->arena;

	while (*(text += strspn(text, " \t")) != '\0') {
		unsigned depth = 0;
		const char *word;
		char *rest = NULL;
		size_t n = 0;

		for (; text[n] != '\0' && (depth > 0 || (text[n] != ' ' && text[n] != '\t')); n++) {
			if (text[n] == '(' || text[n] == '{')
				depth++;
			else if ((text[n] == ')' || text[n] == '}') && depth > 0)
				depth--;
		}
		word = expand(file, pe_arena_strndup(arena, text, n), 0);
		text += n;
		if (word == NULL)
			continue;
		for (char *part = strtok_r(pe_arena_strdup(arena, word), " \t", &rest);
		     part != NULL; part = strtok_r(NULL, " \t", &rest))
			pe_vec_push(out, part);
	}
}

/* NAME = value, with :=, ?=, += and their like; += joins. */
static bool take_assignment(struct makefile *file, const char *line)
{
	struct pe_arena *arena = file->survey->arena;
	const char *start = line + strspn(line, " \t"), *value, *before;
	size_t n = 0;
	bool append;

	if (strncmp(start, "export ", 7) == 0)
		start += 7;
	while (isalnum((unsigned char)start[n]) || start[n] == '_' || start[n] == '-' ||
	       start[n] == '.')
		n++;
	value = start + n + strspn(start + n, " \t");
	append = *value == '+';
	value += strspn(value, ":?+!");
	if (n == 0 || *value != '=')
		return false;
	value += 1 + strspn(value + 1, " \t");
	before = append ? value_of(file, start, n) : NULL;
	pe_vec_push(&file->variables,
		    (struct variable){pe_arena_strndup(arena, start, n),
				      before != NULL
					      ? pe_arena_printf(arena, "%s %s", before, value)
					      : value});
	return true;
}

static void take_rule(struct makefile *file, const char *line)
{
	const char *colon = strchr(line, ':');
	pe_auto_free pe_line_vec targets = {0};

	/* A colon inside a reference ($(SRC:.c=.o)) is no rule's. */
	while (colon != NULL && memchr(line, '(', (size_t)(colon - line)) != NULL &&
	       memchr(line, ')', (size_t)(colon - line)) == NULL)
		colon = strchr(colon + 1, ':');
	if (colon == NULL)
		return;
	file->first_of_line = file->rules.n;
	split(&targets, file, pe_arena_strndup(file->survey->arena, line, (size_t)(colon - line)));
	for (size_t i = 0; i < targets.n && file->rules.n < MAX_RULES; i++) {
		struct rule rule = {.target = targets.data[i]};

		split(&rule.needs, file, colon + 1 + (colon[1] == ':'));
		pe_vec_push(&file->rules, rule);
	}
}

static void take_recipe(struct makefile *file, const char *line)
{
	bool links = strstr(line, "-o ") != NULL && strstr(line, " -c ") == NULL &&
		     strstr(line, "-shared") == NULL;

	for (size_t i = file->first_of_line; i < file->rules.n; i++) {
		file->rules.data[i].recipe = true;
		file->rules.data[i].links = file->rules.data[i].links || links;
	}
}

static void read_makefile(struct makefile *file, const char *text)
{
	char *line;

	while ((line = next_line(&text, file->survey->arena)) != NULL) {
		if (line[0] == '\t') {
			take_recipe(file, line);
			continue;
		}
		line[strcspn(line, "#")] = '\0';
		if (!take_assignment(file, line))
			take_rule(file, line);
	}
}

static void release_makefile(struct makefile *file)
{
	for (size_t i = 0; i < file->rules.n; i++)
		pe_vec_release(&file->rules.data[i].needs);
	pe_vec_release(&file->rules);
	pe_vec_release(&file->variables);
}

static const struct rule *rule_of(const struct makefile *file, const char *target)
{
	for (size_t i = 0; i < file->rules.n; i++)
		if (strcmp(file->rules.data[i].target, target) == 0)
			return &file->rules.data[i];
	return NULL;
}

/* A program's name has no suffix and is no pattern. */
static bool may_be_program(const char *name)
{
	const char *slash = strrchr(name, '/');

	return strpbrk(name, "%*$@") == NULL && strchr(slash != NULL ? slash : name, '.') == NULL;
}

static bool is_bench(const char *name)
{
	return strstr(name, "bench") != NULL || strcmp(name, "perf") == 0;
}

static const char *make_command(const struct makefile *file, const char *options,
				const char *target)
{
	return strcmp(file->dir, ".") == 0
		       ? pe_arena_printf(file->survey->arena, "make %s%s", options, target)
		       : pe_arena_printf(file->survey->arena, "make %s-C %s %s", options, file->dir,
					 target);
}

static void take_program(struct makefile *file, const char *path)
{
	struct pe_survey *survey = file->survey;
	size_t benches = survey->benches.n;

	while (strncmp(path, "./", 2) == 0)
		path += 2;
	if (!may_be_program(path) || path[0] == '/')
		return;
	/* Of what tests, only benchmarks are programs to measure. */
	if (strncmp(file->dir, "test", 4) == 0 && !is_bench(pe_path_name(path)))
		return;
	pe_survey_add_program(survey, pe_path_name(path), pe_survey_join(survey, file->dir, path));
	if (survey->benches.n > benches) /* the default target seldom builds these */
		pe_survey_add_step(survey, make_command(file, "", path));
}

/* What the default target needs is a program when make's own rules or a bare rule link it. */
static void take_needs(struct makefile *file, const struct rule *rule)
{
	for (size_t i = 0; i < rule->needs.n; i++) {
		const struct rule *need = rule_of(file, rule->needs.data[i]);

		if (need == NULL || (!need->recipe && need->needs.n > 0 &&
				     strchr(need->needs.data[0], '.') != NULL))
			take_program(file, rule->needs.data[i]);
	}
}

static void take_makefile(struct makefile *file)
{
	const struct rule *all = rule_of(file, "all");

	for (size_t i = 0; i < file->rules.n; i++)
		if (file->rules.data[i].links)
			take_program(file, file->rules.data[i].target);
	if (all != NULL)
		take_needs(file, all);
	for (size_t i = 0; i < file->rules.n; i++) {
		const struct rule *rule = &file->rules.data[i];

		if (is_bench(rule->target) && rule->recipe && !rule->links &&
		    strncmp(rule->target, "test", 4) != 0 && may_be_program(rule->target) &&
		    strchr(rule->target, '/') == NULL)
			pe_survey_add_bench(file->survey, rule->target,
					    make_command(file, "-s ", rule->target));
	}
}

bool pe_survey_make(struct pe_survey *survey)
{
	static const char *const names[] = {"GNUmakefile", "makefile", "Makefile"};
	static const char *const dirs[] = {".",    "src",   "programs", "app",       "apps",
					   "cli",  "tools", "bench",    "benchmark", "benchmarks",
					   "perf", "tests", "test"};
	bool there = false;

	for (size_t i = 0; i < 3; i++)
		there = there || pe_survey_has(survey, names[i]);
	if (!there)
		return false;
	survey->system = "Make";
	pe_survey_add_step(survey, "make");
	for (size_t d = 0; d < sizeof(dirs) / sizeof(*dirs); d++) {
		for (size_t i = 0; i < 3; i++) {
			const char *path = pe_survey_join(survey, dirs[d], names[i]);
			struct makefile file = {.survey = survey, .dir = dirs[d]};
			const char *text = pe_survey_read(survey, path);

			if (text == NULL)
				continue;
			read_makefile(&file, text);
			take_makefile(&file);
			release_makefile(&file);
			break;
		}
	}
	return true;
}

/* bin_PROGRAMS, noinst_PROGRAMS and their like; check_PROGRAMS are not built by `make`. */
static bool lists_programs(const char *name)
{
	size_t n = strlen(name);

	return n > 9 && strcmp(name + n - 9, "_PROGRAMS") == 0 && strncmp(name, "check", 5) != 0 &&
	       strncmp(name, "EXTRA", 5) != 0;
}

static void read_automake(struct pe_survey *survey, const struct pe_found *found)
{
	struct makefile file = {.survey = survey, .dir = found->dir};
	const char *text = pe_survey_read(survey, found->path);

	if (text != NULL)
		read_makefile(&file, text);
	for (size_t i = 0; i < file.variables.n; i++) {
		pe_auto_free pe_line_vec words = {0};

		if (!lists_programs(file.variables.data[i].name))
			continue;
		split(&words, &file, file.variables.data[i].value);
		for (size_t j = 0; j < words.n; j++)
			if (may_be_program(words.data[j]))
				pe_survey_add_program(
					survey, pe_path_name(words.data[j]),
					pe_survey_join(survey, found->dir, words.data[j]));
	}
	release_makefile(&file);
}

/* With shared libraries, libtool puts a shell script where a program was to be, which takes longer than many programs run. */
static bool uses_libtool(const struct pe_survey *survey)
{
	static const char *const files[] = {"configure.ac", "configure.in"};
	static const char *const calls[] = {"\nLT_INIT", "\nAC_PROG_LIBTOOL", "\nAM_PROG_LIBTOOL"};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const char *text = pe_survey_read(survey, files[i]);

		for (size_t j = 0; text != NULL && j < sizeof(calls) / sizeof(*calls); j++)
			if (strstr(text, calls[j]) != NULL)
				return true;
	}
	return false;
}

bool pe_survey_autotools(struct pe_survey *survey)
{
	pe_auto_free pe_found_vec found = {0};
	bool configure = pe_survey_has(survey, "configure");
	bool autogen = pe_survey_has(survey, "autogen.sh");
	bool described =
		pe_survey_has(survey, "configure.ac") || pe_survey_has(survey, "configure.in");

	if (!configure && !described)
		return false;
	survey->system = "Autotools";
	/* configure may be in some commits and not in others. */
	if (autogen)
		pe_survey_add_step(survey, "test -x configure || NOCONFIGURE=1 sh autogen.sh");
	else if (described)
		pe_survey_add_step(survey, "test -x configure || autoreconf -fi");
	pe_survey_add_step(survey,
			   uses_libtool(survey) ? "./configure --disable-shared" : "./configure");
	pe_survey_add_step(survey, "make");
	pe_survey_find(&found, survey, "Makefile.am", 3);
	for (size_t i = 0; i < found.n; i++)
		read_automake(survey, &found.data[i]);
	return true;
}
