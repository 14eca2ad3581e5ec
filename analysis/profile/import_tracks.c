#include "analysis/profile/import_tracks.h"

#include "core/base/sort.h"

/* Most open spans that are searched for an end. Well-formed spans do not cross. */
enum { MOST_CROSSED = 64 };

PE_SORT_BY(by_track, struct pe_span, track, at_ns, order);
PE_SORT_DOWN_BY(by_length, struct pe_span, duration_ns, order);
PE_SORT_BY(by_time, struct pe_span, at_ns, order);

/*
 * Sort by time, in the order of arrival; of whole spans that begin at once in a row on their track, the longest is outermost.
 */
static void sort_spans(struct pe_span *spans, size_t n)
{
	pe_sort(spans, n, by_track);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && spans[i].kind == PE_SPAN_WHOLE &&
				  spans[end].kind == PE_SPAN_WHOLE &&
				  spans[end].track == spans[i].track &&
				  spans[end].at_ns == spans[i].at_ns;)
			end++;
		pe_sort(&spans[i], end - i, by_length);
	}
	for (size_t i = 0; i < n; i++)
		spans[i].order = i;
	pe_sort(spans, n, by_time);
}

uint32_t pe_tracks_new(struct pe_tracks *tracks, uint32_t owner, bool is_task)
{
	pe_vec_push(&tracks->tracks,
		    (struct pe_track){.owner = owner, .is_task = is_task, .last_ns = INT64_MIN});
	return (uint32_t)tracks->tracks.n - 1;
}

static void add_time(struct pe_tracks *tracks, struct pe_track *track, int64_t until_ns)
{
	struct pe_cct_values *values;

	if (until_ns <= track->last_ns)
		return;
	if (track->open.n > 0) {
		values = pe_cct_builder_at(tracks->builder,
					   track->open.data[track->open.n - 1].node);
		pe_cct_add(&values->self_ns, (uint64_t)until_ns - (uint64_t)track->last_ns);
	}
	track->last_ns = until_ns;
}

/* Find or make the node of a span. @param around  the open span around it; NULL: none */
static uint32_t span_node(struct pe_tracks *tracks, const struct pe_track *track,
			  const struct pe_span_open *around, uint32_t frame)
{
	struct pe_frame task = {.kind = PE_FRAME_THREAD};

	if (around == NULL && track->is_task) {
		task.name = tracks->frames->at[frame].name;
		frame = pe_frames_add(tracks->frames, &task);
	}
	return pe_cct_builder_child(tracks->builder, around != NULL ? around->node : track->top,
				    frame, 0);
}

/* End an open span. Open begins within it continue below the next span around; whole spans within it end. */
static void close_span(struct pe_tracks *tracks, struct pe_track *track, size_t at)
{
	struct pe_span_open *open = track->open.data;
	size_t n = at;

	for (size_t i = at + 1; i < track->open.n; i++) {
		const uint32_t frame = open[i].frame;

		if (!open[i].is_begin)
			continue;
		open[n] = (struct pe_span_open){
			.node = span_node(tracks, track, n > 0 ? &open[n - 1] : NULL, frame),
			.frame = frame,
			.end_ns = n > 0 ? open[n - 1].end_ns : INT64_MAX,
			.is_begin = true,
		};
		n++;
	}
	track->open.n = n;
}

/* Find the innermost open span: one begun with this frame, or a whole one. PE_CCT_NONE: none near enough. */
static uint32_t innermost(const struct pe_track *track, bool is_begin, uint32_t frame)
{
	const struct pe_span_open *open = track->open.data;

	for (size_t i = track->open.n; i > 0 && track->open.n - i < MOST_CROSSED; i--)
		if (open[i - 1].is_begin == is_begin &&
		    (frame == PE_FRAME_NONE || open[i - 1].frame == frame))
			return (uint32_t)(i - 1);
	return PE_CCT_NONE;
}

/* Advance a track to a time: spans end, and the innermost open one gets the time. */
static void advance(struct pe_tracks *tracks, struct pe_track *track, int64_t now_ns)
{
	while (track->open.n > 0) {
		const struct pe_span_open *top = &track->open.data[track->open.n - 1];
		uint32_t whole;

		if (top->end_ns > now_ns)
			break;
		add_time(tracks, track, top->end_ns);
		whole = top->is_begin ? innermost(track, false, PE_FRAME_NONE) : PE_CCT_NONE;
		if (whole != PE_CCT_NONE) {
			close_span(tracks, track, whole);
			continue;
		}
		tracks->unmatched += top->is_begin;
		track->open.n--;
	}
	add_time(tracks, track, now_ns);
}

static void begin_span(struct pe_tracks *tracks, struct pe_track *track, const struct pe_span *span)
{
	const struct pe_span_open *around =
		track->open.n > 0 ? &track->open.data[track->open.n - 1] : NULL;
	struct pe_span_open open = {
		.frame = span->frame, .end_ns = INT64_MAX, .is_begin = span->kind == PE_SPAN_BEGIN};

	if (span->kind == PE_SPAN_WHOLE)
		open.end_ns = span->at_ns > INT64_MAX - span->duration_ns
				      ? INT64_MAX
				      : span->at_ns + span->duration_ns;
	if (around != NULL && open.end_ns > around->end_ns)
		open.end_ns = around->end_ns;
	open.node = span_node(tracks, track, around, span->frame);
	pe_cct_builder_at(tracks->builder, open.node)->calls++;
	pe_vec_push(&track->open, open);
}

static void end_span(struct pe_tracks *tracks, struct pe_track *track, uint32_t frame)
{
	uint32_t at = innermost(track, true, frame);

	if (at != PE_CCT_NONE)
		close_span(tracks, track, at);
	else
		tracks->unmatched++;
}

static void apply(struct pe_tracks *tracks, const struct pe_span *span)
{
	struct pe_track *track = &tracks->tracks.data[span->track];

	advance(tracks, track, span->at_ns);
	if (span->kind == PE_SPAN_END)
		end_span(tracks, track, span->frame);
	else
		begin_span(tracks, track, span);
}

void pe_tracks_add(struct pe_tracks *tracks, struct pe_span span)
{
	span.order = tracks->spans.n;
	pe_vec_push(&tracks->spans, span);
}

/* Close a track: spans without an end last until the last event on it. */
static void close_track(struct pe_tracks *tracks, struct pe_track *track)
{
	while (track->open.n > 0) {
		const struct pe_span_open *top = &track->open.data[track->open.n - 1];

		if (top->end_ns < INT64_MAX)
			add_time(tracks, track, top->end_ns);
		tracks->unclosed += top->is_begin;
		track->open.n--;
	}
}

void pe_tracks_finish(struct pe_tracks *tracks)
{
	sort_spans(tracks->spans.data, tracks->spans.n);
	for (size_t i = 0; i < tracks->spans.n; i++)
		apply(tracks, &tracks->spans.data[i]);
	for (size_t i = 0; i < tracks->tracks.n; i++)
		close_track(tracks, &tracks->tracks.data[i]);
}

void pe_tracks_release(struct pe_tracks *tracks)
{
	for (size_t i = 0; i < tracks->tracks.n; i++)
		pe_vec_release(&tracks->tracks.data[i].open);
	pe_vec_release(&tracks->tracks);
	pe_vec_release(&tracks->spans);
}
