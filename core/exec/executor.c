#include "core/exec/executor.h"

static int run(struct pe_proc_result *out, const struct pe_proc_spec *spec, void *payload,
	       struct pe_err *err)
{
	return pe_launcher_run(out, payload, spec, err);
}

struct pe_executor pe_process_executor(struct pe_launcher *launcher)
{
	return (struct pe_executor){.run = run, .payload = launcher};
}
