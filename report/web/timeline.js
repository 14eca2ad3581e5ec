/*
 * Timeline: one run of a side over time. Each thread is a lane of what it computes and waits for, and a line below a
 * segment says that the program waits for it: the path. Segments of less than a pixel are joined until they have one.
 */
import { asView, button, choice, plainName } from './view_common.js';
import { card, el, scroll, svg, table } from './dom.js';
import { FlameChart, ROW } from './flame_chart.js';
import { formatValue, plural, roundStep, ticks } from './model.js';

const SIDES = [
	['old', 'old', 'One run of the old execution'],
	['new', 'new', 'One run of the new execution'],
];
const KINDS = { computes: '▪ computes', waits: '… waits' };
const COLUMNS = ['Lane', 'Threads|num', 'Lives|num', 'Waits|num', 'On the path|num'];
const LEAST_US = 10; /* of a window */

const time = (us) => formatValue(us * 1000, 'ns');

class View extends FlameChart {
	constructor(element, context) {
		super(element, context, 'Timeline', 'There is nothing to draw a timeline of.');
	}

	missing(none) {
		this.runs = this.pair.raw.timelines || [null, null];
		if (this.delta && !this.runs.some(Boolean))
			return ['No timeline', 'No run of either side was sampled: times are not known, or came from another profiler.'];
		return super.missing(none);
	}

	get side() {
		const { side } = this.context.state;
		return this.runs[1] === null || (side === 'old' && this.runs[0] !== null) ? 'old' : 'new';
	}

	build() {
		this.says = el('p.fl-says');
		this.count = el('span.dim.bp-hits', { 'aria-live': 'polite' });
		this.details = el('div');
		this.lanes = el('div');
		const legend = el(
			'div.bp-legend',
			[...Object.entries(KINDS), ['path', 'the program waits for this']].map(([kind, text]) =>
				el('span', el('span', { className: `fl-key ${kind}`, 'aria-hidden': 'true' }), text),
			),
		);
		const help = el(
			'p.help.dim',
			'A click selects, a double click or Enter zooms to a segment, Escape shows all; + and − or Ctrl and the wheel zoom, dragging moves; arrows walk.',
		);
		this.element.append(
			card('Timeline', this.bar, this.box, this.says, legend, help, this.spoken),
			el('section.card.bp-details', { 'aria-label': 'The selected segment' }, this.details),
			card('Lanes', el('h2', 'What each lane did'), this.lanes),
		);
		this.box.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
		this.box.addEventListener('pointerdown', ({ clientX, button: which }) => {
			this.drag = which === 0 ? { x: clientX, from: this.from } : null;
		});
		document.addEventListener('pointerup', () => (this.drag = null), { signal: this.abort.signal });
		this.load();
	}

	/** The run of the side that is chosen; what stands in the address is looked at. */
	load() {
		this.run = this.runs[this.side === 'old' ? 0 : 1];
		const { lane, begin_us: begin, length_us: length } = this.run.segments;
		this.bounds = [];
		lane.forEach((at, i) => (this.bounds[at] = [this.bounds[at]?.[0] ?? i, i + 1]));
		this.end = begin.reduce((most, from, i) => Math.max(most, from + length[i]), LEAST_US);
		const { from, to, node } = this.context.state;
		const at = Number(node);
		this.show(Number(from) || 0, Number(to) || this.end, false);
		this.selected = node !== undefined && Number.isInteger(at) && at >= 0 && at < lane.length ? at : 0;
		this.fillBar();
		this.fillLanes();
		this.draw();
		this.pick(this.selected, false);
	}

	fillBar() {
		const sides = SIDES.filter((_, i) => this.runs[i] !== null);
		this.bar.replaceChildren(
			choice('Run of', 'side', sides, this.side, (side) => {
				this.memory.set({ side, from: null, to: null, node: null });
				this.load();
				this.bar.querySelector('[data-choice="side"] [aria-pressed="true"]').focus({ preventScroll: true });
			}),
			el('span.grow'),
			el('span.bp-search', this.query, this.count),
			button('+', 'Zoom in', () => this.zoom(0.5), '+'),
			button('−', 'Zoom out', () => this.zoom(2), '-'),
			button('All', 'Show the whole run', () => this.zoomTo(null), 'Escape'),
			button('SVG', 'Save what is shown as a picture', () => this.save('timeline', 'Timeline')),
		);
	}

	sumOf(lane, column) {
		const [first, end] = this.bounds[lane] ?? [0, 0];
		return this.run.segments[column].slice(first, end).reduce((sum, us) => sum + us, 0);
	}

