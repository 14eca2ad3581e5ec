/*
 * Chart: lines over the revisions by uPlot, with what it has not: marks of jumps, levels, tags.
 */
import uPlot from 'uplot';
import { ChartInput } from './chart_input.js';
import { DASHES, drawCarried, drawMark, MANY_LINES, palette } from './chart_paint.js';
import { LINE_COLOURS } from './graph.js';
import { formatDate, levelAt, previous, shortId, tickLabels } from './model.js';

const MOST_BANDS = 16;
const FAINT = 0.18; /* how much is left of the lines beside the one that is pointed at */

const BYTE_STEPS = Array.from({ length: 50 }, (_, i) => 2 ** i);

/** Ticks of the revisions axis: whole revisions, a round number apart, about 95 pixels or more. */
function revisionTicks(u, axis, min, max) {
	const room = Math.max(1, u.bbox.width / (window.devicePixelRatio || 1) / 95);
	const least = Math.max(1, (max - min) / room);
	let step = 10 ** Math.floor(Math.log10(least));
	step = [1, 2, 5, 10].map((k) => k * step).find((s) => s >= least);
	step = Math.max(1, Math.round(step));
	const out = [];
	for (let r = Math.ceil(min / step) * step; r <= max; r += step) out.push(r);
	return out;
}

const PERCENT_STEPS = [
	1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 100, 105, 110, 120, 130, 140, 150, 175, 200, 250, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 5000, 10000,
	20000, 50000, 100000,
];

/** Ticks of a logarithmic percent axis: round values at least 26 pixels apart; 100 is always one of them. */
function percentTicks(u, axis, min, max) {
	const inside = PERCENT_STEPS.filter((v) => v >= min && v <= max);
	const out = inside.includes(100) ? [100] : [];
	const y = (v) => u.valToPos(v, 'y');
	for (const v of inside) if (out.every((other) => Math.abs(y(other) - y(v)) >= 26)) out.push(v);
	return out.sort((a, b) => a - b);
}

