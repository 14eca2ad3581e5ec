/* Prints what the path of one run sums to, and what of it neither computed nor waited: pe_bench_path_sums FOLDER. */
#include "analysis/profile/samples.h"

#include <inttypes.h>
#include <stdio.h>

/* Only sums are wanted: each library is one function. */
static int resolve(struct pe_symbols *out, const struct pe_module *module, uint64_t address,
		   void *payload, struct pe_err *err)
{
	static struct pe_symbol symbol;

	(void)address, (void)payload, (void)err;
	symbol.frame = (struct pe_frame){.name = module->path};
	*out = (struct pe_symbols){&symbol, 1};
	return PE_OK;
}

int main(int argc, char **argv)
{
	const char *folder = argc == 2 ? argv[1] : "";
	const struct pe_symbolizer symbolizer = {.resolve = resolve};
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_samples_info info;
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_cct *cct;
	int rc = pe_samples_read(&cct, &info, &folder, 1, &symbolizer, &frames, &arena, &err);

	if (rc != PE_OK)
		fprintf(stderr, "%s\n", err.message);
	else
		printf("%" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu32 "\n",
		       cct->total_ns != NULL ? cct->total_ns[0] : 0, info.unseen_ns, info.processes,
		       info.threads);
	pe_frames_release(&frames);
	return rc == PE_OK ? 0 : 1;
}
