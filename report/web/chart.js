/*
 * Chart: lines over the revisions by uPlot, with what it has not: marks of jumps, levels, tags, a rail of
 * failures under the plot, an overview to pan, and small charts of single benchmarks.
 */
'use strict';

perfevo.LINE_COLOURS = 8;
const MOST_BANDS = 16;
const MANY = 24; /* lines from which on not every pixel of theirs can be seen */
const linear = uPlot.paths.linear();
const FAINT = 0.18; /* how much is left of the lines beside the one that is pointed at */
perfevo.DASHES = [[], [9, 4], [2, 3], [11, 3, 2, 3]];

/** Colours of the page as it looks now. */
perfevo.palette = () => {
	const style = getComputedStyle(document.documentElement);
	const get = (name) => style.getPropertyValue(name).trim();
	return {
		ink: get('--ink'), dim: get('--dim'), grid: get('--line'), card: get('--card'), accent: get('--accent'),
		bad: get('--bad'), good: get('--good'), fail: get('--fail'), soft: get('--soft'),
		lines: Array.from({ length: perfevo.LINE_COLOURS }, (_, i) => get(`--l${i}`)),
	};
};

/** A canvas as large as it is shown, cleared; its context measures in CSS pixels. */
perfevo.prepareCanvas = (canvas) => {
	const ratio = window.devicePixelRatio || 1;
	const width = canvas.clientWidth;
	const height = canvas.clientHeight;
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	const context = canvas.getContext('2d');
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.clearRect(0, 0, width, height);
	return { context, width, height };
};

/** ▲ for a regression, ▼ for an improvement, in the shapes of perfevo.jumpPath(). */
perfevo.drawMark = (context, x, y, size, jump, colours) => {
	const { triangle, bar } = perfevo.jumpPath(jump, size);
	const colour = jump.state === 'accepted' ? colours.dim : jump.regression ? colours.bad : colours.good;
	const shape = new Path2D(triangle);
	context.save();
	context.translate(x, y);
	context.lineJoin = 'round';
	context.strokeStyle = colours.card;
	context.lineWidth = Math.max(3, size / 2);
	context.stroke(shape);
	context.fillStyle = jump.state === 'suspect' ? colours.card : colour;
	context.strokeStyle = colour;
	context.lineWidth = Math.max(1.2, size / 5);
	context.fill(shape);
	context.stroke(shape);
	if (bar !== '')
		context.stroke(new Path2D(bar));
	context.restore();
};

/** ◇ for a figure that was carried over: measured ones are filled discs. */
perfevo.drawCarried = (context, x, y, size, stroke, colours) => {
	context.beginPath();
	context.moveTo(x, y - size);
	context.lineTo(x + size, y);
	context.lineTo(x, y + size);
	context.lineTo(x - size, y);
	context.closePath();
	context.fillStyle = colours.card;
	context.strokeStyle = stroke;
	context.lineWidth = size / 3;
	context.fill();
	context.stroke();
};

/** Labels for the ticks of a value axis: one prefix, as many decimals as the step needs. */
perfevo.tickLabels = (() => {
	const TIME = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
	const BYTES = [[1073741824, 'GiB'], [1048576, 'MiB'], [1024, 'KiB'], [1, 'B']];
	const COUNT = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];
	return (splits, unit) => {
		const table = unit === 'ns' ? TIME : unit === 'bytes' ? BYTES : COUNT;
		const real = splits.filter((v) => v !== null);
		const most = Math.max(...real.map(Math.abs), 0);
		const [factor, name] = table.find(([f]) => most >= f) || table[table.length - 1];
		const step = real.length > 1 ? Math.abs(real[1] - real[0]) / factor : 1;
		let decimals = 0;
		while (decimals < 6 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6)
			decimals++;
		const suffix = unit === 'ns' || unit === 'bytes' ? ` ${name}` : name;
		return splits.map((v) => (v === null ? null : (v / factor).toFixed(decimals) + suffix));
	};
})();

const BYTE_STEPS = Array.from({ length: 50 }, (_, i) => 2 ** i);

