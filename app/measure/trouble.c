#include "app/measure/trouble.h"

#include <string.h>

static bool has_commit(const struct pe_trouble *trouble, const char *id)
{
	for (size_t i = 0; i < trouble->commits.n; i++)
		if (strcmp(trouble->commits.data[i].id, id) == 0)
			return true;
	return false;
}

static struct pe_trouble *find(struct pe_troubles *troubles, const char *what,
			       struct pe_arena *arena)
{
	for (size_t i = 0; i < troubles->at.n; i++)
		if (strcmp(troubles->at.data[i].what, what) == 0)
			return &troubles->at.data[i];
	pe_vec_push(&troubles->at, (struct pe_trouble){.what = pe_arena_strdup(arena, what)});
	return &troubles->at.data[troubles->at.n - 1];
}

void pe_trouble_add(struct pe_troubles *troubles, const struct pe_revision *revision,
		    const char *what, bool has_log, struct pe_arena *arena)
{
	struct pe_trouble *trouble = find(troubles, what, arena);

	if (has_commit(trouble, revision->id))
		return;
	trouble->has_log = has_log;
	pe_vec_push(&trouble->commits, *revision);
	trouble->commits.data[trouble->commits.n - 1].subject =
		pe_arena_strdup(arena, revision->subject != NULL ? revision->subject : "");
}

/* The reason why a tree was refused, without the revision's id in front, so that it is the same at each commit. */
static const char *refusal(const char *log, const char *id)
{
	size_t n = strspn(log, "0123456789abcdef");

	return n > 0 && strncmp(log, id, n) == 0 && strncmp(log + n, ": ", 2) == 0 ? log + n + 2
										   : log;
}

void pe_trouble_add_build(struct pe_troubles *troubles, const struct pe_revision *revision,
			  const struct pe_build *build, struct pe_arena *arena)
{
	bool refused = build->outcome == PE_TREE_REFUSED && build->log != NULL;

	pe_trouble_add(troubles, revision,
		       refused ? refusal(build->log, revision->id) : pe_outcome_say(build->outcome),
		       !refused, arena);
}

static const char *trouble_of_run(const char *benchmark, const struct pe_run *run,
				  struct pe_arena *arena)
{
	const char *outcome = pe_outcome_say(run->outcome);

	if (run->outcome == PE_METRIC_MISSING && run->uncounted != NULL)
		return pe_arena_printf(arena, "%s: %s", benchmark, run->uncounted);
	if (run->missing == NULL)
		return pe_arena_printf(arena, "%s: %s", benchmark, outcome);
	return pe_arena_printf(
		arena,
		"%s: %s, for its tree has no %s: files of today are given to every commit by 'overlay: [...]'",
		benchmark, outcome, run->missing);
}

void pe_trouble_add_run(struct pe_troubles *troubles, const struct pe_revision *revision,
			const char *benchmark, const struct pe_run *run, struct pe_arena *arena)
{
	if (run->outcome == PE_MEASURED || run->outcome == PE_NOT_COUNTABLE ||
	    (run->outcome == PE_ABSENT && run->missing == NULL))
		return;
	pe_trouble_add(troubles, revision, trouble_of_run(benchmark, run, arena), true, arena);
}

size_t pe_troubles_commits(const struct pe_troubles *troubles)
{
	size_t n = 0;

	for (size_t i = 0; i < troubles->at.n; i++)
		for (size_t j = 0; j < troubles->at.data[i].commits.n; j++) {
			bool first = true;

			for (size_t k = 0; first && k < i; k++)
				first = !has_commit(&troubles->at.data[k],
						    troubles->at.data[i].commits.data[j].id);
			n += first;
		}
	return n;
}

static void report(const struct pe_trouble *trouble, const struct pe_app *app)
{
	const struct pe_revision *first = &trouble->commits.data[0];
	size_t n = trouble->commits.n;
	pe_auto_text show = PE_TEXT_INIT;

	if (trouble->has_log) {
		pe_text_addf(&show, "%s'perfevo show ", n > 1 ? "; " : " (");
		if (app->store_path != NULL) {
			pe_text_add(&show, "--store ");
			pe_text_add_word(&show, app->store_path);
			pe_text_addc(&show, ' ');
		}
		pe_text_addf(&show, "%.10s' prints the log%s", first->id, n > 1 ? " of one" : ")");
	}
	if (n == 1)
		pe_app_note(app, "%.10s (%s): %s%s", first->id, first->subject, trouble->what,
			    pe_text_str(&show));
	else
		pe_app_note(app, "%s (%zu commits%s)", trouble->what, n, pe_text_str(&show));
}

void pe_troubles_report(struct pe_troubles *troubles, const struct pe_app *app)
{
	for (size_t i = 0; i < troubles->at.n; i++) {
		report(&troubles->at.data[i], app);
		pe_vec_release(&troubles->at.data[i].commits);
	}
	pe_vec_release(&troubles->at);
}
