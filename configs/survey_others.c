/* Cargo, and C files without any build system. */
#include "configs/survey.h"

#include <ctype.h>
#include <string.h>

/* One Cargo.toml while it is read: enough of TOML for names in sections. */
struct manifest {
	char section[64];
	const char *package;
	bool benches, criterion, workspace;
};

/* The text in quotes of `key = "text"`; NULL for another key or value. */
static const char *toml_text(const char *line, const char *key, struct pe_arena *arena)
{
	size_t n = strlen(key);

	if (strncmp(line, key, n) != 0)
		return NULL;
	line += n + strspn(line + n, " \t");
	if (*line++ != '=')
		return NULL;
	line += strspn(line, " \t");
	return *line == '"' ? pe_arena_strndup(arena, line + 1, strcspn(line + 1, "\"")) : NULL;
}

static void take_binary(struct pe_survey *survey, const char *name)
{
	pe_survey_add_program(survey, name,
			      pe_arena_printf(survey->arena, "target/release/%s", name));
}

static void take_manifest_line(struct manifest *manifest, struct pe_survey *survey,
			       const char *line)
{
	const char *name;

	if (*line == '[') {
		size_t n;

		line += strspn(line, "[ ");
		n = strcspn(line, "] ");
		if (n < sizeof(manifest->section)) {
			memcpy(manifest->section, line, n);
			manifest->section[n] = '\0';
		}
		manifest->benches = manifest->benches || strcmp(manifest->section, "bench") == 0;
		manifest->workspace =
			manifest->workspace || strcmp(manifest->section, "workspace") == 0;
		return;
	}
	if (strncmp(line, "criterion", 9) == 0 && strchr(" =.", line[9]) != NULL)
		manifest->criterion = true;
	name = toml_text(line, "name", survey->arena);
	if (name == NULL)
		return;
	if (strcmp(manifest->section, "package") == 0)
		manifest->package = name;
	else if (strcmp(manifest->section, "bin") == 0)
		take_binary(survey, name);
}

/* src/bin/NAME.rs are programs of that name. */
static void take_bin_folder(struct pe_survey *survey, const char *dir)
{
	pe_auto_free pe_line_vec files = {0};

	pe_survey_list(&files, survey, pe_survey_join(survey, dir, "src/bin"), ".rs");
	for (size_t i = 0; i < files.n; i++)
		take_binary(survey, pe_arena_strndup(survey->arena, files.data[i],
						     strlen(files.data[i]) - 3));
}

static void read_manifest(struct manifest *out, struct pe_survey *survey,
			  const struct pe_found *found)
{
	const char *text = pe_survey_read(survey, found->path);
	struct manifest manifest = {.section = ""};
	char *rest = NULL, *lines = pe_arena_strdup(survey->arena, text != NULL ? text : "");

	for (char *line = strtok_r(lines, "\r\n", &rest); line != NULL;
	     line = strtok_r(NULL, "\r\n", &rest))
		take_manifest_line(&manifest, survey, line + strspn(line, " \t"));
	if (manifest.package != NULL &&
	    pe_survey_has(survey, pe_survey_join(survey, found->dir, "src/main.rs")))
		take_binary(survey, manifest.package);
	take_bin_folder(survey, found->dir);
	out->benches = out->benches || manifest.benches;
	out->criterion = out->criterion || manifest.criterion;
	out->workspace = out->workspace || manifest.workspace;
}

/* Benchmarks of Rust's own library, whose results perfevo reads as they are printed; only nightly compilers know it. */
static void add_libtest(struct pe_survey *survey)
{
	pe_auto_free pe_found_vec found = {0};
	bool measures = false, nightly = false;

	pe_survey_find(&found, survey, "*.rs", 3);
	for (size_t i = 0; i < found.n; i++) {
		const char *text = pe_survey_read(survey, found.data[i].path);

		if (text == NULL ||
		    (strstr(text, "#[bench]") == NULL && strstr(text, "benchmark_main!(") == NULL))
			continue;
		measures = true;
		nightly = nightly || strstr(text, "extern crate test;") != NULL;
	}
	if (!measures)
		return;
	pe_survey_add_step(survey, "cargo bench --no-run");
	pe_survey_add_suite(survey, "bench", "cargo bench", "criterion-rs", NULL);
	if (nightly)
		pe_survey_add_unknown(
			survey,
			"whether cargo is a nightly one, as #[bench] needs: if not, put 'RUSTC_BOOTSTRAP=1' before 'cargo bench', twice");
}

bool pe_survey_cargo(struct pe_survey *survey)
{
	pe_auto_free pe_found_vec found = {0};
	struct manifest all = {.section = ""};
	bool locked;

	if (!pe_survey_has(survey, "Cargo.toml"))
		return false;
	survey->system = "Cargo";
	pe_survey_find(&found, survey, "Cargo.toml", 2);
	/* The nearest first: what lies deeper is built along only in a workspace, and a folder for fuzzing is none of it. */
	for (size_t i = 0; i < found.n && (i == 0 || all.workspace); i++)
		if (strstr(found.data[i].dir, "fuzz") == NULL)
			read_manifest(&all, survey, &found.data[i]);
	survey->env = "{CARGO_PROFILE_RELEASE_DEBUG: limited, CARGO_PROFILE_BENCH_DEBUG: limited}";
	locked = pe_survey_has(survey, "Cargo.lock");
	pe_vec_push(&survey->prepares, locked ? "cargo fetch --locked" : "cargo fetch");
	pe_survey_add_step(survey,
			   locked ? "cargo build --release --locked" : "cargo build --release");
	if (all.criterion) {
		pe_survey_add_step(survey, "cargo bench --no-run");
		pe_survey_add_suite(survey, "criterion", "cargo bench", "criterion-rs",
				    "target/criterion");
	} else {
		add_libtest(survey);
	}
	if (all.benches && survey->suites.n == 0)
		pe_survey_add_unknown(
			survey,
			"how to run the [[bench]] targets: 'cargo bench' repeats by itself; name a program that does the work once");
	return true;
}

static bool has_main(const struct pe_survey *survey, const char *path)
{
	const char *text = pe_survey_read(survey, path);

	for (const char *at = text; at != NULL && (at = strstr(at, "main")) != NULL; at++) {
		bool whole = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');

		if (whole && at[4 + strspn(at + 4, " \t")] == '(')
			return true;
	}
	return false;
}

/* One file with main takes all others along; several each make a program of their own. */
bool pe_survey_c_files(struct pe_survey *survey)
{
	pe_line_vec files = {0}, mains = {0};
	struct pe_arena *arena = survey->arena;
	bool there;

	pe_survey_list(&files, survey, ".", ".c");
	for (size_t i = 0; i < files.n; i++)
		if (pe_survey_is_fit(files.data[i]) && has_main(survey, files.data[i]))
			pe_vec_push(&mains, files.data[i]);
	there = mains.n > 0;
	if (there) {
		survey->system = "C files";
		pe_survey_add_step(survey, "mkdir -p build");
	}
	for (size_t i = 0; i < mains.n; i++) {
		const char *name =
			pe_arena_strndup(arena, mains.data[i], strlen(mains.data[i]) - 2);

		pe_survey_add_step(survey,
				   pe_arena_printf(arena, "${CC:-cc} -O2 -o build/%s %s -lm", name,
						   mains.n == 1 ? "*.c" : mains.data[i]));
		pe_survey_add_program(survey, name, pe_arena_printf(arena, "build/%s", name));
	}
	pe_vec_release(&mains);
	pe_vec_release(&files);
	return there;
}