/** Ticks of the revisions axis: whole revisions, a round number apart, about 95 pixels or more. */
function revisionTicks(u, axis, min, max) {
	const room = Math.max(1, u.bbox.width / (window.devicePixelRatio || 1) / 95);
	const least = Math.max(1, (max - min) / room);
	let step = 10 ** Math.floor(Math.log10(least));
	step = [1, 2, 5, 10].map((k) => k * step).find((s) => s >= least);
	step = Math.max(1, Math.round(step));
	const out = [];
	for (let r = Math.ceil(min / step) * step; r <= max; r += step)
		out.push(r);
	return out;
}

const PERCENT_STEPS = [1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 100, 105, 110, 120, 130, 140, 150, 175, 200, 250,
	300, 400, 500, 700, 1000, 1500, 2000, 3000, 5000, 10000, 20000, 50000, 100000];

/** Ticks of a logarithmic percent axis: round figures at least 26 pixels apart; 100 is always one of them. */
function percentTicks(u, axis, min, max) {
	const inside = PERCENT_STEPS.filter((v) => v >= min && v <= max);
	const out = inside.includes(100) ? [100] : [];
	const y = (v) => u.valToPos(v, 'y');
	for (const v of inside)
		if (out.every((other) => Math.abs(y(other) - y(v)) >= 26))
			out.push(v);
	return out.sort((a, b) => a - b);
}

/**
 * @param host   element for the chart; rail, overview: canvases under it
 * @param on     { hover(line, revision, place), failed(revision, whats, place), leave(), pick(line, revision), jump(jump) }
 */
