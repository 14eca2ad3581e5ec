/* Compare: what makes one commit, benchmark or recorded profile slower or faster than another. */
#include "cmd/commands.h"
#include "app/pages/compare_page.h"

#include "configs/read.h"
#include "report/markdown.h"

#include <string.h>
#include <sys/stat.h>

enum format { FORMAT_TERM, FORMAT_JSON, FORMAT_SVG, FORMAT_MD, FORMAT_HTML };

static const char *const formats[] = {"term", "json", "svg", "md", "html", NULL};
static const char *const rules[] = {"subsequence", "relaxed", "strict", "hybrid", NULL};
static const char *const bases[] = {"own", "time", "share", NULL};

struct options {
	struct pe_comparing_opts comparing;
	struct pe_recorded_opts recorded;
	const char *least, *overlap, *output;
	const char *page; /**< with --html: where the page is written */
	int n_old;        /**< operands that are profiles of old; 0: the first alone */
	bool files, fail, all, tree, no_open;
	size_t depth;
	int format;
};

/* --- Operands --- */

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Two files that are no revisions, or whatever stands there with --files. */
static bool means_files(struct pe_cmd_ctx *ctx, const struct options *options, int argc,
			char **argv)
{
	struct pe_revision revision;
	pe_auto_arena scratch = PE_ARENA_INIT;
	bool named = false;

	if (options->files || argc != 2 || !is_file(argv[0]) || !is_file(argv[1]))
		return options->files;
	if (pe_repo_open(&ctx->app.repo, NULL, NULL) != PE_OK)
		return true;
	for (int i = 0; i < 2; i++)
		named = named ||
			pe_repo_resolve(&revision, ctx->app.repo, argv[i], &scratch, NULL) == PE_OK;
	return !named;
}

static int check_shares(struct pe_cmd_ctx *ctx, struct options *options)
{
	struct pe_comparing_opts *comparing = &options->comparing;

	if (options->least != NULL &&
	    !pe_read_fraction_text(&comparing->min_change, options->least))
		return pe_cmd_misused(ctx, "--min-change is a share such as 2%% or 0.02, not '%s'",
				      options->least);
	if (options->overlap != NULL &&
	    (!pe_read_fraction_text(&comparing->threshold, options->overlap) ||
	     comparing->threshold > 1))
		return pe_cmd_misused(ctx, "--overlap is a share such as 95%% or 0.95, not '%s'",
				      options->overlap);
	return PE_OK;
}

static int check(struct pe_cmd_ctx *ctx, struct options *options, bool files, int argc)
{
	const struct pe_comparing_opts *comparing = &options->comparing;

	if (files && options->n_old == 0 && argc != 2)
		return pe_cmd_misused(ctx, "two files are compared: the old one and the new one");
	if (files && (comparing->with != NULL || comparing->worktree || comparing->bench != NULL))
		return pe_cmd_misused(ctx, "profiles in files know no benchmarks and no worktree");
	if (comparing->with != NULL && comparing->bench == NULL)
		return pe_cmd_misused(
			ctx, "--with is the new benchmark: say with --bench which one is old");
	if (comparing->with != NULL && (argc > 1 || comparing->worktree))
		return pe_cmd_misused(ctx, "--with compares two benchmarks of one commit");
	if (comparing->worktree && argc > 1)
		return pe_cmd_misused(ctx,
				      "with --worktree there is one commit at most, the old one");
	if (!files && !comparing->worktree && comparing->with == NULL && argc == 0)
		return pe_cmd_misused(
			ctx,
			"which commit is old? 'perfevo compare HEAD~1' compares with the last one");
	if (comparing->kept && (files || comparing->worktree || comparing->again || options->fail))
		return pe_cmd_misused(ctx,
				      "--stored is for commits, and decides nothing: not with %s",
				      files                 ? "files"
				      : comparing->worktree ? "--worktree"
				      : comparing->again    ? "--again"
							    : "--fail-on-regression");
	if (ctx->app.counts_only && files)
		return pe_cmd_misused(ctx,
				      "--counts is for commits: profiles are compared as they are");
	if (!files && argc > 2)
		return pe_cmd_misused(ctx, "two commits at most: the old one and the new one");
	if (comparing->stages && options->format > FORMAT_JSON)
		return pe_cmd_misused(ctx, "--stages has the formats term and json; the page of "
					   "'perfevo compare --format html' draws them");
	if (options->output != NULL && options->format != FORMAT_HTML)
		return pe_cmd_misused(
			ctx, "-o is for --format html; the other formats go to standard output");
	if (files && options->format == FORMAT_HTML && options->output == NULL &&
	    ctx->app.repo == NULL)
		return pe_cmd_misused(ctx,
				      "there is no repository for the page: name a file with -o");
	return check_shares(ctx, options);
}

