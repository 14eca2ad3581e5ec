/*
 * Inner structs: piece (a quadratic over an interval of levels), curve (pieces side by side that
 * cover all levels), bend (where the loss of one value changes its form).
 */
#include "core/stats/segment.h"

#include "core/base/sort.h"
#include "core/base/vec.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* a x^2 + b x + c over levels from the previous piece's `to` up to its own. */
struct piece {
	double to;
	double a, b, c;
	size_t start; /* of the segment of the level */
};

struct curve {
	PE_VEC(struct piece) pieces;
};

/* One value's loss is made of up to five parts: limit, line, square, line, limit. */
struct part {
	double to;
	double a, b, c;
};

static size_t loss_parts(struct part parts[5], const struct pe_segment_value *v, double centre,
			 double k)
{
	double y = v->value - centre, w = 1 / v->sd;
	double near = k * v->sd; /* where the square ends */
	double far = isinf(v->limit) ? INFINITY : (v->limit + k * k) / (2 * k) * v->sd;
	double slope = 2 * k * w;
	size_t n = 0;

	if (far < INFINITY)
		parts[n++] = (struct part){y - far, 0, 0, v->limit};
	if (far > near)
		parts[n++] = (struct part){y - near, 0, -slope, slope * y - k * k};
	parts[n++] = (struct part){y + near, w * w, -2 * w * w * y, w * w * y * y};
	if (far > near)
		parts[n++] = (struct part){y + far, 0, slope, -slope * y - k * k};
	if (far < INFINITY)
		parts[n++] = (struct part){INFINITY, 0, 0, v->limit};
	parts[n - 1].to = INFINITY;
	return n;
}

static double piece_at(const struct piece *p, double x)
{
	return (p->a * x + p->b) * x + p->c;
}

/* Lowest point of a piece over [from, to]. Where the piece falls for ever there is another below
 * it. */
static double piece_minimum(const struct piece *p, double from)
{
	double best = INFINITY;

	if (p->a > 0) {
		double x = fmin(fmax(-p->b / (2 * p->a), from), p->to);

		return piece_at(p, x);
	}
	if (p->b == 0)
		return p->c;
	if (isfinite(from))
		best = piece_at(p, from);
	if (isfinite(p->to))
		best = fmin(best, piece_at(p, p->to));
	return best;
}

static void curve_push(struct curve *curve, struct piece piece)
{
	if (curve->pieces.n > 0) {
		struct piece *last = &curve->pieces.data[curve->pieces.n - 1];

		if (last->start == piece.start && last->a == piece.a && last->b == piece.b &&
		    last->c == piece.c) {
			last->to = piece.to;
			return;
		}
	}
	pe_vec_push(&curve->pieces, piece);
}

static void curve_add_loss(struct curve *out, const struct curve *in, const struct part *parts)
{
	size_t part = 0;

	out->pieces.n = 0;
	for (size_t i = 0; i < in->pieces.n;) {
		const struct piece *p = &in->pieces.data[i];
		const struct part *q = &parts[part];
		double to = fmin(p->to, q->to);

		curve_push(out,
			   (struct piece){to, p->a + q->a, p->b + q->b, p->c + q->c, p->start});
		if (p->to <= to)
			i++;
		if (q->to <= to && !isinf(to))
			part++;
	}
}

/* The interval of [from, p->to] in which the piece is below a bar, which may be empty (lo >= hi). */
static void piece_under(const struct piece *p, double from, double bar, double *lo, double *hi)
{
	double c = p->c - bar;

	*lo = from;
	*hi = p->to;
	if (p->a > 0) {
		double half = p->b / (2 * p->a);
		double inside = half * half - c / p->a;
		double root = inside > 0 ? sqrt(inside) : 0;

		*lo = fmax(from, -half - root);
		*hi = inside > 0 ? fmin(p->to, -half + root) : *lo;
	} else if (p->b > 0) {
		*hi = fmin(p->to, -c / p->b);
	} else if (p->b < 0) {
		*lo = fmax(from, -c / p->b);
	} else if (c >= 0) {
		*hi = *lo;
	}
}

