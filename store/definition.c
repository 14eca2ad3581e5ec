/*
 * A benchmark as JSON, for people who look into the file. perfevo itself never reads it back: what decides
 * is the version.
 */
#include "store/sql.h"

#include "core/json/writer.h"

static void put_metric(struct pe_json *json, const struct pe_custom_metric *custom)
{
	pe_json_begin_object(json, NULL);
	pe_json_members(json, &custom->metric, name, unit);
	pe_json_put(json, "better",
		    custom->metric.better == PE_HIGHER_IS_BETTER ? "higher" : "lower");
	pe_json_put(json, custom->how == PE_EXTRACT_JSON ? "json" : "regex", custom->expression);
	pe_json_put(json, "from", custom->from_stderr ? "stderr" : "stdout");
	pe_json_end(json);
}

#define PUT_STRINGS(json, benchmark, member)                                                       \
	pe_json_texts(json, #member, (benchmark)->member.at, (benchmark)->member.n)
#define PUT_COMMANDS(json, benchmark, member)                                                      \
	pe_json_each(json, #member, i, (benchmark)->member.n,                                      \
		     pe_json_put(json, NULL, (benchmark)->member.at[i].text))

void pe_benchmark_json(struct pe_text *out, const struct pe_benchmark *benchmark)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "name", benchmark->name);
	if (benchmark->suite != NULL)
		pe_json_put(&json, "suite", benchmark->suite->name);
	pe_json_put(&json, "command", benchmark->command.text);
	pe_json_members(&json, benchmark, cwd, input);
	PUT_STRINGS(&json, benchmark, inputs);
	PUT_STRINGS(&json, benchmark, env);
	PUT_STRINGS(&json, benchmark, parameters);
	PUT_STRINGS(&json, benchmark, tags);
	PUT_COMMANDS(&json, benchmark, setup);
	PUT_COMMANDS(&json, benchmark, prepare);
	PUT_COMMANDS(&json, benchmark, cleanup);
	pe_json_members(&json, benchmark, expected_status, warmup, repeats, timeout_ns,
			count_allocations, is_test);
	pe_json_each(&json, "metrics", i, benchmark->n_customs,
		     put_metric(&json, &benchmark->customs[i]));
	pe_json_end(&json);
}
