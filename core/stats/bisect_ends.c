/* The ends' readings in pairs: the k-th of one with the k-th of the other in the same batch. */
#include "core/stats/bisect_inner.h"

#include <math.h>

static void begin(struct pe_bisect *b)
{
	struct pe_confirm_opts opts = PE_CONFIRM_DEFAULTS;

	/* Which way is not known before: each way has half the chance. */
	opts.accept /= 2;
	opts.min_effect = opts.suspected = b->opts.min_effect;
	opts.margin = fmin(opts.margin, b->opts.min_effect / 2);
	opts.unit = b->opts.unit;
	pe_confirm_begin(&b->up, 1, &opts);
	pe_confirm_begin(&b->down, -1, &opts);
}

void pe_bisect_pair_ends(struct pe_bisect *b)
{
	const size_t room = b->readings.n + 1;
	pe_auto_free double *old_value = pe_realloc(NULL, room, sizeof(*old_value));
	pe_auto_free double *new_value = pe_realloc(NULL, room, sizeof(*new_value));
	size_t n_old = 0, n_new = 0, n = 0;

	if (b->paired == 0)
		begin(b);
	for (size_t i = 0; i < b->readings.n; i++) {
		const struct pe_bisect_reading *one = &b->readings.data[i];
		size_t build = b->build[one->revision];

		if (i > 0 && one->batch != b->readings.data[i - 1].batch)
			n_old = n_new = n; /* what has no partner there stays without one */
		if (build == 0)
			old_value[n_old++] = one->value;
		else if (build == pe_bisect_new_end(b))
			new_value[n_new++] = one->value;
		n = n_old < n_new ? n_old : n_new;
	}
	for (; b->paired < n; b->paired++) {
		pe_confirm_feed(&b->up, old_value[b->paired], new_value[b->paired]);
		pe_confirm_feed(&b->down, old_value[b->paired], new_value[b->paired]);
	}
}

struct pe_confirm pe_bisect_ends(const struct pe_bisect *b)
{
	/* Both directions agree that there is no difference. */
	if (b->up.answer == PE_CONFIRMED || b->down.answer == PE_REFUTED)
		return b->up;
	return b->down.answer == PE_CONFIRMED || b->up.answer == PE_REFUTED ? b->down : b->up;
}
