/*
 * A workload as JSON, for people who look into the file. perfevo itself never reads it back: what decides
 * is the version.
 */
#include "store/sql.h"

#include "json/writer.h"

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

#define PUT_STRINGS(json, workload, member)                                                        \
	pe_json_texts(json, #member, (workload)->member.at, (workload)->member.n)
#define PUT_COMMANDS(json, workload, member)                                                       \
	pe_json_each(json, #member, i, (workload)->member.n,                                       \
		     pe_json_put(json, NULL, (workload)->member.at[i].text))

void pe_workload_json(struct pe_text *out, const struct pe_workload *workload)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "name", workload->name);
	pe_json_put(&json, "command", workload->command.text);
	pe_json_members(&json, workload, cwd, input);
	PUT_STRINGS(&json, workload, inputs);
	PUT_STRINGS(&json, workload, env);
	PUT_STRINGS(&json, workload, parameters);
	PUT_STRINGS(&json, workload, tags);
	PUT_COMMANDS(&json, workload, setup);
	PUT_COMMANDS(&json, workload, prepare);
	PUT_COMMANDS(&json, workload, cleanup);
	pe_json_members(&json, workload, expected_status, warmup, repeats, timeout_ns,
			count_allocations, is_test);
	pe_json_each(&json, "metrics", i, workload->n_customs,
		     put_metric(&json, &workload->customs[i]));
	pe_json_end(&json);
}