perfevo.Chart = class {
	constructor(host, rail, overview, model, on) {
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

	/** What a figure of a line is drawn at. */
	transform(line, value) {
		if (value == null)
			return value;
		if (this.shown.scale === 'percent')
			return line.firstValue ? value / line.firstValue * 100 : null;
		return this.shown.scale === 'log' && value <= 0 ? null : value;
	}

	/** Draw these lines; shown is { metric, scale, band }. */
	show(lines, shown) {
		this.lines = lines;
		this.shown = shown;
		this.painted = null;
		this.bands = [];
		this.cursor = null;
		if (this.plot)
			this.plot.destroy();
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
		this.colours = perfevo.palette();
		const identity = this.shown.scale !== 'percent' && this.shown.scale !== 'log';
		const column = (line, key) => (identity ? line[key] : line[key].map((v) => this.transform(line, v)));
		const spread = (line, key) => this.measuredOnly(line, column(line, key));
		const data = [this.model.revisions.map((_, i) => i)];
		const series = [{}];
		this.bands = [];
		for (const line of this.lines) {
			const stroke = this.colourOf(line);
			if (this.hasBands() && line.q75 !== line.median)
				this.bands.push({ line, fill: this.fade(stroke, 0.16), low: spread(line, 'q25'), high: spread(line, 'q75') });
			line.seriesIndex = series.length;
			line.marked = [];
			data.push(column(line, 'median'));
			series.push({
				label: line.name, stroke, width: this.lines.length > MANY ? 1 : 1.8, dash: this.dashOf(line), paths: (u, i, from, to) => this.pathOf(u, i, from, to),
				points: { size: 5, fill: stroke, filter: (u, i, show) => this.discs(u, line, show) },
			});
		}
		this.plot = new uPlot(this.options(series), data, this.host);
		this.decorate();
	}

	/** The spread of many lines would be one smear. */
	hasBands() {
		return this.shown.band && this.lines.length <= MOST_BANDS;
	}

	/**
	 * A column of the spread, which is of what was measured: it goes from one measured figure to the next past
	 * those that were carried over (undefined), and has a gap (null) where a failure or a jump lies between them.
	 */
	measuredOnly(line, values) {
		if (line.carried.size === 0)
			return values;
		const ends = new Set(line.jumps.flatMap((jump) => [jump.before, jump.after]));
		const out = values.slice();
		let between = [];
		let broken = false;
		values.forEach((v, r) => {
			if (line.carried.has(r)) {
				between.push(r);
				broken ||= ends.has(r);
			} else if (v === null) {
				broken = true;
			} else {
				between.forEach((c) => { out[c] = broken ? null : undefined; });
				between = [];
				broken = false;
			}
		});
		between.forEach((c) => { out[c] = null; });
		return out;
	}

	/** How many buckets are told apart: a line's every pixel, or every third where there are many lines. */
	buckets(u) {
		const width = u.bbox.width / (window.devicePixelRatio || 1);
		return Math.max(50, Math.round(this.lines.length > MANY ? width / 3 : width));
	}

	/** A line as uPlot draws it; where it has more figures than there are pixels, its extremes alone. */
	pathOf(u, i, from, to) {
		const buckets = this.buckets(u);
		if (to - from < 2 * buckets)
			return linear(u, i, from, to);
		const values = u.data[i];
		const stroke = new Path2D();
		let broken = true;
		for (const r of perfevo.thinRuns(values, from, to, buckets)) {
			if (r < 0) {
				broken = true;
				continue;
			}
			const x = u.valToPos(r, 'x', true);
			const y = u.valToPos(values[r], 'y', true);
			if (broken)
				stroke.moveTo(x, y);
			else
				stroke.lineTo(x, y);
			broken = false;
		}
		return { stroke, fill: null, clip: null, band: null, gaps: null, flags: 1 };
	}

	/** The spread of the runs below the lines: from the lowest quartile of a pixel to its highest. */
	drawBands(u) {
		const from = Math.max(0, Math.floor(this.view.min) - 1);
		const to = Math.min(this.last, Math.ceil(this.view.max) + 1);
		const { ctx } = u;
		ctx.save();
		ctx.beginPath();
		ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
		ctx.clip();
		for (const band of this.bands) {
			ctx.globalAlpha = this.highlighted !== null && band.line.index !== this.highlighted ? FAINT : 1;
			ctx.fillStyle = band.fill;
			for (const run of perfevo.bandRuns(band.low, band.high, from, to, this.buckets(u))) {
				ctx.beginPath();
				for (const { r, high } of run)
					ctx.lineTo(u.valToPos(r, 'x', true), u.valToPos(high, 'y', true));
				for (const { r, low } of run.reverse())
					ctx.lineTo(u.valToPos(r, 'x', true), u.valToPos(low, 'y', true));
				ctx.fill();
			}
		}
		ctx.restore();
	}

	/** The measured figures in view, where there is room for their discs; carried ones get their own mark. */
	discs(u, line, show) {
		const [from, to] = u.series[0].idxs;
		const measured = [];
		line.marked = [];
		for (let r = from; show && r <= to; r++)
			if (line.median[r] != null)
				(line.carried.has(r) ? line.marked : measured).push(r);
		return show ? measured : null;
	}

	/** Ratios spread over more than a factor of two read better by their logarithm: +10 % stays visible beside ×3. */
	isLogarithmic() {
		if (this.shown.scale !== 'percent')
			return this.shown.scale === 'log';
		return this.lines.every((line) => line.low > 0)
			&& this.lines.some((line) => line.high / line.firstValue > 2 || line.low / line.firstValue < 0.5);
	}

	options(series) {
		const logarithmic = this.isLogarithmic();
		const unit = this.shown.scale === 'percent' ? '%' : this.model.metrics[this.shown.metric].unit;
		const { colours } = this;
		const axis = {
			stroke: colours.dim, font: '12px system-ui, sans-serif',
			grid: { stroke: colours.grid, width: 1 }, ticks: { stroke: colours.grid, width: 1, size: 5 },
		};
		return {
			width: this.host.clientWidth, height: this.host.clientHeight, series,
			legend: { show: false },
			padding: [22, 14, 0, 0],
			cursor: {
				y: false, points: { show: false }, drag: { x: true, y: false, setScale: false },
				bind: {
					mousedown: (u, target, handler) => (event) => {
						if (event.button === 0 && event.shiftKey)
							this.startPan(event);
						else
							handler(event);
						return null;
					},
					dblclick: () => () => { this.setView(this.whole()); return null; },
				},
			},
			scales: {
				x: { time: false, range: () => [this.view.min, this.view.max] },
				y: { distr: logarithmic ? 3 : 1, range: (u, low, high) => this.range(low, high) },
			},
			axes: [
				{
					...axis, size: 46, splits: revisionTicks,
					values: (u, splits) => splits.map((r) => this.revisionLabel(r)),
				},
				{
					...axis, size: 76, ...(unit === 'bytes' && !logarithmic ? { incrs: BYTE_STEPS } : {}),
					...(unit === '%' && logarithmic ? { splits: percentTicks, filter: (u, splits) => splits } : {}),
					values: (u, splits) => (unit === '%' ? splits.map((v) => (v === null ? null : `${Number(v.toFixed(2))} %`))
						: perfevo.tickLabels(splits, unit)),
				},
			],
			hooks: {
				drawAxes: [(u) => this.drawBands(u)],
				draw: [(u) => this.drawOver(u)],
				setCursor: [(u) => this.follow(u)],
				setSelect: [(u) => this.select(u)],
			},
		};
	}

	revisionLabel(r) {
		const revision = this.model.revisions[r];
		return revision ? `${perfevo.shortId(revision.id)}\n${perfevo.formatDate(revision.time)}` : '';
	}

	range(low, high) {
		if (low == null || !Number.isFinite(low))
			return this.isLogarithmic() ? [1, 10] : [0, 1];
		for (const band of this.bands)
			for (let r = Math.max(0, Math.ceil(this.view.min)); r <= Math.min(this.last, this.view.max); r++) {
				if (band.low[r] != null && band.low[r] < low)
					low = band.low[r];
				if (band.high[r] != null && band.high[r] > high)
					high = band.high[r];
			}
		if (this.shown.scale === 'percent') {
			low = Math.min(low, 100);
			high = Math.max(high, 100);
		}
		if (this.isLogarithmic()) {
			const pad = Math.max(1.02, (high / low) ** 0.08);
			return [low / pad, high * pad];
		}
		if (this.shown.scale === 'zero')
			low = Math.min(0, low);
		const span = high - low || Math.abs(high) * 0.1 || 1;
		return [this.shown.scale === 'zero' && low === 0 ? 0 : low - span * 0.08, high + span * 0.1];
	}

	colourOf(line) {
		return this.colours.lines[line.slot % perfevo.LINE_COLOURS];
	}

	dashOf(line) {
		if (this.lines.length > MANY)
			return []; /* dashes would repeat, cost most of the time, and could not be told apart */
		return perfevo.DASHES[Math.floor(line.slot / perfevo.LINE_COLOURS) % perfevo.DASHES.length];
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
		over.addEventListener('mousedown', (event) => { pressed = event.clientX; });
		over.addEventListener('click', (event) => {
			if (pressed === null || Math.abs(event.clientX - pressed) >= 4)
				return;
			if (this.overJump)
				this.on.jump(this.overJump);
			else if (this.cursor)
				this.on.pick(this.cursor.line, this.cursor.revision);
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
		if (this.lines.length <= 3 || this.highlighted !== null)
			this.drawLevels(u, ctx, ratio);
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
			if (r < this.view.min || r > this.view.max || x < free)
				continue;
			const text = decoration.length > 18 ? `${decoration.slice(0, 17)}…` : decoration;
			const width = ctx.measureText(text).width;
			const left = Math.max(u.bbox.left, Math.min(x - width / 2, u.bbox.left + u.bbox.width - width));
			if (left <= free)
				continue;
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
			if (this.highlighted !== null && line.index !== this.highlighted)
				continue;
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
				perfevo.drawCarried(ctx, u.valToPos(r, 'x', true), u.valToPos(this.transform(line, line.median[r]), 'y', true),
					4.2 * ratio, this.colourOf(line), this.colours);
			drawn += line.marked.length;
		}
		ctx.globalAlpha = 1;
		this.host.dataset.carried = drawn;
	}

	drawJumps(u, ctx, ratio) {
		this.places = [];
		for (const line of this.lines) {
			for (const jump of line.jumps) {
				if (jump.after < this.view.min || jump.after > this.view.max)
					continue;
				const x = u.valToPos(jump.after, 'x', true);
				const from = u.valToPos(this.transform(line, jump.oldLevel), 'y', true);
				const to = u.valToPos(this.transform(line, jump.newLevel), 'y', true);
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
				perfevo.drawMark(ctx, x, y, 7.5 * ratio, jump, this.colours);
				this.places.push({ jump, line, x: (x - u.bbox.left) / ratio, y: (y - u.bbox.top) / ratio });
			}
		}
		ctx.globalAlpha = 1;
		this.host.dataset.lines = this.lines.length;
		this.host.dataset.jumps = this.places.length;
	}

	/** Dim the others; null: none is highlighted. */
	highlight(index) {
		if (!this.plot || this.highlighted === index)
			return;
		this.highlighted = index;
		for (const line of this.lines)
			this.plot.series[line.seriesIndex].alpha = index === null || line.index === index ? 1 : FAINT;
		this.plot.redraw(false);
	}

	/* ---- pointer and keys ---- */

	/** The figure of a line nearest to a revision within reach, or null. */
	nearest(line, at, reach) {
		for (let d = 0; d <= reach; d++)
			for (const r of d === 0 ? [at] : [at - d, at + d])
				if (line.median[r] != null)
					return r;
		return null;
	}

	follow(u) {
		const { left, top } = u.cursor;
		if (left == null || left < 0)
			return;
		const mark = (this.places || []).find((place) => Math.hypot(place.x - left, place.y - top) < 11);
		this.overJump = mark ? mark.jump : null;
		u.over.classList.toggle('on-mark', Boolean(mark));
		if (mark && mark.line.median[mark.jump.after] != null) {
			this.point(mark.line, mark.jump.after);
			return;
		}
		const at = Math.round(u.posToVal(left, 'x'));
		const reach = Math.max(1, Math.round(18 * (this.view.max - this.view.min) / u.over.clientWidth));
		let best = null;
		for (const line of this.lines) {
			const r = this.nearest(line, at, reach);
			if (r === null)
				continue;
			const x = u.valToPos(r, 'x');
			const y = u.valToPos(this.transform(line, line.median[r]), 'y');
			const distance = Math.hypot((x - left) * 0.6, y - top);
			if (best === null || distance < best.distance)
				best = { line, revision: r, distance };
		}
		if (best === null)
			this.leave();
		else
			this.point(best.line, best.revision);
	}

	/** Put the dot and the tooltip on a figure. */
	point(line, revision) {
		const u = this.plot;
		const x = u.valToPos(revision, 'x');
		const y = u.valToPos(this.transform(line, line.median[revision]), 'y');
		this.cursor = { line, revision };
		this.dot.hidden = false;
		this.dot.style.left = `${x}px`;
		this.dot.style.top = `${y}px`;
		this.dot.style.background = line.carried.has(revision) ? this.colours.card : this.colourOf(line);
		this.on.hover(line, revision, { x: x + u.over.offsetLeft, y: y + u.over.offsetTop });
	}

	leave() {
		if (this.dot)
			this.dot.hidden = true;
		this.on.leave();
	}

	select(u) {
		if (u.select.width > 3) {
			const min = u.posToVal(u.select.left, 'x');
			const max = u.posToVal(u.select.left + u.select.width, 'x');
			u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
			this.setView({ min, max });
		}
	}

	setView({ min, max }) {
		const all = this.whole();
		const span = Math.min(Math.max(max - min, 3), all.max - all.min);
		const middle = (min + max) / 2;
		const from = Math.min(Math.max(middle - span / 2, all.min), all.max - span);
		this.view = { min: from, max: from + span };
		if (this.plot)
			this.plot.setScale('x', this.view);
		this.leave();
		this.drawRail();
		this.drawOverview();
	}

	/** factor below 1 zooms in; around is a revision, by default the middle. */
	zoom(factor, around = (this.view.min + this.view.max) / 2) {
		this.setView({
			min: around - (around - this.view.min) * factor,
			max: around + (this.view.max - around) * factor,
		});
	}

	pan(revisions) {
		this.setView({ min: this.view.min + revisions, max: this.view.max + revisions });
	}

	/** Without a key and without the focus the wheel scrolls the page, as everywhere. */
	wheel(event) {
		const focused = document.activeElement === this.host;
		const across = Math.abs(event.deltaX) > Math.abs(event.deltaY);
		if (!(event.ctrlKey || event.metaKey || event.shiftKey || focused || across))
			return;
		event.preventDefault();
		const perPixel = (this.view.max - this.view.min) / this.plot.over.clientWidth;
		if (across || event.shiftKey)
			this.pan((event.deltaX || event.deltaY) * perPixel);
		else
			this.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006),
				this.plot.posToVal(event.clientX - this.plot.over.getBoundingClientRect().left, 'x'));
	}

	startPan(event) {
		const { view } = this;
		const perPixel = (view.max - view.min) / this.plot.over.clientWidth;
		const move = (e) => this.setView({
			min: view.min - (e.clientX - event.clientX) * perPixel,
			max: view.max - (e.clientX - event.clientX) * perPixel,
		});
		const up = () => {
			document.removeEventListener('mousemove', move);
			document.removeEventListener('mouseup', up);
		};
		document.addEventListener('mousemove', move);
		document.addEventListener('mouseup', up);
	}

	bindKeys() {
		const step = () => Math.max(1, (this.view.max - this.view.min) / 8);
		this.host.addEventListener('keydown', (event) => {
			const actions = {
				'+': () => this.zoom(0.6), '=': () => this.zoom(0.6), '-': () => this.zoom(1 / 0.6),
				0: () => this.setView(this.whole()),
				ArrowLeft: () => (event.shiftKey ? this.pan(-step()) : this.walk(-1)),
				ArrowRight: () => (event.shiftKey ? this.pan(step()) : this.walk(1)),
				ArrowUp: () => this.change(-1), ArrowDown: () => this.change(1),
				Enter: () => this.cursor && this.on.pick(this.cursor.line, this.cursor.revision),
				Escape: () => { this.leave(); },
			};
			if (!this.plot || !(event.key in actions) || event.ctrlKey || event.metaKey || event.altKey)
				return;
			event.preventDefault();
			actions[event.key]();
		});
	}

	/** Move the cursor to the next figure of its line. */
	walk(direction) {
		const line = this.cursor ? this.cursor.line : this.lines[0];
		const from = this.cursor ? this.cursor.revision : direction > 0 ? Math.ceil(this.view.min) - 1 : Math.floor(this.view.max) + 1;
		for (let r = from + direction; r >= 0 && r <= this.last; r += direction) {
			if (line.median[r] == null)
				continue;
			if (r < this.view.min || r > this.view.max)
				this.pan(r - (this.view.min + this.view.max) / 2);
			queueMicrotask(() => this.point(line, r)); /* uPlot settles its scales in a microtask */
			return;
		}
	}

	/** Move the cursor to another line, at the same revision where it has a figure there. */
	change(direction) {
		const at = this.cursor ? this.lines.indexOf(this.cursor.line) : 0;
		const line = this.lines[(at + direction + this.lines.length) % this.lines.length];
		const r = this.nearest(line, this.cursor ? this.cursor.revision : Math.round(this.view.max), this.last);
		if (r !== null)
			this.point(line, r);
	}

	resize() {
		if (this.host.clientWidth === 0)
			return; /* another view is shown */
		this.painted = null;
		if (this.plot)
			this.plot.setSize({ width: this.host.clientWidth, height: this.host.clientHeight });
		this.drawRail();
		this.drawOverview();
	}

	/** Left edge and width of the plot in CSS pixels. */
	frame() {
		const ratio = window.devicePixelRatio || 1;
		return this.plot ? { left: this.plot.bbox.left / ratio, width: this.plot.bbox.width / ratio }
			: { left: 76, width: Math.max(1, this.host.clientWidth - 90) };
	}

	/* ---- the rail of failures ---- */

	/** What failed: the build at a revision, or one of the benchmarks that are shown. */
	failures() {
		const shown = new Set(this.lines.map((line) => line.name));
		const found = new Map();
		const add = (revision, what) => found.set(revision, [...(found.get(revision) || []), what]);
		for (const failure of this.model.failures)
			if (failure.benchmark === null || shown.has(failure.benchmark))
				add(failure.revision, { build: failure.benchmark === null, text: failure.benchmark === null
					? failure.outcome : `${failure.benchmark}: ${failure.outcome}` });
		for (const line of this.lines)
			for (const miss of line.misses)
				if (!found.has(miss.revision))
					add(miss.revision, { build: false, text: `${line.name}: ${miss.outcome}` });
		return found;
	}

	drawRail() {
		const found = this.failures();
		this.rail.hidden = found.size === 0;
		this.rail.setAttribute('aria-label', `${perfevo.plural(found.size, 'revision')} with failures`);
		if (found.size === 0)
			return;
		const { context, height } = perfevo.prepareCanvas(this.rail);
		const colours = perfevo.palette();
		const { left, width } = this.frame();
		this.marks = [];
		context.font = '11px system-ui, sans-serif';
		context.textBaseline = 'middle';
		context.textAlign = 'right';
		context.fillStyle = colours.dim;
		context.fillText('failed', left - 10, height / 2);
		context.fillStyle = colours.soft;
		context.fillRect(left, height / 2 - 7, width, 14);
		context.lineWidth = 1.8;
		for (const [revision, whats] of found) {
			const x = left + (revision - this.view.min) / (this.view.max - this.view.min) * width;
			if (x < left || x > left + width)
				continue;
			this.marks.push({ x, revision, whats });
			context.strokeStyle = context.fillStyle = colours.fail;
			context.beginPath();
			if (whats.some((what) => what.build)) {
				for (const s of [-1, 1]) {
					context.moveTo(x - 4, height / 2 - 4 * s);
					context.lineTo(x + 4, height / 2 + 4 * s);
				}
				context.stroke();
			} else {
				context.arc(x, height / 2, 3.2, 0, 7);
				context.stroke();
			}
		}
		this.rail.dataset.marks = this.marks.length;
	}

	bindRail() {
		this.rail.addEventListener('mousemove', (event) => {
			const x = event.offsetX;
			let best = null;
			for (const mark of this.marks || [])
				if (Math.abs(mark.x - x) < 9 && (best === null || Math.abs(mark.x - x) < Math.abs(best.x - x)))
					best = mark;
			if (best)
				this.on.failed(best.revision, best.whats, { x: best.x, y: this.rail.offsetTop - this.host.offsetTop });
			else
				this.on.leave();
		});
		this.rail.addEventListener('mouseleave', () => this.on.leave());
		this.rail.addEventListener('click', (event) => {
			const mark = (this.marks || []).find((m) => Math.abs(m.x - event.offsetX) < 9);
			if (mark)
				this.on.pick(null, mark.revision);
		});
	}

	/* ---- the overview ---- */

	/** What of the overview stays while the view moves. */
	paintOverview() {
		const canvas = document.createElement('canvas');
		const ratio = window.devicePixelRatio || 1;
		const [wide, height] = [this.overview.clientWidth, this.overview.clientHeight];
		canvas.width = Math.round(wide * ratio);
		canvas.height = Math.round(height * ratio);
		const context = canvas.getContext('2d');
		context.scale(ratio, ratio);
		const colours = this.colours || perfevo.palette();
		const { left, width } = this.frame();
		const all = this.whole();
		const x = (r) => left + (r - all.min) / (all.max - all.min) * width;
		context.fillStyle = colours.soft;
		context.fillRect(left, 0, width, height);
		for (const line of this.lines.slice(0, MANY))
			perfevo.strokeLine(context, line, 0, this.last, x, 6, height - 6, this.fade(this.colourOf(line), 0.7), 1);
		for (const line of this.lines)
			for (const jump of line.jumps) {
				context.fillStyle = jump.regression ? colours.bad : colours.good;
				context.fillRect(x(jump.after) - 1, jump.regression ? 0 : height - 7, 2.5, 7);
			}
		return canvas;
	}

	drawOverview() {
		const useful = this.last > 12 && this.lines.length > 0;
		this.overview.hidden = !useful;
		if (!useful)
			return;
		this.painted ??= this.paintOverview();
		const { context, height } = perfevo.prepareCanvas(this.overview);
		const colours = this.colours || perfevo.palette();
		const { left, width } = this.frame();
		const all = this.whole();
		const x = (r) => left + (r - all.min) / (all.max - all.min) * width;
		if (this.painted.width > 0 && this.painted.height > 0)
			context.drawImage(this.painted, 0, 0, this.overview.clientWidth, height);
		if (this.view.max - this.view.min >= all.max - all.min)
			return;
		const from = Math.max(left, x(this.view.min));
		const to = Math.min(left + width, x(this.view.max));
		context.fillStyle = this.fade(colours.card, 0.72);
		context.fillRect(left, 0, from - left, height);
		context.fillRect(to, 0, left + width - to, height);
		context.strokeStyle = colours.accent;
		context.lineWidth = 1.5;
		context.strokeRect(from + 0.75, 0.75, Math.max(2, to - from - 1.5), height - 1.5);
	}

	bindOverview() {
		const revisionAt = (event) => {
			const { left, width } = this.frame();
			const all = this.whole();
			return all.min + (event.offsetX - left) / width * (all.max - all.min);
		};
		this.overview.addEventListener('pointerdown', (event) => {
			const start = revisionAt(event);
			let { view } = this;
			if (start < view.min || start > view.max) {
				const half = (view.max - view.min) / 2;
				this.setView({ min: start - half, max: start + half });
				view = this.view;
			}
			const move = (e) => {
				const by = revisionAt(e) - start;
				this.setView({ min: view.min + by, max: view.max + by });
			};
			this.overview.setPointerCapture(event.pointerId);
			this.overview.addEventListener('pointermove', move);
			this.overview.addEventListener('pointerup', () => this.overview.removeEventListener('pointermove', move), { once: true });
		});
	}
};

