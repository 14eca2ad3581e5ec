/*
 * Chart: lines over the revisions as one picture, with the spread of their runs, levels, tags and jumps. The picture has
 * variables of the page for colours, and no more points than pixels can show; a file has a copy of it.
 */
import { ChartInput } from './chart_input.js';
import { areaOf, colourOf, pathOf, runsOf } from './chart_line.js';
import { el, savePicture, svg } from './dom.js';
import { jumpMark, jumpPath, jumpStateText, LINE_COLOURS } from './graph.js';
import { formatChange, formatDate, levelAt, roundStep, shortId, tickLabels, ticks } from './model.js';
import { textWidth, VALUE_FONT } from './view_common.js';

const MOST_BANDS = 16; /* the spread of more lines would be one smear */
const MANY_LINES = 24; /* from which on not every pixel of theirs can be seen */
const FAINT = 0.18; /* how much is left of the lines beside the one that is pointed at */
const DASHES = ['', '9 4', '2 3', '11 3 2 3'];
const EDGE = { left: 76, top: 22, right: 14, bottom: 46 };
const LEGEND_ROW = 18;
const MOST_NAMED = 40; /* lines in the legend of a file */
const SIDE = 260; /* pixels of this legend */
const HEAD = 34; /* pixels above the chart in a file */

/** Round values of a logarithmic axis, powers of ten first, so far apart that their labels do not touch. */
function logTicks(low, high, y) {
	const out = [];
	for (const part of [1, 2, 5, 3, 7, 1.5])
		for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10) {
			const v = part * power;
			if (v >= low && v <= high && out.every((other) => Math.abs(y(other) - y(v)) >= 26)) out.push(v);
		}
	return out.sort((a, b) => a - b);
}

/**
 * @param host   element for the chart; rail, overview: pictures under it
 * @param on     { hover(line, revision, place), failed(revision, whats, place), leave(), pick(line, revision), jump(jump) }
 */
export class Chart extends ChartInput {
	constructor(host, rail, overview, model, on) {
		super();
		Object.assign(this, { host, rail, overview, model, on });
		this.last = Math.max(0, model.revisions.length - 1);
		this.view = this.whole();
		this.lines = [];
		this.shown = { metric: 0, scale: 'fit', band: true };
		this.highlighted = null;
		this.cursor = null;
		this.picture = svg('svg', { 'aria-hidden': 'true' });
		new ResizeObserver(() => this.resize()).observe(host);
		this.bind();
	}

	whole() {
		const pad = Math.max(0.5, this.last * 0.012);
		return { min: -pad, max: this.last + pad };
	}

	/** What a value of a line is drawn at; null: it is not drawn. */
	transform(line, value) {
		if (value == null) return null;
		if (this.shown.scale === 'percent') return line.firstValue ? (value / line.firstValue) * 100 : null;
		return this.shown.scale === 'log' && value <= 0 ? null : value;
	}

	/** Draw these lines; shown is { metric, scale, band }. */
	show(lines, shown) {
		Object.assign(this, { lines, shown, cursor: null, highlighted: null });
		const nothing = this.model.lines.length === 0 ? 'Nothing was measured.' : 'No benchmark is chosen.';
		this.host.replaceChildren(lines.length > 0 ? this.picture : el('p.empty', nothing));
		this.resize();
	}

	resize() {
		if (this.host.clientWidth === 0) return; /* another view is shown */
		this.frame = {
			left: EDGE.left,
			top: EDGE.top,
			width: Math.max(1, this.host.clientWidth - EDGE.left - EDGE.right),
			height: Math.max(1, this.host.clientHeight - EDGE.top - EDGE.bottom),
		};
		this.draw();
		this.drawOverview();
	}

	/** Dim the others; null: none is highlighted. */
	highlight(index) {
		if (this.highlighted === index) return;
		this.highlighted = index;
		this.draw();
	}

	/* ---- scales ---- */