	fillLanes() {
		const rows = this.run.lanes.method.map((_, i) => [
			plainName(this.laneName(i)),
			String(this.run.lanes.threads[i]),
			...['length_us', 'waited_us', 'path_us'].map((column) => time(this.sumOf(i, column))),
		]);
		this.lanes.replaceChildren(scroll(table('table.tl-lanes', COLUMNS, rows)));
		const placed = rows.reduce((sum, _, i) => sum + this.sumOf(i, 'path_us'), 0);
		/* The program may have become another one, which is another lane. */
		const own = this.bounds.filter((_, i) => this.run.lanes.pid[i] === this.run.lanes.pid[0]).map(([, end]) => end - 1);
		const lived = own.reduce((most, i) => Math.max(most, this.run.segments.begin_us[i] + this.run.segments.length_us[i]), 1);
		const left =
			this.run.left_out > 0 ? ` ${plural(this.run.left_out, 'more thread')} ran at once, and ${this.run.left_out === 1 ? 'is' : 'are'} not shown.` : '';
		this.says.textContent = `This run took ${time(lived)}; ${Math.min(100, (100 * placed) / lived).toFixed(1)} % of it has a place on the path.${left}`;
	}

	laneName(lane) {
		const { method, pid, tid, threads } = this.run.lanes;
		const who = pid[lane] === tid[lane] ? (threads[lane] > 1 ? `${threads[lane]} in a row` : `process ${pid[lane]}`) : `thread ${tid[lane]}`;
		return `${this.delta.frames.name[method[lane]]}, ${who}`;
	}

	/** The names of a segment's call path, outermost first, as numbers of frames. */
	framesOf(segment) {
		const { parent, method } = this.run.stacks;
		const frames = [];
		for (let at = this.run.segments.stack[segment]; at !== null; at = parent[at] > 0 ? at - parent[at] : null) frames.push(method[at]);
		return frames.reverse();
	}

	nameOf(segment) {
		const last = this.framesOf(segment).at(-1);
		return last === undefined ? '(no sample)' : this.delta.frames.name[last];
	}

	/** A window of time, within the run. */
	show(from, to, redraw = true) {
		const span = Math.min(this.end, Math.max(LEAST_US, to - from));
		this.from = Math.max(0, Math.min(from, this.end - span));
		this.to = this.from + span;
		if (!redraw) return;
		const all = span === this.end;
		this.memory.set({ from: all ? null : String(Math.round(this.from)), to: all ? null : String(Math.round(this.to)) });
		this.draw();
	}

	/** By keys and buttons, around the selected segment if it is within the window. */
	zoom(factor, at = this.centre()) {
		const span = Math.min(this.end, (this.to - this.from) * factor);
		this.show(at - ((at - this.from) / (this.to - this.from)) * span, at + ((this.to - at) / (this.to - this.from)) * span);
	}

	centre() {
		const { begin_us: begin, length_us: length } = this.run.segments;
		const from = Math.max(this.from, begin[this.selected]);
		const to = Math.min(this.to, begin[this.selected] + length[this.selected]);
		return from <= to ? (from + to) / 2 : (this.from + this.to) / 2;
	}

	/** To a segment, with some of what is around it; null: all of the run. */
	zoomTo(segment) {
		if (segment === null) return this.show(0, this.end);
		const { begin_us: begin, length_us: length } = this.run.segments;
		return this.show(begin[segment] - length[segment] / 2, begin[segment] + 1.5 * length[segment]);
	}

	wheel(event) {
		if (!event.ctrlKey) return;
		event.preventDefault();
		const x = event.clientX - this.picture.getBoundingClientRect().left;
		this.zoom(Math.exp(event.deltaY * 0.003), this.from + (x / this.total) * (this.to - this.from));
	}

	hover(node, x) {
		if (this.drag && x !== undefined && Math.abs(x - this.drag.x) > 3) {
			const from = this.drag.from - ((x - this.drag.x) / this.total) * (this.to - this.from);
			this.show(from, from + this.to - this.from);
		}
	}

	/** Segments of a lane within the window, those of less than a pixel joined: the longest of them gives its name. */
	placeLane(lane, scale) {
		const { begin_us: begin, length_us: length, waited_us: waited, path_us: path } = this.run.segments;
		const [first, end] = this.bounds[lane] ?? [0, 0];
		const boxes = [];
		for (let i = first; i < end && begin[i] < this.to; i++) {
			if (begin[i] + length[i] < this.from) continue;
			const last = boxes.at(-1);
			const until = begin[i] + length[i];
			if (last && (until - last.begin) * scale < 1) {
				if (length[i] > length[last.node]) last.node = i;
				last.until = until;
				last.waited += waited[i];
				last.path += path[i];
			} else boxes.push({ node: i, begin: begin[i], until, waited: waited[i], path: path[i] });
		}
		return boxes;
	}