/** A line between two heights on its own scale, thinned to the pixels there are. */
perfevo.strokeLine = (context, line, from, to, x, top, bottom, colour, width) => {
	if (line.first === null)
		return;
	const least = Math.abs(line.high) * 0.05; /* so that noise stays flat */
	const span = Math.max(line.high - line.low, least) || 1;
	const base = line.low - Math.max(0, least - (line.high - line.low)) / 2;
	const y = (v) => bottom - (v - base) / span * (bottom - top);
	context.beginPath();
	perfevo.thin(line.median, from, to, Math.max(50, x(to) - x(from))).forEach((r, i) => {
		if (i === 0)
			context.moveTo(x(r), y(line.median[r]));
		else
			context.lineTo(x(r), y(line.median[r]));
	});
	context.strokeStyle = colour;
	context.lineWidth = width;
	context.stroke();
	return y;
};

/** The small chart of one line. */
perfevo.drawMini = (canvas, line, n, colours) => {
	const { context, width, height } = perfevo.prepareCanvas(canvas);
	const x = (r) => 4 + (n > 1 ? r / (n - 1) : 0.5) * (width - 8);
	const y = perfevo.strokeLine(context, line, 0, n - 1, x, 12, height - 12, colours.lines[0], 1.5);
	if (!y)
		return;
	context.fillStyle = colours.fail;
	for (const miss of line.misses)
		context.fillRect(x(miss.revision) - 0.75, height - 4, 1.5, 4);
	for (const jump of line.jumps)
		perfevo.drawMark(context, x(jump.after), y(jump.newLevel) + (jump.up ? -6 : 6), 4.5, jump, colours);
};
