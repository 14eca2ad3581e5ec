/* Doctor: is all that perfevo relies on as it should be? What is measured is another question: that is check's. */
#include "cmd/commands.h"

#include "app/jobs/doctor.h"
#include "core/base/utf8.h"
#include "core/json/writer.h"

static void print_term(struct pe_text *out, const struct pe_doctor *doctor)
{
	for (size_t i = 0; i < doctor->findings.n; i++) {
		const struct pe_finding *finding = &doctor->findings.data[i];
		bool plain = finding->kind == PE_FINDING_FACT;

		pe_text_addf(out, "%-9s ", plain ? finding->area : pe_finding_name(finding->kind));
		if (!plain)
			pe_text_addf(out, "%s: ", finding->area);
		pe_utf8_add_visible(out, finding->text, "");
		pe_text_addc(out, '\n');
	}
}

static void print_json_finding(struct pe_json *json, const struct pe_finding *finding)
{
	pe_json_begin_object(json, NULL);
	pe_json_put(json, "kind", pe_finding_name(finding->kind));
	pe_json_members(json, finding, area, text);
	pe_json_end(json);
}

static void print_json(struct pe_text *out, const struct pe_doctor *doctor)
{
	struct pe_json json = PE_JSON_INIT(out);

	pe_json_begin_object(&json, NULL);
	pe_json_put(&json, "format", 1);
	pe_json_put(&json, "wrong", doctor->n_wrong);
	pe_json_each(&json, "findings", i, doctor->findings.n,
		     print_json_finding(&json, &doctor->findings.data[i]));
	pe_json_finish(&json);
}

int cmd_doctor(struct pe_cmd_ctx *ctx, int argc, char **argv)
{
	bool mends = false;
	int format = 0;
	const struct pe_opt opts[] = {
		OPT_FLAG(0, "fix", &mends, "mend what can be mended without losing anything"),
		OPT_JSON(&format),
		OPT_END,
	};
	struct pe_doctor doctor = {.app = &ctx->app};
	pe_auto_text text = PE_TEXT_INIT;

	PE_TRY(pe_cmd_begin(ctx, opts, &argc, &argv));
	doctor.mends = mends;
	pe_doctor_look(&doctor);
	if (format == PE_FORMAT_JSON)
		print_json(&text, &doctor);
	else
		print_term(&text, &doctor);
	pe_vec_release(&doctor.findings);
	PE_TRY(pe_cmd_print(ctx, &text, false));
	return doctor.n_wrong > 0 ? PE_EXIT_REGRESSED : PE_EXIT_GOOD;
}