/**
 * @param host   element for the chart; rail, overview: canvases under it
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
		this.plot = null;
		this.cursor = null;
		new ResizeObserver(() => this.resize()).observe(host);
		this.bindKeys();
		this.bindOverview();
		this.bindRail();
	}

	whole() {
		const pad = Math.max(0.5, this.last * 0.012);
		return { min: -pad, max: this.last + pad };
	}

	/** What a value of a line is drawn at. */
	transform(line, value) {
		if (value == null) return value;
		if (this.shown.scale === 'percent') return line.firstValue ? (value / line.firstValue) * 100 : null;
		return this.shown.scale === 'log' && value <= 0 ? null : value;
	}

	/** Draw these lines; shown is { metric, scale, band }. */
	show(lines, shown) {
		this.lines = lines;
		this.shown = shown;
		this.painted = null;
		this.cursor = null;
		if (this.plot) this.plot.destroy();
		this.host.replaceChildren();
		this.plot = null;
		if (lines.length === 0) {
			const empty = document.createElement('p');
			empty.className = 'empty';
			empty.textContent = this.model.lines.length === 0 ? 'Nothing was measured.' : 'No benchmark is chosen.';
			this.host.append(empty);
		} else {
			this.build();
		}
		this.drawRail();
		this.drawOverview();
	}

	build() {
		this.colours = palette();
		const identity = this.shown.scale !== 'percent' && this.shown.scale !== 'log';
		const column = (line, key) => (identity ? line[key] : line[key].map((v) => this.transform(line, v)));
		const data = [this.model.revisions.map((_, i) => i)];
		const series = [{}];
		this.bands = [];
		const add = (line, key, options) => {
			data.push(column(line, key));
			series.push({ lineIndex: line.index, ...options }); /* uPlot copies what it is given: no line itself */
			return series.length - 1;
		};
		/* the spread of the runs below all lines; that of many would be one smear */
		for (const line of this.hasBands() ? this.lines.filter(({ q75, value }) => q75 !== value) : []) {
			const edges = ['q75', 'q25'].map((key) => add(line, key, { width: 0, points: { show: false } }));
			this.bands.push({ series: edges, fill: this.fade(this.colourOf(line), 0.16) });
		}
		for (const line of this.lines) {
			const stroke = this.colourOf(line);
			line.marked = [];
			add(line, 'value', {
				label: line.name,
				stroke,
				width: this.lines.length > MANY_LINES ? 1 : 1.8,
				dash: this.dashOf(line),
				gaps: (u, i, from, to, gaps) => this.gapsOf(u, line, gaps),
				points: { size: 5, fill: stroke, filter: (u, i, show) => this.discs(u, line, show) },
			});
		}
		this.plot = new uPlot(this.options(series), data, this.host);
		this.decorate();
	}

	hasBands() {
		return this.shown.band && this.lines.length <= MOST_BANDS;
	}

	/** A line breaks where values are missing, and where those on both sides cannot be compared. */
	gapsOf(u, line, gaps) {
		const x = (r) => u.valToPos(r, 'x', true);
		const breaks = line.breaks.map((at) => [x(previous(line, at) ?? at), x(at)]);
		return breaks.length === 0 ? gaps : [...gaps, ...breaks].sort(([p], [q]) => p - q);
	}

	/** The measured values in view, where there is room for their discs; reused ones get their own mark. */
	discs(u, line, show) {
		const [from, to] = u.series[0].idxs;
		const measured = [];
		line.marked = [];
		for (let r = from; show && r <= to; r++) if (line.value[r] != null) (line.reused.has(r) ? line.marked : measured).push(r);
		return show ? measured : null;
	}

	/** Ratios spread over more than a factor of two read better by their logarithm: +10 % stays visible beside ×3. */
	isLogarithmic() {
		if (this.shown.scale !== 'percent') return this.shown.scale === 'log';
		return this.lines.every((line) => line.low > 0) && this.lines.some((line) => line.high / line.firstValue > 2 || line.low / line.firstValue < 0.5);
	}

	options(series) {
		const logarithmic = this.isLogarithmic();
		const unit = this.shown.scale === 'percent' ? '%' : this.model.metrics[this.shown.metric].unit;
		const { colours } = this;
		const axis = {
			stroke: colours.dim,
			font: '12px system-ui, sans-serif',
			grid: { stroke: colours.grid, width: 1 },
			ticks: { stroke: colours.grid, width: 1, size: 5 },
		};
		return {
			width: this.host.clientWidth,
			height: this.host.clientHeight,
			series,
			bands: this.bands,
			legend: { show: false },
			padding: [22, 14, 0, 0],
			cursor: {
				y: false,
				points: { show: false },
				drag: { x: true, y: false, setScale: false },
				bind: {
					mousedown: (u, target, handler) => (event) => {
						if (event.button === 0 && event.shiftKey) this.startPan(event);
						else handler(event);
						return null;
					},
					dblclick: () => () => {
						this.setView(this.whole());
						return null;
					},
				},
			},
			scales: {
				x: { time: false, range: () => [this.view.min, this.view.max] },
				y: { distr: logarithmic ? 3 : 1, range: (u, low, high) => this.range(low, high) },
			},
			axes: [
				{ ...axis, size: 46, splits: revisionTicks, values: (u, splits) => splits.map((r) => this.revisionLabel(r)) },
				{
					...axis,
					size: 76,
					...(unit === 'bytes' && !logarithmic ? { incrs: BYTE_STEPS } : {}),
					...(unit === '%' && logarithmic ? { splits: percentTicks, filter: (u, splits) => splits } : {}),
					values: (u, splits) => (unit === '%' ? splits.map((v) => (v === null ? null : `${Number(v.toFixed(2))} %`)) : tickLabels(splits, unit)),
				},
			],
			hooks: { draw: [(u) => this.drawOver(u)], setCursor: [(u) => this.follow(u)], setSelect: [(u) => this.select(u)] },
		};
	}

	revisionLabel(r) {
		const revision = this.model.revisions[r];
		return revision ? `${shortId(revision.id)}\n${formatDate(revision.time)}` : '';
	}

	range(low, high) {
		if (low == null || !Number.isFinite(low)) return this.isLogarithmic() ? [1, 10] : [0, 1];
		if (this.shown.scale === 'percent') {
			low = Math.min(low, 100);
			high = Math.max(high, 100);
		}
		if (this.isLogarithmic()) {
			const pad = Math.max(1.02, (high / low) ** 0.08);
			return [low / pad, high * pad];
		}
		if (this.shown.scale === 'zero') low = Math.min(0, low);
		const span = high - low || Math.abs(high) * 0.1 || 1;
		return [this.shown.scale === 'zero' && low === 0 ? 0 : low - span * 0.08, high + span * 0.1];
	}

	colourOf(line) {
		return this.colours.lines[line.slot % LINE_COLOURS];
	}

	dashOf(line) {
		if (this.lines.length > MANY_LINES) return []; /* dashes would repeat, cost most of the time, and could not be told apart */
		return DASHES[Math.floor(line.slot / LINE_COLOURS) % DASHES.length];
	}

	fade(colour, alpha) {
		const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
		return `rgba(${r}, ${g}, ${b}, ${alpha})`;
	}

	/** Elements that follow the pointer, and the wheel. */
	decorate() {
		const { over } = this.plot;
		this.dot = document.createElement('div');
		this.dot.className = 'dot';
		this.dot.hidden = true;
		over.append(this.dot);
		over.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
		over.addEventListener('mouseleave', () => this.leave());
		let pressed = null;
		over.addEventListener('mousedown', (event) => {
			pressed = event.clientX;
		});
		over.addEventListener('click', (event) => {
			if (pressed === null || Math.abs(event.clientX - pressed) >= 4) return;
			if (this.overJump) this.on.jump(this.overJump);
			else if (this.cursor) this.on.pick(this.cursor.line, this.cursor.revision);
		});
	}

	/* ---- what is drawn over the lines ---- */

	drawOver(u) {
		const { ctx } = u;
		const ratio = window.devicePixelRatio || 1;
		ctx.save();
		ctx.beginPath();
		ctx.rect(u.bbox.left, u.bbox.top - 20 * ratio, u.bbox.width, u.bbox.height + 20 * ratio);
		ctx.clip();
		this.drawTags(u, ctx, ratio);
		if (this.lines.length <= 3 || this.highlighted !== null) this.drawLevels(u, ctx, ratio);
		this.drawCarried(u, ctx, ratio);
		this.drawJumps(u, ctx, ratio);
		ctx.restore();
	}

	/** Tags for whose names there is room. */
	drawTags(u, ctx, ratio) {
		let free = -Infinity;
		ctx.font = `${11 * ratio}px system-ui, sans-serif`;
		ctx.textBaseline = 'middle';
		ctx.textAlign = 'left';
		ctx.strokeStyle = ctx.fillStyle = this.colours.dim;
		ctx.lineWidth = ratio;
		this.tagged ??= this.model.revisions.map((revision, r) => r).filter((r) => this.model.revisions[r].decoration);
		for (const r of this.tagged) {
			const { decoration } = this.model.revisions[r];
			const x = u.valToPos(r, 'x', true);
			if (r < this.view.min || r > this.view.max || x < free) continue;
			const text = decoration.length > 18 ? `${decoration.slice(0, 17)}…` : decoration;
			const width = ctx.measureText(text).width;
			const left = Math.max(u.bbox.left, Math.min(x - width / 2, u.bbox.left + u.bbox.width - width));
			if (left <= free) continue;
			ctx.globalAlpha = 0.45;
			ctx.setLineDash([2 * ratio, 3 * ratio]);
			ctx.beginPath();
			ctx.moveTo(x, u.bbox.top - 4 * ratio);
			ctx.lineTo(x, u.bbox.top + u.bbox.height);
			ctx.stroke();
			ctx.setLineDash([]);
			ctx.globalAlpha = 1;
			ctx.fillText(text, left, u.bbox.top - 11 * ratio);
			free = left + width + 8 * ratio;
		}
	}

	drawLevels(u, ctx, ratio) {
		for (const line of this.lines) {
			if (this.highlighted !== null && line.index !== this.highlighted) continue;
			ctx.strokeStyle = this.colourOf(line);
			ctx.lineWidth = 1.2 * ratio;
			ctx.globalAlpha = 0.65;
			ctx.setLineDash([5 * ratio, 4 * ratio]);
			for (const run of line.levels) {
				const y = u.valToPos(this.transform(line, run.level), 'y', true);
				ctx.beginPath();
				ctx.moveTo(u.valToPos(run.from - 0.4, 'x', true), y);
				ctx.lineTo(u.valToPos(run.to + 0.4, 'x', true), y);
				ctx.stroke();
			}
		}
		ctx.setLineDash([]);
		ctx.globalAlpha = 1;
	}

	drawCarried(u, ctx, ratio) {
		let drawn = 0;
		for (const line of this.lines) {
			ctx.globalAlpha = this.highlighted !== null && line.index !== this.highlighted ? FAINT : 1;
			for (const r of line.marked)
				drawCarried(
					ctx,
					u.valToPos(r, 'x', true),
					u.valToPos(this.transform(line, line.value[r]), 'y', true),
					4.2 * ratio,
					this.colourOf(line),
					this.colours,
				);
			drawn += line.marked.length;
		}
		ctx.globalAlpha = 1;
		this.host.dataset.reused = drawn;
	}

	drawJumps(u, ctx, ratio) {
		this.places = [];
		for (const line of this.lines) {
			for (const jump of line.jumps) {
				if (jump.after < this.view.min || jump.after > this.view.max) continue;
				const x = u.valToPos(jump.after, 'x', true);
				const from = u.valToPos(this.transform(line, levelAt(line, jump.before, jump.oldLevel)), 'y', true);
				const to = u.valToPos(this.transform(line, levelAt(line, jump.after, jump.newLevel)), 'y', true);
				const faint = this.highlighted !== null && line.index !== this.highlighted;
				ctx.globalAlpha = faint ? 0.25 : 1;
				ctx.strokeStyle = jump.state === 'accepted' ? this.colours.dim : jump.regression ? this.colours.bad : this.colours.good;
				ctx.lineWidth = 1.5 * ratio;
				ctx.setLineDash([3 * ratio, 2 * ratio]);
				ctx.beginPath();
				ctx.moveTo(x, from);
				ctx.lineTo(x, to);
				ctx.stroke();
				ctx.setLineDash([]);
				const y = to + (jump.up ? -13 : 13) * ratio;
				drawMark(ctx, x, y, 7.5 * ratio, jump, this.colours);
				this.places.push({ jump, line, x: (x - u.bbox.left) / ratio, y: (y - u.bbox.top) / ratio });
			}
		}
		ctx.globalAlpha = 1;
		this.host.dataset.lines = this.lines.length;
		this.host.dataset.jumps = this.places.length;
	}

	/** Dim the others; null: none is highlighted. */
	highlight(index) {
		if (!this.plot || this.highlighted === index) return;
		this.highlighted = index;
		for (const series of this.plot.series.slice(1)) series.alpha = index === null || series.lineIndex === index ? 1 : FAINT;
		this.plot.redraw(false);
	}

	resize() {
		if (this.host.clientWidth === 0) return; /* another view is shown */
		this.painted = null;
		if (this.plot) this.plot.setSize({ width: this.host.clientWidth, height: this.host.clientHeight });
		this.drawRail();
		this.drawOverview();
	}
}