/* --- What comes of it --- */

static int write_page(struct pe_cmd_ctx *ctx, struct pe_comparing *comparing,
		      const struct options *options)
{
	const char *asked = options->page != NULL ? options->page : options->output;
	const char *path;

	PE_TRY(pe_comparing_write(&path, comparing, asked, "compare.html"));
	pe_cmd_report_page(ctx, path, !options->no_open);
	return PE_OK;
}

static int print(struct pe_cmd_ctx *ctx, const struct pe_comparing *comparing,
		 const struct options *options)
{
	const struct pe_compare *out = &comparing->out;
	pe_auto_text text = PE_TEXT_INIT;

	if (options->format == FORMAT_SVG)
		pe_compare_svg(&text, out);
	else if (options->format == FORMAT_MD)
		pe_compare_term(&text, out, &pe_md_term);
	else if (options->format == FORMAT_JSON && comparing->opts->stages)
		pe_parcs_json(&text, out);
	else if (options->format == FORMAT_JSON)
		pe_compare_json(&text, out);
	else if (comparing->opts->stages)
		pe_parcs_term(&text, out, &ctx->out);
	else
		pe_compare_term(&text, out, &ctx->out);
	return pe_cmd_show(ctx, &text, true);
}

/* Layout counts if the config wants that; recorded profiles have no config, and no layout. */
static bool has_regression(const struct pe_cmd_ctx *ctx, const struct pe_compare *compare)
{
	for (size_t p = 0; p < compare->n_pairs; p++)
		for (size_t i = 0; i < compare->pairs[p].n_values; i++) {
			const struct pe_compare_value *value = &compare->pairs[p].values[i];

			if (value->judged && value->verdict == PE_REGRESSED &&
			    (!value->layout || ctx->app.config->gate.layout_fails))
				return true;
		}
	return false;
}

static int compare_files(struct pe_comparing *comparing, struct options *options, int argc,
			 char **argv)
{
	const int n_old = options->n_old > 0 ? options->n_old : 1;
	struct pe_recorded_paths sides[2] = {0};
	int rc = PE_OK;

	for (int i = 0; rc == PE_OK && i < argc; i++)
		rc = pe_recorded_add(&sides[i >= n_old], argv[i], comparing->app);
	if (rc == PE_OK)
		rc = pe_comparing_files(comparing, sides, &options->recorded);
	pe_vec_release(&sides[0].list);
	pe_vec_release(&sides[1].list);
	return rc;
}

static int run(struct pe_cmd_ctx *ctx, struct options *options, bool files, int argc, char **argv)
{
	const unsigned needs = PE_NEEDS_REPO | PE_NEEDS_CONFIG | PE_NEEDS_STORE;
	pe_auto_comparing comparing = {.app = &ctx->app, .opts = &options->comparing};

	if (files) {
		PE_TRY(compare_files(&comparing, options, argc, argv));
	} else {
		PE_TRY(pe_app_open(&ctx->app, needs));
		PE_TRY(pe_comparing_revisions(&comparing, argc > 0 ? argv[0] : "HEAD",
					      argc > 1 ? argv[1] : "HEAD"));
	}
	comparing.out.view = (struct pe_compare_view){
		options->tree || options->depth > 0, options->all,
		(uint32_t)(options->depth < UINT32_MAX ? options->depth : UINT32_MAX)};
	pe_comparing_decide_trees(&comparing);
	if (options->format != FORMAT_HTML)
		PE_TRY(print(ctx, &comparing, options));
	if (options->format == FORMAT_HTML || options->page != NULL)
		PE_TRY(write_page(ctx, &comparing, options));
	if (comparing.unmeasurable)
		return PE_EXIT_UNMEASURABLE;
	return options->fail && has_regression(ctx, &comparing.out) ? PE_EXIT_REGRESSED
								    : PE_EXIT_GOOD;
}