/* Where starting a new segment is cheaper than going on at a level, do that. */
static void curve_cut(struct curve *out, const struct curve *in, double bar, size_t start)
{
	double from = -INFINITY;

	out->pieces.n = 0;
	for (size_t i = 0; i < in->pieces.n; i++) {
		const struct piece *p = &in->pieces.data[i];
		struct piece kept = *p;
		double lo, hi;

		piece_under(p, from, bar, &lo, &hi);
		if (lo < hi) {
			if (lo > from)
				curve_push(out, (struct piece){lo, 0, 0, bar, start});
			kept.to = hi;
			curve_push(out, kept);
		} else {
			hi = from;
		}
		if (hi < p->to)
			curve_push(out, (struct piece){p->to, 0, 0, bar, start});
		from = p->to;
	}
}

static double curve_minimum(const struct curve *curve, size_t *start)
{
	double best = INFINITY, from = -INFINITY;

	for (size_t i = 0; i < curve->pieces.n; i++) {
		const struct piece *p = &curve->pieces.data[i];
		double here = piece_minimum(p, from);

		if (here < best) {
			best = here;
			*start = p->start;
		}
		from = p->to;
	}
	return best;
}

/* Follow the starts back from the end, then turn them round. */
static void trace_back(struct pe_segments *out, const size_t *last, size_t n,
		       struct pe_arena *arena)
{
	size_t at = n;

	for (; at > 0; at = last[at - 1])
		out->n++;
	out->start = pe_arena_new(arena, size_t, out->n);
	at = n;
	for (size_t i = out->n; i > 0; i--)
		at = out->start[i - 1] = last[at - 1];
}

struct pe_segments pe_segment(const struct pe_segment_value *values, size_t n, double penalty,
			      double k, struct pe_arena *arena)
{
	struct pe_segments out = {NULL, 0, 0};
	struct curve curve = {{NULL, 0, 0}}, next = {{NULL, 0, 0}};
	struct part parts[5];
	size_t *last;

	assert(k > 0 && penalty >= 0);
	if (n == 0)
		return out;
	last = pe_realloc(NULL, n, sizeof(*last)); /* of the best segmentation up to each value */
	out.cost = 0;
	for (size_t i = 0; i < n; i++) {
		assert(values[i].sd > 0 && values[i].limit >= k * k);
		if (i == 0)
			curve_push(&next, (struct piece){INFINITY, 0, 0, penalty, 0});
		else
			curve_cut(&next, &curve, out.cost + penalty, i);
		/* Levels are kept relative to the first value: the squares lose no digits to an
		 * offset. */
		loss_parts(parts, &values[i], values[0].value, k);
		curve_add_loss(&curve, &next, parts);
		out.cost = curve_minimum(&curve, &last[i]);
	}
	trace_back(&out, last, n, arena);
	free(last);
	pe_vec_release(&curve.pieces);
	pe_vec_release(&next.pieces);
	return out;
}

PE_SORT_BY(by_value, struct pe_segment_value, value);

static double weighted_median(const struct pe_segment_value *values, size_t n)
{
	pe_auto_free struct pe_segment_value *sorted = pe_realloc(NULL, n, sizeof(*sorted));
	double total = 0, below = 0;
	size_t i = 0;

	memcpy(sorted, values, n * sizeof(*sorted));
	pe_sort(sorted, n, by_value);
	for (size_t j = 0; j < n; j++)
		total += 1 / (sorted[j].sd * sorted[j].sd);
	for (; i + 1 < n; i++) {
		below += 1 / (sorted[i].sd * sorted[i].sd);
		if (below >= total / 2)
			break;
	}
	return sorted[i].value;
}

double pe_segment_level(const struct pe_segment_value *values, size_t n, double k)
{
	double level = weighted_median(values, n);

	for (int pass = 0; pass < 50; pass++) {
		double sum = 0, weights = 0, was = level;

		for (size_t i = 0; i < n; i++) {
			double u = fabs(values[i].value - level) / values[i].sd;
			double w = (u <= k ? 1 : k / u) / (values[i].sd * values[i].sd);

			sum += w * (values[i].value - was);
			weights += w;
		}
		level = was + sum / weights;
		if (fabs(level - was) <= 8 * DBL_EPSILON * fabs(level))
			break;
	}
	return level;
}