	x(r) {
		return this.frame.left + ((r - this.view.min) / (this.view.max - this.view.min)) * this.frame.width;
	}

	revisionAt(x) {
		return this.view.min + ((x - this.frame.left) / this.frame.width) * (this.view.max - this.view.min);
	}

	/** Where a value stands, in pixels of the host. */
	y(value) {
		const scale = this.isLogarithmic() ? Math.log10 : (v) => v;
		const [low, high] = this.range.map(scale);
		return this.frame.top + (1 - (scale(value) - low) / (high - low)) * this.frame.height;
	}

	yOf(line, r) {
		return this.y(this.transform(line, line.value[r]));
	}

	/** Ratios spread over more than a factor of two read better by their logarithm: +10 % stays visible beside ×3. */
	isLogarithmic() {
		if (this.shown.scale !== 'percent') return this.shown.scale === 'log';
		return this.lines.every((line) => line.low > 0) && this.lines.some((line) => line.high / line.firstValue > 2 || line.low / line.firstValue < 0.5);
	}

	/** The values at the foot and the head of the plot, so that all between two revisions are within. */
	findRange(from, to) {
		let [low, high] = [Infinity, -Infinity];
		for (const line of this.lines)
			for (const key of this.hasBand(line) ? ['value', 'q25', 'q75'] : ['value'])
				for (let r = from; r <= to; r++) {
					const v = this.transform(line, line[key][r]);
					if (v !== null && v < low) low = v;
					if (v !== null && v > high) high = v;
				}
		const { scale } = this.shown;
		if (low > high) return this.isLogarithmic() ? [1, 10] : [0, 1];
		if (scale === 'percent') [low, high] = [Math.min(low, 100), Math.max(high, 100)];
		if (this.isLogarithmic()) {
			const pad = Math.max(1.02, (high / low) ** 0.08);
			return [low / pad, high * pad];
		}
		if (scale === 'zero') low = Math.min(0, low);
		const span = high - low || Math.abs(high) * 0.1 || 1;
		return [scale === 'zero' && low === 0 ? 0 : low - span * 0.08, high + span * 0.1];
	}

	/* ---- drawing ---- */

	hasBand(line) {
		return this.shown.band && this.lines.length <= MOST_BANDS && line.q75 !== line.value;
	}

	/** Dashes of many lines would repeat, and could not be told apart. */
	strokeOf(line) {
		const dash = this.lines.length > MANY_LINES ? '' : DASHES[Math.floor(line.slot / LINE_COLOURS) % DASHES.length];
		return { fill: 'none', stroke: colourOf(line), 'stroke-dasharray': dash || null, 'stroke-linecap': dash ? null : 'round', 'stroke-linejoin': 'round' };
	}

	isFaint(line) {
		return this.highlighted !== null && line.index !== this.highlighted;
	}

	draw() {
		if (this.lines.length === 0 || !this.frame) return;
		const { left, top, width, height } = this.frame;
		this.range = this.findRange(Math.max(0, Math.ceil(this.view.min)), Math.min(this.last, Math.floor(this.view.max)));
		this.places = [];
		const clip = svg('clipPath', { id: 'plot' }, svg('rect', { x: left, y: top - 20, width, height: height + 24 }));
		const lines = this.lines.map((line) => this.lineShapes(line));
		const levels = this.lines
			.filter((line) => (this.lines.length <= 3 || this.highlighted !== null) && !this.isFaint(line))
			.map((line) => this.levels(line));
		const jumps = this.lines.map((line) => this.jumpShapes(line));
		this.drawn = svg('g', clip, this.axes(), svg('g', { 'clip-path': 'url(#plot)' }, this.tags(), lines, levels, jumps));
		this.picture.replaceChildren(this.drawn, this.pointer);
		this.drawRail();
		Object.assign(this.host.dataset, { lines: this.lines.length, jumps: this.places.length, reused: this.drawn.querySelectorAll('.reused').length });
	}

