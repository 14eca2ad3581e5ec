/* Strips: what lies under the chart. The rail of failures, and the overview that pans; and small charts of one line. */
import { colourOf, smallLine } from './chart_line.js';
import { svg } from './dom.js';
import { jumpMark } from './graph.js';
import { levelAt, plural } from './model.js';

const MOST_LINES = 24; /* in the overview */
const [MINI_WIDE, MINI_HIGH] = [220, 54];

export class ChartStrips {
	/** What failed: the build at a revision, or one of the benchmarks that are shown. */
	failures() {
		const shown = new Set(this.lines.map((line) => line.name));
		const found = new Map();
		const add = (revision, what) => found.set(revision, [...(found.get(revision) || []), what]);
		for (const { benchmark, outcome, revision } of this.model.failures)
			if (benchmark === null || shown.has(benchmark))
				add(revision, { build: benchmark === null, text: benchmark === null ? outcome : `${benchmark}: ${outcome}` });
		for (const line of this.lines)
			for (const miss of line.misses) if (!found.has(miss.revision)) add(miss.revision, { build: false, text: `${line.name}: ${miss.outcome}` });
		return found;
	}

	drawRail() {
		const found = this.failures();
		const { left, width } = this.frame;
		this.rail.toggleAttribute('hidden', found.size === 0);
		this.rail.setAttribute('aria-label', `${plural(found.size, 'revision')} with failures`);
		const seen = [...found].filter(([revision]) => revision >= this.view.min && revision <= this.view.max);
		this.rail.replaceChildren(
			svg('text', { x: left - 10, y: 15, 'text-anchor': 'end', fill: 'var(--dim)' }, 'failed'),
			svg('rect', { x: left, y: 4, width, height: 14, fill: 'var(--soft)' }),
			...seen.map(([revision, whats]) => this.failureMark(revision, whats)),
		);
		this.rail.dataset.marks = seen.length;
	}

	/** A cross where the build failed, else a ring. */
	failureMark(revision, whats) {
		const x = this.x(revision);
		const shape = whats.some((what) => what.build) ? svg('path', { d: 'M-4 -4L4 4M-4 4L4 -4' }) : svg('circle', { r: 3.2 });
		const mark = svg(
			'g',
			{ transform: `translate(${x} 11)`, fill: 'none', stroke: 'var(--fail)', 'stroke-width': 1.8, 'data-revision': revision },
			svg('rect', { x: -8, y: -11, width: 16, height: 22, stroke: 'none', 'pointer-events': 'all' }),
			shape,
		);
		mark.onmouseenter = () => this.on.failed(revision, whats, { x, y: this.host.offsetHeight });
		mark.onmouseleave = () => this.on.leave();
		mark.onclick = () => this.on.pick(null, revision);
		return mark;
	}

	/* ---- the overview ---- */

	/** Where a revision stands while everything is in view. */
	overviewX(r) {
		const { min, max } = this.whole();
		return this.frame.left + ((r - min) / (max - min)) * this.frame.width;
	}

	drawOverview() {
		const { left, width } = this.frame;
		const height = 46;
		const x = (r) => this.overviewX(r);
		const line = (one) => svg('path', { d: smallLine(one, this.last, x, 6, height - 6).path, fill: 'none', stroke: colourOf(one), 'stroke-opacity': 0.7 });
		const jump = ({ after, regression }) =>
			svg('rect', { x: x(after) - 1, y: regression ? 0 : height - 7, width: 2.5, height: 7, fill: `var(--${regression ? 'bad' : 'good'})` });
		this.window = svg('path', { fill: 'var(--card)', 'fill-opacity': 0.72, 'fill-rule': 'evenodd', stroke: 'var(--accent)', 'stroke-width': 1.5 });
		this.overview.toggleAttribute('hidden', this.last <= 12 || this.lines.length === 0);
		this.overview.replaceChildren(
			svg('rect', { x: left, width, height, fill: 'var(--soft)' }),
			...this.lines.slice(0, MOST_LINES).map(line),
			...this.lines.flatMap(({ jumps }) => jumps.map(jump)),
			this.window,
		);
		this.drawWindow();
	}

	/** What is not in view is faint. */
	drawWindow() {
		const { left, width } = this.frame;
		const [from, to] = [this.view.min, this.view.max].map((r) => this.overviewX(r).toFixed(1));
		const all = Number(to) - Number(from) >= width - 0.1;
		this.window.setAttribute('d', all ? '' : `M-9 -9H${left + 2 * width}V55H-9ZM${from} 1H${to}V45H${from}Z`);
	}

	bindOverview() {
		const revisionAt = (event) => {
			const { min, max } = this.whole();
			return min + ((event.clientX - this.overview.getBoundingClientRect().left - this.frame.left) / this.frame.width) * (max - min);
		};
		let start = null;
		this.overview.addEventListener('pointerdown', (event) => {
			const at = revisionAt(event);
			const { min, max } = this.view;
			if (at < min || at > max) this.setView({ min: at - (max - min) / 2, max: at + (max - min) / 2 });
			start = { at, view: this.view };
			this.overview.setPointerCapture(event.pointerId);
		});
		this.overview.addEventListener('pointermove', (event) => start && this.setView(this.shifted(start.view, revisionAt(event) - start.at)));
		for (const end of ['pointerup', 'pointercancel']) this.overview.addEventListener(end, () => (start = null));
	}
}

/** The small chart of one line. */
export function miniChart(line, n) {
	const x = (r) => 4 + (n > 1 ? r / (n - 1) : 0.5) * (MINI_WIDE - 8);
	const { path, y } = smallLine(line, n - 1, x, 12, MINI_HIGH - 12);
	const miss = ({ revision }) => svg('rect', { x: x(revision) - 0.75, y: MINI_HIGH - 4, width: 1.5, height: 4, fill: 'var(--fail)' });
	const jump = (one) => {
		const at = y(levelAt(line, one.after, one.newLevel)) + (one.up ? -6 : 6);
		return svg('g', { transform: `translate(${x(one.after)} ${at})` }, jumpMark(one, 4.5));
	};
	return [svg('path', { d: path, fill: 'none', stroke: 'var(--l0)', 'stroke-width': 1.5 }), line.misses.map(miss), line.jumps.map(jump)].flat();
}
