/*
 * Make and Autotools: `make -n` prints the commands of a build without running them. The programs are those that they link;
 * targets for benchmarks are in the list of all targets that `make -p` adds.
 */
#include "configs/survey.h"
#include "configs/read.h"

#include <string.h>

enum { MAX_TARGETS = 10 };

/* Results of one `make -n`. */
struct printed {
	struct pe_survey *survey;
	pe_string_vec folders;  /* make's current ones, innermost last; NULL: outside of the tree */
	pe_candidate_vec links; /* programs, from the top of the tree, by arguments of make */
	pe_string_vec runs;    /* commands that compile and link nothing, in the form for the top */
	pe_string_vec targets; /* of the top, for benchmarks */
};

static void release_printed(struct printed *printed)
{
	pe_vec_release(&printed->folders);
	pe_vec_release(&printed->links);
	pe_vec_release(&printed->runs);
	pe_vec_release(&printed->targets);
}

static const char *folder_of(const struct printed *printed)
{
	return printed->folders.data[printed->folders.n - 1];
}

/* Make a path of a command in a folder relative to the top of the tree; NULL: it is outside, or needs quotes. */
static const char *fit_path(const struct pe_survey *survey, const char *folder, const char *path)
{
	path = pe_discovery_relative(survey->ask,
				     path[0] == '/' ? path : pe_survey_join(survey, folder, path));
	return path != NULL && pe_survey_is_fit(path) ? path : NULL;
}

/* Read "make[1]: Entering directory '/tree/src'" or the like. */
static bool take_folder(struct printed *printed, const char *line)
{
	const char *enters = strstr(line, ": Entering directory "), *path;

	if (enters == NULL && strstr(line, ": Leaving directory ") == NULL)
		return false;
	if (enters == NULL) {
		printed->folders.n -= printed->folders.n > 1;
		return true;
	}
	path = strchr(enters, '/');
	path = path != NULL ? pe_arena_strndup(printed->survey->arena, path, strlen(path) - 1)
			    : "/";
	pe_vec_push(&printed->folders, fit_path(printed->survey, ".", path));
	return true;
}

static bool is_bench(const char *name)
{
	return strstr(name, "bench") != NULL || strcmp(name, "perf") == 0;
}

/* Read "bench: prog" in the list of targets; an entry that is no target has a comment before it. */
static void take_target(struct printed *printed, const char *line, const char *before)
{
	size_t n = strcspn(line, ": \t=%");
	const char *name = pe_arena_strndup(printed->survey->arena, line, n);

	if (line[n] == ':' && line[n + 1] != '=' && strncmp(before, "# Not a target", 14) != 0 &&
	    strpbrk(name, "./") == NULL && is_bench(name) && pe_survey_is_fit(name) &&
	    printed->targets.n < MAX_TARGETS)
		pe_vec_push(&printed->targets, name);
}

/* Whether a command compiles or links. */
static bool compiles(const char *command)
{
	return pe_read_matches(command, "[.](o|c|cc|cpp|cxx|a|lo|la)([ \t]|$)");
}

/*
 * The output of a command that links a program: "cc -o prog a.o". NULL: another command, or one with a sanitizer, a
 * profiler's counters, or for another word size.
 */
static const char *linked_by(const struct pe_survey *survey, const char *command)
{
	const char *output = NULL;

	if (!compiles(command) ||
	    pe_read_matches(command, "[ \t](-c|-S|-E|-shared|-r|-M|-MM)([ \t]|$)") ||
	    pe_read_matches(command, "[ \t](-fsanitize=|-m32|-mx32|-pg|--coverage|-fprofile-)"))
		return NULL;
	for (const char *at = command; (at = strstr(at, " -o")) != NULL;)
		output = at += strlen(" -o");
	if (output == NULL)
		return NULL;
	output += strspn(output, " \t");
	output = pe_arena_strndup(survey->arena, output, strcspn(output, " \t"));
	return *output != '\0' && strchr(pe_path_name(output), '.') == NULL ? output : NULL;
}