	valueTicks(unit, logarithmic) {
		const [low, high] = this.range;
		if (logarithmic) return logTicks(low, high, (v) => this.y(v));
		return ticks(low, high, roundStep(((high - low) / this.frame.height) * 44, unit === 'bytes'));
	}

	axes() {
		const { left, top, width, height } = this.frame;
		const unit = this.shown.scale === 'percent' ? '%' : this.model.metrics[this.shown.metric].unit;
		const values = this.valueTicks(unit, this.isLogarithmic());
		const labels = unit === '%' ? values.map((v) => `${Number(v.toFixed(2))} %`) : tickLabels(values, unit);
		const revisions = ticks(Math.max(0, this.view.min), Math.min(this.last, this.view.max), roundStep(Math.max(1, this.revisionsIn(95))));
		const text = (x, y, anchor, label) => svg('text', { x, y, 'text-anchor': anchor, fill: 'var(--dim)' }, label);
		return [
			values.map((v, i) => [
				svg('path', { d: `M${left} ${this.y(v)}h${width}`, stroke: 'var(--line)' }),
				text(left - 8, this.y(v) + 4, 'end', labels[i]),
			]),
			revisions.map((r) => [
				svg('path', { d: `M${this.x(r)} ${top}v${height + 5}`, stroke: 'var(--line)' }),
				text(this.x(r), top + height + 18, 'middle', shortId(this.model.revisions[r].id)),
				text(this.x(r), top + height + 32, 'middle', formatDate(this.model.revisions[r].time)),
			]),
		];
	}

	/** Revisions in so many pixels. */
	revisionsIn(pixels) {
		return (pixels * (this.view.max - this.view.min)) / this.frame.width;
	}

	/** Tags for whose names there is room. */
	tags() {
		const { left, top, width, height } = this.frame;
		this.tagged ??= [...this.model.revisions.keys()].filter((r) => this.model.revisions[r].decoration);
		let free = -Infinity;
		return this.tagged.flatMap((r) => {
			const { decoration } = this.model.revisions[r];
			const text = decoration.length > 18 ? `${decoration.slice(0, 17)}…` : decoration;
			const wide = textWidth(text, VALUE_FONT);
			const at = Math.max(left, Math.min(this.x(r) - wide / 2, left + width - wide));
			if (r < this.view.min || r > this.view.max || at <= free) return [];
			free = at + wide + 8;
			return [
				svg('path', { d: `M${this.x(r)} ${top - 4}v${height + 4}`, stroke: 'var(--dim)', 'stroke-opacity': 0.45, 'stroke-dasharray': '2 3' }),
				svg('text', { x: at, y: top - 8, 'font-size': 11, fill: 'var(--dim)' }, text),
			];
		});
	}

	/** A line over its spread, and where there is room the values: discs, hollow marks for those that were reused. */
	lineShapes(line) {
		const from = Math.max(0, Math.floor(this.view.min) - 1);
		const to = Math.min(this.last, Math.ceil(this.view.max) + 1);
		const x = (r) => this.x(r);
		const y = (key) => (r) => this.y(this.transform(line, line[key][r]) ?? this.range[0]);
		const many = this.lines.length > MANY_LINES;
		const buckets = (this.frame.width * Math.min(1, MANY_LINES / this.lines.length)) / (many ? 2 : 1);
		const runs = runsOf(line, from, to, buckets, (r) => this.transform(line, line.value[r]) !== null);
		const colour = colourOf(line);
		const value = (r) =>
			line.reused.has(r)
				? svg('path.reused', { d: `M${x(r)} ${this.yOf(line, r) - 4}l4 4l-4 4l-4 -4Z`, fill: 'var(--card)', stroke: colour, 'stroke-width': 1.4 })
				: svg('circle', { cx: x(r), cy: this.yOf(line, r), r: 2.5, fill: colour });
		return svg(
			'g.line',
			{ 'data-line': line.index, opacity: this.isFaint(line) ? FAINT : null },
			this.hasBand(line) && to - from < 3 * this.frame.width
				? svg('path.band', { d: areaOf(runs, x, y('q75'), y('q25')), fill: colour, 'fill-opacity': 0.16 })
				: '',
			svg('path.values', { d: pathOf(runs, x, y('value')), 'stroke-width': many ? 1 : 1.8, ...this.strokeOf(line) }),
			!many && to - from <= this.frame.width / 10 ? runs.flat().map(value) : '',
		);
	}