/* From parsed options to the exit status; the same for all three commands. */
static int go(struct pe_cmd_ctx *ctx, struct options *options, int argc, char **argv)
{
	bool files = means_files(ctx, options, argc, argv);

	PE_TRY(check(ctx, options, files, argc));
	options->comparing.anybodys = options->comparing.kept;
	return run(ctx, options, files, argc, argv);
}

/* Options for reading recorded profiles: rows over a struct options. */
#define RECORDED_OPTIONS(o)                                                                        \
	OPT_STRING(0, "input-format", &(o).recorded.format, "NAME",                                \
		   "of the files, in place of recognising it by the content"),                     \
		OPT_DURATION(                                                                      \
			0, "sample-interval", &(o).recorded.sample_ns, "DURATION",                 \
			"what a sample in a file stands for (1ms where the file does not say)")

/* Options of compare and parcs, which take commits or profiles. */
#define SHARED_OPTIONS(o)                                                                          \
	OPT_FLAG(0, "files", &(o).files, "operands are recorded profiles"), RECORDED_OPTIONS(o),   \
		OPT_FLAG(0, "again", &(o).comparing.again,                                         \
			 "measure and profile what is there already"),                             \
		OPT_FLAG(0, "stored", &(o).comparing.kept,                                         \
			 "only what is stored, by others too: nothing is built or run")

/* Options for matching and drawing two trees: rows over a struct options. */
#define MATCHING_OPTIONS(o)                                                                        \
	OPT_CHOICE(0, "match", &(o).comparing.rule, rules,                                         \
		   "how call paths of the two trees are matched"),                                 \
		OPT_FLAG(0, "no-call-sites", &(o).comparing.no_call_sites,                         \
			 "treat calls from different lines of one method as the same call"),       \
		OPT_CHOICE(                                                                        \
			0, "basis", &(o).comparing.basis, bases,                                   \
			"heights and colours by what a method spends itself, with its callees, or as a share of its execution")

int cmd_compare(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	struct options options = {.comparing = {.decide_ns = UINT64_C(600) * 1000000000}};
	struct pe_comparing_opts *comparing = &options.comparing;
	const struct pe_opt opts[] = {
		OPT_GROUP("What is compared"),
		OPT_BENCH(&comparing->bench),
		OPT_STRING(0, "with", &comparing->with, "NAME",
			   "two benchmarks of one commit: --bench names the old, this the new one"),
		OPT_FLAG(0, "worktree", &comparing->worktree,
			 "new is the tree with all that is not committed"),
		SHARED_OPTIONS(options),
		OPT_COUNTS(&ctx->app.counts_only),
		OPT_DURATION(0, "budget", &comparing->decide_ns, "DURATION",
			     "time budget for measuring undecided metrics further (10m)"),
		OPT_GROUP("How it is compared"),
		MATCHING_OPTIONS(options),
		OPT_STRING(
			0, "min-change", &options.least, "SHARE",
			"leave out what is less of the old execution (0.5% by default), and sample until changes of this size are decided"),
		OPT_STRING(
			0, "overlap", &options.overlap, "SHARE",
			"with --stages: adjust weights up to this overlap, in place of new's own noise"),
		OPT_GROUP("What is shown"),
		OPT_NUMBER(0, "top", &comparing->top, "K",
			   "at most K causes of a metric (5 by default)"),
		OPT_FLAG(0, "tree", &options.tree, "the tree of calls, too"),
		OPT_NUMBER(0, "depth", &options.depth, "N",
			   "the tree, also with what differs on the first N levels"),
		OPT_FLAG(0, "all", &options.all,
			 "functions, system calls and sums, too; in the tree every call path"),
		OPT_FLAG(0, "stages", &comparing->stages,
			 "why the trees differ, in three stages (as 'perfevo parcs')"),
		OPT_FORMAT(&options.format, formats),
		OPT_STRING('o', "output", &options.output, "FILE",
			   "with --format html: where the page is written"),
		OPT_FLAG(0, "no-open", &options.no_open, "do not open the page in a browser"),
		OPT_FLAG(0, "fail-on-regression", &options.fail,
			 "exit status 1 if a metric got worse"),
		OPT_END,
	};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	comparing->critical = options.format == FORMAT_JSON && !comparing->stages;
	comparing->page = options.format == FORMAT_HTML;
	return go(ctx, &options, argc, argv);
}