	place(total) {
		const scale = total / (this.to - this.from);
		return this.run.lanes.method.flatMap((_, lane) =>
			this.placeLane(lane, scale).map(({ node, begin, until, waited, path }) => {
				const x = Math.max(0, (begin - this.from) * scale);
				const kind = 2 * waited > until - begin ? 'waits' : 'computes';
				const onPath = 2 * path > until - begin;
				const words = `${plainName(this.nameOf(node))}: ${kind} ${time(until - begin)} from ${time(begin)} on${onPath ? ', on the path' : ''}; ${plainName(this.laneName(lane))}`;
				const width = Math.min(total, (until - this.from) * scale) - x;
				return { node, x, width, y: 2 * lane + 2, kind, sign: KINDS[kind][0], name: this.nameOf(node), before: 0, after: 0, words, path: onPath };
			}),
		);
	}

	get apart() {
		return 2;
	}

	groups(boxes) {
		const names = this.run.lanes.method.map((_, lane) => svg('text.fl-caption', { x: 4, y: (2 * lane + 2) * ROW - 4 }, plainName(this.laneName(lane))));
		const span = this.to - this.from;
		const times = ticks(this.from, this.to, roundStep(Math.max(1, (span / this.total) * 110))).flatMap((at) => {
			const x = ((at - this.from) / span) * this.total;
			const line = svg('line.tl-tick', { x1: x, x2: x, y1: 0, y2: (2 * this.run.lanes.method.length + 1) * ROW });
			return x < this.total - 60 ? [line, svg('text.fl-caption', { x: x + 4, y: 14 }, time(at))] : [line];
		});
		return [...times, ...names, ...super.groups(boxes)];
	}

	caption() {
		return svg('text.fl-caption', { x: 4, y: this.nRows * ROW + 15 }, `one run of ${this.side}, ${time(this.from)} to ${time(this.to)}`);
	}

	draw() {
		super.draw();
		this.mark();
	}

	pick(node, remember = true) {
		this.selected = node;
		this.mark();
		const frames = this.framesOf(node);
		const caller = (frame) => {
			const at = this.delta.frame.indexOf(frame);
			const name = el('code', plainName(this.delta.frames.name[frame]));
			return el('li', at < 0 ? name : el('a', { href: this.context.href('blueprint', { node: String(at) }), title: 'Show it in the tree' }, name));
		};
		this.details.replaceChildren(
			el('h2', plainName(this.nameOf(node))),
			el('p', this.drawn.find((box) => box.node === node)?.words ?? ''),
			frames.length > 0 ? el('ol', frames.map(caller)) : '',
		);
		if (remember) this.memory.set({ node: String(node) });
	}

	step(node) {
		this.pick(node);
	}

	/** The box closest to a segment that is not drawn, in its lane if possible. */
	closest(segment) {
		const { lane, begin_us: begin } = this.run.segments;
		const far = ({ node }) => Math.abs(begin[node] - begin[segment]) + (lane[node] === lane[segment] ? 0 : this.end);
		return this.drawn.reduce((best, box) => (far(box) < far(best) ? box : best));
	}

	/** At the end of the window it moves on. */
	walk(key) {
		if (!this.drawn.some(({ node }) => node === this.selected) && this.drawn.length > 0) return this.step(this.closest(this.selected).node);
		if (super.walk(key) || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return;
		const half = ((this.to - this.from) / 2) * (key === 'ArrowRight' ? 1 : -1);
		this.show(this.from + half, this.to + half);
		super.walk(key);
	}

	find() {
		const text = this.query.value.trim().toLowerCase();
		const found = (_, i) => text !== '' && this.framesOf(i).some((frame) => this.delta.frames.name[frame].toLowerCase().includes(text));
		this.hits = new Set(this.run.segments.stack.map((stack, i) => (found(stack, i) ? i : -1)).filter((i) => i >= 0));
		const sum = [...this.hits].reduce((us, i) => us + this.run.segments.length_us[i], 0);
		this.count.textContent = text === '' ? '' : `${plural(this.hits.size, 'hit')}, ${time(sum)}`;
		this.mark();
	}

	otherKey(key) {
		if (key === 'Escape' || key === 'f') this.zoomTo(null);
		else if (key === '+' || key === '=') this.zoom(0.5);
		else if (key === '-') this.zoom(2);
		else return false;
		return true;
	}
}

export const timeline = asView('Timeline', View, [
	['↑ ↓ ← →', 'to another lane, to the segment before or after'],
	['Enter', 'zoom to the selected segment'],
	['+ −', 'zoom'],
	['Escape', 'show the whole run'],
	['/', 'search methods'],
]);
