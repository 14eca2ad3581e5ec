/*
 * Choice of the counter of instructions: the processor during timed runs, where it has counters that may be read; else
 * valgrind, in counting runs. The two are separate metrics, `instructions` and `simulated-instructions`, because they
 * count different things: a series never contains both.
 */
#include "app/measure/session.h"

#include "app/measure/exactness.h"
#include "core/exec/parallel_builds.h"
#include "core/exec/simulate.h"

#include <math.h>
#include <string.h>

enum {
	/* Builds whose second runs must agree before counts are taken for exact: both sides of the first comparison. */
	BUILDS_OF_EVIDENCE = 2,
	/* One in this number of the later builds is simulated twice. */
	AGAIN_ONE_IN = 8,
	/* As many runs of each of two builds decide by ranks, also at the level of repeated looks: 2 of 252 orders. */
	DECIDING_ROUNDS = 5,
};

/* Counts of a runtime that compiles while it runs: times vary no more, and take a tenth of the time at most. */
static const double USELESS_SPREAD = 0.01;

/*
 * Noisy counts add little to times: they may take as long as the timed runs of a build, or this if those are brief. The
 * limit keeps them to minutes in a history of twenty commits.
 */
static const double PAID_S = 5;

/* Appended to the reason why instructions are not simulated. */
#define CURE                                                                                       \
	" (a fixed seed, as PYTHONHASHSEED=0 in 'env', one thread, and no time in what is computed make them the same, but for a runtime that compiles meanwhile, as Node or Java; 'run: {instructions: simulated}' counts them anyway)"

int pe_session_choose_counts(struct pe_session *session)
{
	enum pe_instructions wanted = session->app->config->surroundings.instructions;
	struct pe_runner *runner = &session->runner;
	struct pe_err why = PE_ERR_INIT;

	if (wanted == PE_INSTRUCTIONS_HARDWARE && !runner->instructions)
		return pe_fail(
			session->app->err, PE_EUNSUPPORTED,
			"'run: {instructions: hardware}': this machine counts none (no hardware counters, or kernel.perf_event_paranoid above 2); 'auto' has valgrind count them");
	if (wanted == PE_INSTRUCTIONS_SIMULATED || wanted == PE_INSTRUCTIONS_OFF)
		runner->instructions = false;
	runner->simulate_all = wanted == PE_INSTRUCTIONS_SIMULATED;
	if (runner->simulate_all || (wanted == PE_INSTRUCTIONS_AUTO && !runner->instructions))
		runner->valgrind = pe_simulate_program(session->arena, &why);
	if (runner->simulate_all && runner->valgrind == NULL)
		return pe_fail(session->app->err, PE_EUNSUPPORTED,
			       "'%s': %s (its package is called valgrind everywhere)",
			       session->app->counts_only ? "--counts"
							 : "run: {instructions: simulated}",
			       why.message);
	return PE_OK;
}

/* Choose some commits: the same ones in every session, without a pattern over the history. */
static bool is_drawn(const char *revision)
{
	unsigned number = 0;

	for (size_t i = 0; i < 4 && revision[i] != '\0'; i++)
		number = number * 31 + (unsigned char)revision[i];
	return number % AGAIN_ONE_IN == 0;
}

/*
 * Rounds of noisy counts that a build may take. If their duration is unknown, one round is made, and shows it. Where two
 * builds are compared again, there are as many as decide.
 */
static unsigned rounds_paid(const struct pe_session *session, int64_t benchmark,
			    const struct pe_spending *spent)
{
	size_t w = pe_session_benchmark_of(session, benchmark);
	double timed_s = pe_spent_mean(&spent->of[PE_SPENT_TIMED], 0);
	double simulated_s = pe_spent_mean(&spent->of[PE_SPENT_SIMULATED], NAN), rounds;

	if (session->runner.simulate_all)
		return PE_COUNTED_ROUNDS_NOISY;
	if (isnan(simulated_s))
		return 1;
	if (w != SIZE_MAX)
		timed_s *= session->benchmarks.data[w]->repeats;
	rounds = floor(fmax(timed_s, PAID_S) / simulated_s);
	if (session->unskipped)
		rounds = fmax(rounds, DECIDING_ROUNDS);
	return rounds < PE_COUNTED_ROUNDS_NOISY ? (unsigned)rounds : PE_COUNTED_ROUNDS_NOISY;
}