	levels(line) {
		const level = (run) => `M${this.x(run.from - 0.4)} ${this.y(this.transform(line, run.level))}H${this.x(run.to + 0.4)}`;
		const known = line.levels.filter((run) => this.transform(line, run.level) !== null);
		return svg('path', { d: known.map(level).join(''), fill: 'none', stroke: colourOf(line), 'stroke-opacity': 0.65, 'stroke-dasharray': '5 4' });
	}

	jumpShapes(line) {
		const shown = line.jumps.filter(({ after }) => after >= this.view.min && after <= this.view.max);
		return shown.map((jump) => {
			const x = this.x(jump.after);
			const [from, to] = [levelAt(line, jump.before, jump.oldLevel), levelAt(line, jump.after, jump.newLevel)].map((level) =>
				this.y(this.transform(line, level) ?? this.range[0]),
			);
			const y = to + (jump.up ? -13 : 13);
			this.places.push({ jump, line, x, y });
			return svg(
				'g',
				{ opacity: this.isFaint(line) ? 0.25 : null },
				svg('path', { d: `M${x} ${from}V${to}`, stroke: `var(--${jump.regression ? 'bad' : 'good'})`, 'stroke-width': 1.5, 'stroke-dasharray': '3 2' }),
				svg(
					'g',
					{ transform: `translate(${x} ${y})` },
					svg('title', `${line.name}: ${formatChange(jump.relative)}, ${jumpStateText(jump)}`),
					svg('path', { d: jumpPath(jump, 7.5).triangle, stroke: 'var(--card)', 'stroke-width': 5 }),
					jumpMark(jump, 7.5),
				),
			);
		});
	}

	/* ---- a file ---- */

	legend(left, top) {
		const rest = this.lines.length - MOST_NAMED;
		const row = (i, ...shapes) => svg('g', { transform: `translate(${left} ${top + i * LEGEND_ROW})` }, shapes);
		const entry = (line, i) => {
			const name = line.name.length > 34 ? `${line.name.slice(0, 33)}…` : line.name;
			return row(i, svg('path', { d: 'M0 0h22', 'stroke-width': 3, ...this.strokeOf(line) }), svg('text', { x: 30, y: 4, fill: 'var(--ink)' }, name));
		};
		const more = () => row(MOST_NAMED, svg('text', { y: 4, fill: 'var(--dim)' }, `and ${rest} more`));
		return [this.lines.slice(0, MOST_NAMED).map(entry), rest > 0 ? more() : ''];
	}

	/** Save what is shown; heading: what the axis shows. */
	save(name, title, heading) {
		const { left, width, top, height } = this.frame;
		const high = HEAD + Math.max(top + height + EDGE.bottom, 60 + Math.min(MOST_NAMED + 1, this.lines.length) * LEGEND_ROW);
		const parts = [
			svg('text', { x: left, y: 18, 'font-size': 14, 'font-weight': 600, fill: 'var(--ink)' }, title),
			svg('text', { x: left, y: 36, fill: 'var(--dim)' }, heading),
			svg('g', { transform: `translate(0 ${HEAD})` }, this.drawn.cloneNode(true)),
			this.legend(left + width + 20, HEAD + top + 8),
		];
		savePicture(name, { width: left + width + SIDE, height: high }, parts, title);
	}
}
