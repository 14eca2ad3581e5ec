#include "core/exec/executor.h"

#include "core/exec/slots.h"

static int run(struct pe_proc_result *out, const struct pe_proc_spec *spec, void *payload,
	       struct pe_err *err)
{
	struct pe_proc_spec held = *spec;

	held.holder = pe_slots_holder(spec->places[0]);
	return pe_launcher_run(out, payload, &held, err);
}

struct pe_executor pe_process_executor(struct pe_launcher *launcher)
{
	return (struct pe_executor){.run = run, .payload = launcher};
}