/* Get the spending on a benchmark, of earlier sessions and of this one so far. */
static int spent_by_now(struct pe_spending *out, struct pe_session *session, int64_t benchmark,
			const struct pe_spending *now)
{
	PE_TRY(pe_store_get_costs(out, session->app->store, session->machine_key, benchmark,
				  session->app->err));
	for (size_t k = 0; k < PE_N_SPENT; k++) {
		out->of[k].n += now->of[k].n;
		out->of[k].seconds += now->of[k].seconds;
	}
	return PE_OK;
}

int pe_session_simulation(struct pe_simulation *out, struct pe_session *session, int64_t benchmark,
			  const struct pe_spending *now)
{
	struct pe_exactness kept = {0, 0, 0};
	struct pe_spending spent = {0};

	if (session->runner.valgrind != NULL)
		PE_TRY(pe_exactness_load(&kept, session->app->store, session->machine_key,
					 benchmark, &pe_metrics[PE_SIMULATED_INSTRUCTIONS],
					 session->app->err));
	if (kept.broken > 0)
		PE_TRY(spent_by_now(&spent, session, benchmark, now));
	*out = (struct pe_simulation){
		.varies = kept.broken > 0,
		/* One build with differing counts is enough evidence for all. */
		.lacks = kept.broken == 0 && kept.builds < BUILDS_OF_EVIDENCE
				 ? BUILDS_OF_EVIDENCE - (unsigned)kept.builds
				 : 0,
		.useless = kept.most > USELESS_SPREAD && !session->runner.simulate_all,
		.paid = rounds_paid(session, benchmark, &spent),
	};
	return PE_OK;
}

unsigned pe_simulation_rounds(const struct pe_simulation *simulation, const char *revision)
{
	if (simulation->useless)
		return 0;
	if (simulation->varies)
		return simulation->paid;
	return simulation->lacks > 0 || is_drawn(revision) ? PE_COUNTED_ROUNDS : 1;
}

const char *pe_simulation_refusal(const struct pe_simulation *simulation)
{
	if (simulation->useless)
		return "instructions are not simulated: in two runs of one build they differ by more than 1 %, and tell less than times do" CURE;
	return "instructions are not simulated: they differ from run to run, and counting them takes longer than the timed runs do" CURE;
}

static bool shares(const struct pe_commands *commands)
{
	return pe_parallel_builds_use_temporary(commands) ||
	       pe_parallel_builds_write_elsewhere(commands);
}

static bool any_shares(const struct pe_benchmark *benchmark)
{
	struct pe_command command = benchmark->command;
	const struct pe_commands run = {&command, 1};

	return shares(&run) || shares(&benchmark->setup) || shares(&benchmark->prepare) ||
	       shares(&benchmark->cleanup);
}

/* Whether runs of several commits may write to a place that the config names. */
static bool share_places(const struct pe_session *session)
{
	bool share = false;

	if (session->confined && !session->sandbox.by_landlock)
		return session->sandbox.write.n > 0;
	for (size_t w = 0; !share && w < session->benchmarks.n; w++)
		share = any_shares(session->benchmarks.data[w]);
	return share;
}

unsigned pe_session_counting_workers(struct pe_session *session)
{
	const bool said = session->app->config->recipe.parallel > 1;

	/* A run with the counting library alone takes no longer than a timed one. */
	if (session->runner.valgrind == NULL || session->counts_alone ||
	    (!said && share_places(session)))
		return 1;
	return pe_session_workers(session);
}
