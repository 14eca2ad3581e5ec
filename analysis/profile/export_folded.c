/*
 * Folded stacks: "outer;inner 12", a line for each node with a value of its own, outermost method first
 * (stackcollapse and flamegraph.pl by Brendan Gregg). The root, which is the benchmark, is in no path; its own value
 * has a line of its own. Values are whole numbers, microseconds for time; a fraction is carried over to the next line.
 */
#include "analysis/profile/export.h"

#include "core/base/vec.h"

#include <string.h>

enum { NS_PER_US = 1000, MOST_BYTES = 512 << 20 };

struct level {
	uint32_t end; /* of the node whose name ends the path so far */
	size_t length;
};

struct folded {
	struct pe_text path;
	PE_VEC(struct level) levels;
};

/* Append a name as part of a line: separators and control characters in it are replaced. */
static void add_frame(struct pe_text *path, const struct pe_frame *frame)
{
	const size_t from = path->len;

	pe_export_add_name(path, frame);
	for (size_t i = from; i < path->len; i++) {
		if (path->data[i] == ';')
			path->data[i] = ':';
		else if ((unsigned char)path->data[i] < ' ' || path->data[i] == 0x7f)
			path->data[i] = '_';
	}
	if (path->len == from)
		pe_text_add(path, "[unknown]");
}

/* Lengthen or shorten the path until it is that of a node. */
static void go_to(struct folded *folded, const struct pe_cct *cct, uint32_t node)
{
	size_t length = 0;

	while (folded->levels.n > 0 && folded->levels.data[folded->levels.n - 1].end <= node)
		folded->levels.n--;
	if (folded->levels.n > 0)
		length = folded->levels.data[folded->levels.n - 1].length;
	if (folded->path.len > length) {
		folded->path.len = length;
		folded->path.data[length] = '\0';
	}
	if (pe_cct_frame(cct, node)->kind != PE_FRAME_ROOT || node != 0) {
		if (length > 0)
			pe_text_addc(&folded->path, ';');
		add_frame(&folded->path, pe_cct_frame(cct, node));
	}
	pe_vec_push(&folded->levels, (struct level){cct->nodes[node].end, folded->path.len});
}

static void add_line(struct pe_text *out, const struct pe_text *path, uint64_t weight)
{
	pe_text_addn(out, pe_text_str(path), path->len);
	pe_text_addc(out, ' ');
	pe_text_add_number(out, weight);
	pe_text_addc(out, '\n');
}

int pe_export_folded(struct pe_text *out, const struct pe_cct *cct,
		     const struct pe_export_options *options, struct pe_err *err)
{
	struct folded folded = {.levels = {0}};
	enum pe_weight weight = options->weight;
	const uint64_t *self;
	uint64_t unit, rest = 0;
	int rc = PE_OK;

	/* Flame graphs show samples; a tree without them shows its own default weight. */
	if (weight == PE_WEIGHT_AUTO && cct->samples != NULL)
		weight = PE_WEIGHT_SAMPLES;
	if (pe_weight_settle(&weight, cct, err) != PE_OK)
		return PE_ENOTFOUND;
	self = pe_weight_self(cct, weight);
	unit = weight == PE_WEIGHT_TIME ? NS_PER_US : 1;
	for (uint32_t i = 0; i < cct->n; i++) {
		uint64_t whole = self[i] / unit;

		go_to(&folded, cct, i);
		if (self[i] == 0)
			continue;
		rest += self[i] % unit;
		whole += rest / unit;
		rest %= unit;
		if (whole == 0)
			continue;
		if (out->len + folded.path.len > MOST_BYTES) {
			rc = pe_fail(
				err, PE_EINVALID,
				"folded stacks repeat the whole path in each line, which takes more than %d MiB here: use --format speedscope or pprof",
				MOST_BYTES >> 20);
			break;
		}
		if (folded.path.len > 0) {
			add_line(out, &folded.path, whole);
			continue;
		}
		add_frame(&folded.path, pe_cct_frame(cct, i));
		add_line(out, &folded.path, whole);
		pe_text_clear(&folded.path);
	}
	pe_text_release(&folded.path);
	pe_vec_release(&folded.levels);
	return rc;
}
