/* Strips: what lies under the chart. The rail of failures, and the overview that pans. */
import { MANY_LINES, palette, prepareCanvas, strokeLine } from './chart_paint.js';
import { plural } from './model.js';

export class ChartStrips {
	/** Left edge and width of the plot in CSS pixels. */
	frame() {
		const ratio = window.devicePixelRatio || 1;
		return this.plot
			? { left: this.plot.bbox.left / ratio, width: this.plot.bbox.width / ratio }
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
				add(failure.revision, {
					build: failure.benchmark === null,
					text: failure.benchmark === null ? failure.outcome : `${failure.benchmark}: ${failure.outcome}`,
				});
		for (const line of this.lines)
			for (const miss of line.misses) if (!found.has(miss.revision)) add(miss.revision, { build: false, text: `${line.name}: ${miss.outcome}` });
		return found;
	}

	drawRail() {
		const found = this.failures();
		this.rail.hidden = found.size === 0;
		this.rail.setAttribute('aria-label', `${plural(found.size, 'revision')} with failures`);
		if (found.size === 0) return;
		const { context, height } = prepareCanvas(this.rail);
		const colours = palette();
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
			const x = left + ((revision - this.view.min) / (this.view.max - this.view.min)) * width;
			if (x < left || x > left + width) continue;
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
			for (const mark of this.marks || []) if (Math.abs(mark.x - x) < 9 && (best === null || Math.abs(mark.x - x) < Math.abs(best.x - x))) best = mark;
			if (best) this.on.failed(best.revision, best.whats, { x: best.x, y: this.rail.offsetTop - this.host.offsetTop });
			else this.on.leave();
		});
		this.rail.addEventListener('mouseleave', () => this.on.leave());
		this.rail.addEventListener('click', (event) => {
			const mark = (this.marks || []).find((m) => Math.abs(m.x - event.offsetX) < 9);
			if (mark) this.on.pick(null, mark.revision);
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
		const colours = this.colours || palette();
		const { left, width } = this.frame();
		const all = this.whole();
		const x = (r) => left + ((r - all.min) / (all.max - all.min)) * width;
		context.fillStyle = colours.soft;
		context.fillRect(left, 0, width, height);
		for (const line of this.lines.slice(0, MANY_LINES)) strokeLine(context, line, 0, this.last, x, 6, height - 6, this.fade(this.colourOf(line), 0.7), 1);
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
		if (!useful) return;
		this.painted ??= this.paintOverview();
		const { context, height } = prepareCanvas(this.overview);
		const colours = this.colours || palette();
		const { left, width } = this.frame();
		const all = this.whole();
		const x = (r) => left + ((r - all.min) / (all.max - all.min)) * width;
		if (this.painted.width > 0 && this.painted.height > 0) context.drawImage(this.painted, 0, 0, this.overview.clientWidth, height);
		if (this.view.max - this.view.min >= all.max - all.min) return;
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
			return all.min + ((event.offsetX - left) / width) * (all.max - all.min);
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
}