/* Whether a command only prints, as make itself does ("make[1]: Nothing to be done"), or is make, whose commands follow. */
static bool is_quiet(const char *command)
{
	return pe_read_matches(command,
			       "^:|^([^ \t:[]*/)?(echo|printf|true|mkdir|make|gmake)([ \t:[]|$)");
}

/* Add one command of a shell line, in a folder of its own choice. */
static void take_command(struct printed *printed, const char *command, const char *folder)
{
	struct pe_survey *survey = printed->survey;
	const char *output = linked_by(survey, command);
	const char *path = output != NULL ? fit_path(survey, folder, output) : NULL;
	const bool below =
		output != NULL && output[0] != '/' && strcmp(folder_of(printed), ".") != 0;

	if (path != NULL && !pe_survey_has_name(&printed->links, path))
		pe_vec_push(&printed->links,
			    (struct pe_candidate){
				    .name = path,
				    .command = below ? pe_arena_printf(survey->arena, "-C %s %s",
								       folder_of(printed), output)
						     : path});
	if (!compiles(command) && !is_quiet(command))
		pe_vec_push(&printed->runs, strcmp(folder, ".") == 0
						    ? command
						    : pe_arena_printf(survey->arena, "cd %s && %s",
								      folder, command));
}

/* Split a line of a recipe: "cd src && cc -o prog a.o; strip prog" is several commands. */
static void take_recipe(struct printed *printed, char *line)
{
	struct pe_survey *survey = printed->survey;
	const char *folder = folder_of(printed);

	for (char *at = line, *end; at != NULL && folder != NULL; at = end) {
		size_t n = strcspn(at, ";&|");

		end = at[n] != '\0' ? at + n + 1 + (at[n + 1] == at[n]) : NULL;
		at[n] = '\0';
		at += strspn(at, " \t(@");
		while (at[0] != '\0' && strchr(" \t)", at[strlen(at) - 1]) != NULL)
			at[strlen(at) - 1] = '\0';
		if (strncmp(at, "cd ", 3) == 0)
			folder = fit_path(survey, folder, at + 3);
		else if (at[0] != '\0')
			take_command(printed, pe_arena_strdup(survey->arena, at), folder);
	}
}

/* Cut the first line off a text, with those that a backslash joins to it. */
static char *cut_line(char **text)
{
	char *line = *text, *end;

	while ((end = strchr(*text, '\n')) != NULL && end > line && end[-1] == '\\') {
		end[-1] = end[0] = ' ';
		*text = end;
	}
	*text += strlen(*text);
	if (end != NULL) {
		*end = '\0';
		*text = end + 1;
	}
	return line;
}

/* Get the output of a dry run of make. @return  false: it failed, with the reason in survey->unasked */
static bool print(struct printed *out, struct pe_survey *survey, const char *arguments)
{
	const char *answer = pe_survey_ask(survey, "make -n -w %s", arguments), *before = "";
	char *at = pe_arena_strdup(survey->arena, answer != NULL ? answer : "");
	bool in_list = false;

	*out = (struct printed){.survey = survey};
	pe_vec_push(&out->folders, ".");
	while (*at != '\0') {
		char *line = cut_line(&at);

		if (strncmp(line, "# Make data base", 16) == 0)
			in_list = true;
		else if (strncmp(line, "# Finished Make data base", 25) == 0)
			in_list = false;
		else if (take_folder(out, line) || folder_of(out) == NULL || line[0] == '#')
			;
		else if (!in_list)
			take_recipe(out, line);
		else if (line[0] != '\t' && strcmp(folder_of(out), ".") == 0)
			take_target(out, line, before);
		before = line;
	}
	return answer != NULL;
}

/*
 * Add a target for benchmarks. It is a program, or runs some that a step of the build makes before; if it is one
 * command, that is measured without make.
 */