/* --- Profiles --- */

/* The operands before "--" are old's and those behind it new's; without it there is one of each. */
static int split_sides(struct pe_cmd_ctx *ctx, struct options *options, const struct pe_opt *opts,
		       int *argc, char ***argv)
{
	int before = 0, behind;

	while (before < *argc && strcmp((*argv)[before], "--") != 0)
		before++;
	behind = before < *argc ? *argc - before - 1 : 0;
	*argc = before;
	PE_TRY(pe_cmd_begin(ctx, opts, argc, argv));
	options->n_old = behind > 0 ? *argc : 1;
	if (behind > 0 ? *argc == 0 : *argc != 2)
		return pe_cmd_misused(
			ctx, "two profiles are compared: OLD NEW, or several: OLD... -- NEW...");
	memmove(*argv + *argc, *argv + before + 1, (size_t)behind * sizeof(**argv));
	*argc += behind;
	return PE_OK;
}

int cmd_diff(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	static const char *const diff_formats[] = {"term", "json", "svg", "md", NULL};
	struct options options = {.files = true};
	struct pe_comparing_opts *comparing = &options.comparing;
	const struct pe_opt opts[] = {
		OPT_GROUP("What is compared"),
		RECORDED_OPTIONS(options),
		OPT_GROUP("How it is compared"),
		MATCHING_OPTIONS(options),
		OPT_STRING(0, "min-change", &options.least, "SHARE",
			   "leave out what is less of the old execution (0.5% by default)"),
		OPT_GROUP("What is shown"),
		OPT_STRING(0, "html", &options.page, "FILE",
			   "also write a page: verdict, blueprint, flame graph, methods"),
		OPT_FLAG(0, "no-open", &options.no_open, "do not open the page in a browser"),
		OPT_NUMBER(0, "top", &comparing->top, "K", "at most K causes (5 by default)"),
		OPT_FLAG(0, "tree", &options.tree, "the tree of calls, too"),
		OPT_NUMBER(0, "depth", &options.depth, "N",
			   "the tree, also with what differs on the first N levels"),
		OPT_FLAG(0, "all", &options.all, "sums, too; in the tree every call path"),
		OPT_FORMAT(&options.format, diff_formats),
		OPT_END,
	};

	PE_TRY(split_sides(ctx, &options, opts, &argc, &argv));
	comparing->critical = options.format == FORMAT_JSON;
	comparing->page = options.page != NULL;
	return go(ctx, &options, argc, argv);
}

/* --- PARCS --- */

int cmd_parcs(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	static const char *const stages_formats[] = {"term", "json", NULL};
	struct options options = {.comparing = {.stages = true}};
	struct pe_comparing_opts *comparing = &options.comparing;
	const struct pe_opt opts[] = {
		OPT_GROUP("What is compared"),
		OPT_BENCH(&comparing->bench),
		OPT_FLAG(0, "worktree", &comparing->worktree,
			 "new is the tree with all that is not committed"),
		SHARED_OPTIONS(options),
		OPT_GROUP("How it is compared"),
		OPT_FLAG(0, "no-call-sites", &comparing->no_call_sites,
			 "treat calls from different lines of one method as the same call"),
		OPT_STRING(0, "overlap", &options.overlap, "SHARE",
			   "adjust weights up to this overlap, in place of new's own noise"),
		OPT_GROUP("What is shown"),
		OPT_NUMBER(0, "top", &comparing->top, "K", "at most K pairs of each weight"),
		OPT_FORMAT(&options.format, stages_formats),
		OPT_END,
	};

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	return go(ctx, &options, argc, argv);
}
