/*
 * Make and Autotools: `make -n` prints the commands of a build without running them. The programs are those that they link;
 * targets for benchmarks are in the list of all targets that `make -p` adds.
 */
#include "configs/survey.h"
#include "configs/read.h"
#include "core/base/array.h"

#include <string.h>

enum { MAX_TARGETS = 10 };

/* Results of one `make -n`. */
struct printed {
	struct pe_survey *survey;
	pe_string_vec folders; /* make's current ones, innermost last; NULL: outside of the tree */
	pe_string_vec seen;    /* all folders that make entered */
	pe_string_vec links;   /* programs, from the top of the tree */
	pe_string_vec runs;    /* commands that compile and link nothing, in the form for the top */
	pe_candidate_vec targets; /* for benchmarks, and their folders */
	bool odd; /* it links with a sanitizer, a profiler's counters, or for another word size */
};

static void release_printed(struct printed *printed)
{
	pe_vec_release(&printed->folders);
	pe_vec_release(&printed->seen);
	pe_vec_release(&printed->links);
	pe_vec_release(&printed->runs);
	pe_vec_release(&printed->targets);
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
	path = pe_arena_strndup(printed->survey->arena, path != NULL ? path : "/",
				path != NULL ? strlen(path) - 1 : 1);
	path = fit_path(printed->survey, ".", path);
	pe_vec_push(&printed->folders, path);
	if (path != NULL)
		pe_discovery_push(&printed->seen, path);
	return true;
}

static bool is_bench(const char *name)
{
	return strstr(name, "bench") != NULL || strcmp(name, "perf") == 0;
}

/* Read "bench: prog" in the list of targets; an entry that is no target has a comment before it. */
static void take_target(struct printed *printed, const char *line, const char *before,
			const char *folder)
{
	size_t n = strcspn(line, ": \t=%");
	const char *name = pe_arena_strndup(printed->survey->arena, line, n);

	if (line[n] != ':' || line[n + 1] == '=' || strncmp(before, "# Not a target", 14) == 0 ||
	    strpbrk(name, "./") != NULL || !is_bench(name) || !pe_survey_is_fit(name))
		return;
	pe_vec_push(&printed->targets, (struct pe_candidate){.name = name, .command = folder});
}

/* Read automake's "bin_PROGRAMS = prog$(EXEEXT)" in the list of all variables. */
static void take_programs(struct printed *printed, const char *line, const char *folder)
{
	char *rest = NULL, *words = strstr(line, "_PROGRAMS = ");

	if (words == NULL || (strncmp(line, "bin_", 4) != 0 && strncmp(line, "noinst_", 7) != 0))
		return;
	words = pe_arena_strdup(printed->survey->arena, strchr(words, '='));
	for (char *word = strtok_r(words, "= ", &rest); word != NULL;
	     word = strtok_r(NULL, "= ", &rest)) {
		char *ending = strstr(word, "$(EXEEXT)");
		const char *path;

		if (ending != NULL)
			*ending = '\0';
		path = fit_path(printed->survey, folder, word);
		if (path != NULL)
			pe_discovery_push(&printed->links, path);
	}
}