static void take_bench(struct pe_survey *survey, const struct printed *all, const char *target)
{
	const size_t before = survey->benches.n;
	struct printed own;

	if (pe_survey_has_name(&all->links, target))
		return;
	if (!print(&own, survey, target)) {
		survey->unasked = NULL;
	} else if (pe_survey_has_name(&own.links, target)) {
		pe_survey_add_program(survey, target, target);
		if (survey->benches.n > before)
			pe_survey_add_step(survey, "make %s", target);
	} else if (own.runs.n > 0) {
		/* One command without special characters of a shell. */
		const bool plain = own.runs.n == 1 &&
				   pe_read_matches(own.runs.data[0], "^[A-Za-z0-9_+./=,:& -]*$");

		pe_survey_add_bench(survey, target, "%s%s", plain ? "" : "make -s ",
				    plain ? own.runs.data[0] : target);
		for (size_t i = 0; survey->benches.n > before && i < own.links.n; i++)
			if (!pe_survey_has_name(&all->links, own.links.data[i].name))
				pe_survey_add_step(survey, "make %s", own.links.data[i].command);
	}
	release_printed(&own);
}

/* Drop a program that a target runs with arguments: it is measured with these alone. */
static void drop_runs(struct pe_survey *survey)
{
	pe_candidate_vec *benches = &survey->benches;

	for (size_t i = benches->n; i-- > 0;) {
		const char *program = benches->data[i].command, *call;
		bool run = false;

		call = pe_arena_printf(survey->arena, "./%s ", pe_path_name(program));
		for (size_t j = 0; j < benches->n && strchr(program, ' ') == NULL; j++)
			run = run || (j != i && strstr(benches->data[j].command, call) != NULL);
		if (run)
			memmove(&benches->data[i], &benches->data[i + 1],
				(--benches->n - i) * sizeof(*benches->data));
	}
}

static void ask_make(struct pe_survey *survey)
{
	struct printed all;

	/* A dry run ends where one part of a build needs a file that another part makes. */
	if (!print(&all, survey, "-p") && survey->ask != NULL) {
		const char *why = survey->unasked;

		release_printed(&all);
		print(&all, survey, "-p -k || :");
		survey->unasked = all.links.n > 0 ? NULL : why;
	}
	for (size_t i = 0; i < all.links.n; i++) {
		const char *path = all.links.data[i].name, *name = pe_path_name(path);

		/* A program "test..." is measured only if it is a benchmark. */
		if (strncmp(path, "test", 4) != 0 || is_bench(name))
			pe_survey_add_program(survey, name, path);
	}
	for (size_t i = 0; survey->unasked == NULL && i < all.targets.n; i++)
		take_bench(survey, &all, all.targets.data[i]);
	drop_runs(survey);
	survey->chores = all.links.n == 0 && survey->steps.n == 1;
	release_printed(&all);
}

/* Add a configure step, for commits with and without configure. @return  false: the project has none */
static bool add_configure(struct pe_survey *survey)
{
	const bool described =
		pe_survey_has(survey, "configure.ac") || pe_survey_has(survey, "configure.in");
	const char *help = NULL;

	if (!described && !pe_survey_has(survey, "configure"))
		return false;
	survey->system = "Autotools";
	if (pe_survey_has(survey, "autogen.sh"))
		pe_survey_add_step(survey, "test -x configure || NOCONFIGURE=1 sh autogen.sh");
	else if (described)
		pe_survey_add_step(survey, "test -x configure || autoreconf -fi");
	if (survey->unasked == NULL && survey->steps.n > 0)
		pe_survey_ask(survey, "%s", survey->steps.data[0]);
	/*
	 * With shared libraries, libtool puts a shell script in place of a program, which takes longer than many
	 * programs run.
	 */
	if (survey->unasked == NULL)
		help = pe_survey_ask(survey, "./configure --help || :");
	pe_survey_add_step(
		survey, "./configure%s",
		help != NULL && strstr(help, "--enable-shared") != NULL ? " --disable-shared" : "");
	if (survey->unasked == NULL)
		pe_survey_ask(survey, "%s", survey->steps.data[survey->steps.n - 1]);
	return true;
}

bool pe_survey_make(struct pe_survey *survey)
{
	const bool configured = add_configure(survey);

	if (!configured && !pe_survey_has(survey, "GNUmakefile") &&
	    !pe_survey_has(survey, "makefile") && !pe_survey_has(survey, "Makefile"))
		return false;
	if (!configured)
		survey->system = "Make";
	pe_survey_add_step(survey, "make");
	if (survey->unasked == NULL)
		ask_make(survey);
	return true;
}