/* The output of a command that links a program: "cc -o prog a.o". @return  NULL: another command */
static const char *linked_by(const struct pe_survey *survey, const char *command, bool *odd,
			     bool *compiles)
{
	const char *output = NULL;

	*odd = pe_read_matches(command,
			       "(^|[ \t])(-fsanitize=|-m32|-mx32|-pg|--coverage|-fprofile-)");
	*compiles = pe_read_matches(command, "[.](o|c|cc|cpp|cxx|a|lo|la)([ \t]|$)");
	if (!*compiles || pe_read_matches(command, "[ \t](-c|-S|-E|-shared|-r|-M|-MM)([ \t]|$)"))
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

/* Add one command of a shell line. */
static void take_command(struct printed *printed, const char *command, const char *folder)
{
	struct pe_survey *survey = printed->survey;
	bool odd, compiles;
	const char *program = linked_by(survey, command, &odd, &compiles);

	if (program != NULL && !odd)
		program = fit_path(survey, folder, program);
	if (program != NULL && !odd)
		pe_discovery_push(&printed->links, program);
	printed->odd = printed->odd || odd;
	if (!compiles && !is_quiet(command))
		pe_vec_push(&printed->runs, strcmp(folder, ".") == 0
						    ? command
						    : pe_arena_printf(survey->arena, "cd %s && %s",
								      folder, command));
}

/* Split a line of a recipe: "cd src && cc -o prog a.o; strip prog" is several commands. */
static void take_recipe(struct printed *printed, char *line, const char *folder)
{
	struct pe_survey *survey = printed->survey;

	for (char *at = line, *end; at != NULL; at = end) {
		size_t n = strcspn(at, ";&|");

		end = at[n] != '\0' ? at + n + 1 + (at[n + 1] == at[n]) : NULL;
		at[n] = '\0';
		at += strspn(at, " \t(@");
		while (n > 0 && at[0] != '\0' && strchr(" \t)", at[strlen(at) - 1]) != NULL)
			at[strlen(at) - 1] = '\0';
		if (strncmp(at, "cd ", 3) == 0)
			folder = fit_path(survey, folder, at + 3);
		else if (at[0] != '\0' && folder != NULL)
			take_command(printed, pe_arena_strdup(survey->arena, at), folder);
		if (folder == NULL)
			return;
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
		const char *folder = out->folders.data[out->folders.n - 1];

		if (strncmp(line, "# Make data base", 16) == 0)
			in_list = true;
		else if (strncmp(line, "# Finished Make data base", 25) == 0)
			in_list = false;
		else if (!take_folder(out, line) && folder != NULL && in_list && line[0] != '\t') {
			take_target(out, line, before, folder);
			take_programs(out, line, folder);
		} else if (folder != NULL && !in_list && line[0] != '#')
			take_recipe(out, line, folder);
		before = line;
	}
	return answer != NULL;
}

/* --- Benchmarks --- */

static const char *in_folder(struct pe_survey *survey, const char *folder, const char *target)
{
	return strcmp(folder, ".") == 0
		       ? target
		       : pe_arena_printf(survey->arena, "-C %s %s", folder, target);
}

/* The arguments with which make makes a program: in its own folder, in that of the target that runs it, or at the top. */
static const char *make_program(struct pe_survey *survey, const struct printed *own,
				const char *folder, const char *path)
{
	const char *name = pe_path_name(path);
	const char *dir =
		pe_arena_strndup(survey->arena, path, name > path ? (size_t)(name - path) - 1 : 0);
	const size_t n = strlen(folder);

	if (name > path && pe_has_string(own->seen.data, own->seen.n, dir))
		return in_folder(survey, dir, name);
	return strncmp(path, folder, n) == 0 && path[n] == '/'
		       ? in_folder(survey, folder, path + n + 1)
		       : path;
}

/*
 * Add a target for benchmarks. It is a program, or runs some that a step of the build makes before; if it is one
 * command, that is measured without make.
 */
static void take_bench(struct pe_survey *survey, const struct printed *all, const char *target,
		       const char *folder)
{
	const char *arguments = in_folder(survey, folder, target);
	const char *path = pe_survey_join(survey, folder, target);
	size_t before = survey->benches.n;
	struct printed own;

	if (pe_has_string(all->links.data, all->links.n, path))
		return;
	if (!print(&own, survey, arguments) || own.odd) {
		survey->unasked = NULL;
	} else if (pe_has_string(own.links.data, own.links.n, path)) {
		pe_survey_add_program(survey, target, path);
		if (survey->benches.n > before)
			pe_survey_add_step(survey, "make %s", arguments);
	} else if (own.runs.n > 0) {
		/* One command without special characters of a shell. */
		const bool plain = own.runs.n == 1 &&
				   pe_read_matches(own.runs.data[0], "^[A-Za-z0-9_+./=,:& -]*$");

		pe_survey_add_bench(survey, target, "%s%s", plain ? "" : "make -s ",
				    plain ? own.runs.data[0] : arguments);
		for (size_t i = 0; survey->benches.n > before && i < own.links.n; i++)
			if (!pe_has_string(all->links.data, all->links.n, own.links.data[i]))
				pe_survey_add_step(
					survey, "make %s",
					make_program(survey, &own, folder, own.links.data[i]));
	}
	release_printed(&own);
}

static void take_targets(struct pe_survey *survey, const struct printed *all,
			 const struct printed *listed)
{
	for (size_t i = 0; i < listed->targets.n && i < MAX_TARGETS; i++)
		take_bench(survey, all, listed->targets.data[i].name,
			   listed->targets.data[i].command);
}

static bool has_makefile(const struct pe_survey *survey, const char *folder)
{
	static const char *const names[] = {"GNUmakefile", "makefile", "Makefile"};
	bool there = false;

	for (size_t i = 0; i < 3; i++)
		there = there || pe_survey_has(survey, pe_survey_join(survey, folder, names[i]));
	return there;
}

/* Add folders of benchmarks with a makefile that the one at the top does not enter. */
static void look_beside(struct pe_survey *survey, const struct printed *all)
{
	static const char *const folders[] = {"bench", "benchmark", "benchmarks",
					      "perf",  "tests",     "test"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		struct printed listed;

		if (pe_has_string(all->seen.data, all->seen.n, folders[i]) ||
		    !has_makefile(survey, folders[i]))
			continue;
		print(&listed, survey, in_folder(survey, folders[i], "-p -k"));
		take_targets(survey, all, &listed);
		release_printed(&listed);
	}
	survey->unasked = NULL;
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

/* Whether all programs that it links are of a debug build: "build/debug/prog". */
static bool is_debug(const struct printed *printed)
{
	size_t n = 0;

	while (n < printed->links.n && (strncmp(printed->links.data[n], "debug/", 6) == 0 ||
					strstr(printed->links.data[n], "/debug/") != NULL))
		n++;
	return n > 0 && n == printed->links.n;
}

/* Ask what `make` builds; where that is a debug build and there is a target "release", what `make release` builds. */
static bool print_build(struct printed *out, struct pe_survey *survey)
{
	struct printed release;
	bool found = print(out, survey, "-p");

	/* A dry run ends where one part of a build needs a file that another part makes. */
	if (!found && survey->ask != NULL) {
		const char *why = survey->unasked;

		release_printed(out);
		print(out, survey, "-p -k || :");
		survey->unasked = out->links.n > 0 ? NULL : why;
		return survey->unasked == NULL;
	}
	if (!found || !is_debug(out))
		return survey->unasked == NULL;
	found = print(&release, survey, "-p release") && release.links.n > 0 && !is_debug(&release);
	survey->unasked = NULL;
	release_printed(found ? out : &release);
	if (found) {
		*out = release;
		survey->steps.data[survey->steps.n - 1] = "make release";
	}
	return true;
}

static void ask_make(struct pe_survey *survey)
{
	struct printed all;

	if (print_build(&all, survey)) {
		for (size_t i = 0; i < all.links.n; i++)
			/* A program "test..." is measured only if it is a benchmark. */
			if (strncmp(all.links.data[i], "test", 4) != 0 ||
			    is_bench(pe_path_name(all.links.data[i])))
				pe_survey_add_program(survey, pe_path_name(all.links.data[i]),
						      all.links.data[i]);
		take_targets(survey, &all, &all);
		look_beside(survey, &all);
		drop_runs(survey);
	}
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

	if (!configured && !has_makefile(survey, "."))
		return false;
	if (!configured)
		survey->system = "Make";
	pe_survey_add_step(survey, "make");
	if (survey->unasked == NULL)
		ask_make(survey);
	return true;
}
