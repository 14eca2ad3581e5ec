/* Input: pointer, wheel and keys of the chart. */
import { ChartStrips } from './chart_strips.js';

export class ChartInput extends ChartStrips {
	/** The value of a line nearest to a revision within reach, or null. */
	nearest(line, at, reach) {
		for (let d = 0; d <= reach; d++) for (const r of d === 0 ? [at] : [at - d, at + d]) if (line.value[r] != null) return r;
		return null;
	}

	follow(u) {
		const { left, top } = u.cursor;
		if (left == null || left < 0) return;
		const mark = (this.places || []).find((place) => Math.hypot(place.x - left, place.y - top) < 11);
		this.overJump = mark ? mark.jump : null;
		u.over.classList.toggle('on-mark', Boolean(mark));
		if (mark && mark.line.value[mark.jump.after] != null) {
			this.point(mark.line, mark.jump.after);
			return;
		}
		const at = Math.round(u.posToVal(left, 'x'));
		const reach = Math.max(1, Math.round((18 * (this.view.max - this.view.min)) / u.over.clientWidth));
		let best = null;
		for (const line of this.lines) {
			const r = this.nearest(line, at, reach);
			if (r === null) continue;
			const x = u.valToPos(r, 'x');
			const y = u.valToPos(this.transform(line, line.value[r]), 'y');
			const distance = Math.hypot((x - left) * 0.6, y - top);
			if (best === null || distance < best.distance) best = { line, revision: r, distance };
		}
		if (best === null) this.leave();
		else this.point(best.line, best.revision);
	}

	/** Put the dot and the tooltip on a value. */
	point(line, revision) {
		const u = this.plot;
		const x = u.valToPos(revision, 'x');
		const y = u.valToPos(this.transform(line, line.value[revision]), 'y');
		this.cursor = { line, revision };
		this.dot.hidden = false;
		this.dot.style.left = `${x}px`;
		this.dot.style.top = `${y}px`;
		this.dot.style.background = line.reused.has(revision) ? this.colours.card : this.colourOf(line);
		this.on.hover(line, revision, { x: x + u.over.offsetLeft, y: y + u.over.offsetTop });
	}

	leave() {
		if (this.dot) this.dot.hidden = true;
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
		if (this.plot) this.plot.setScale('x', this.view);
		this.leave();
		this.drawRail();
		this.drawOverview();
	}

	/** factor below 1 zooms in; around is a revision, by default the middle. */
	zoom(factor, around = (this.view.min + this.view.max) / 2) {
		this.setView({ min: around - (around - this.view.min) * factor, max: around + (this.view.max - around) * factor });
	}

	pan(revisions) {
		this.setView({ min: this.view.min + revisions, max: this.view.max + revisions });
	}

	/** Without a key and without the focus the wheel scrolls the page, as everywhere. */
	wheel(event) {
		const focused = document.activeElement === this.host;
		const across = Math.abs(event.deltaX) > Math.abs(event.deltaY);
		if (!(event.ctrlKey || event.metaKey || event.shiftKey || focused || across)) return;
		event.preventDefault();
		const perPixel = (this.view.max - this.view.min) / this.plot.over.clientWidth;
		if (across || event.shiftKey) this.pan((event.deltaX || event.deltaY) * perPixel);
		else
			this.zoom(
				Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006),
				this.plot.posToVal(event.clientX - this.plot.over.getBoundingClientRect().left, 'x'),
			);
	}

	startPan(event) {
		const { view } = this;
		const perPixel = (view.max - view.min) / this.plot.over.clientWidth;
		const move = (e) => this.setView({ min: view.min - (e.clientX - event.clientX) * perPixel, max: view.max - (e.clientX - event.clientX) * perPixel });
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
				'+': () => this.zoom(0.6),
				'=': () => this.zoom(0.6),
				'-': () => this.zoom(1 / 0.6),
				0: () => this.setView(this.whole()),
				ArrowLeft: () => (event.shiftKey ? this.pan(-step()) : this.walk(-1)),
				ArrowRight: () => (event.shiftKey ? this.pan(step()) : this.walk(1)),
				ArrowUp: () => this.change(-1),
				ArrowDown: () => this.change(1),
				Enter: () => this.cursor && this.on.pick(this.cursor.line, this.cursor.revision),
				Escape: () => {
					this.leave();
				},
			};
			if (!this.plot || !(event.key in actions) || event.ctrlKey || event.metaKey || event.altKey) return;
			event.preventDefault();
			actions[event.key]();
		});
	}

	/** Move the cursor to the next value of its line. */
	walk(direction) {
		const line = this.cursor ? this.cursor.line : this.lines[0];
		const from = this.cursor ? this.cursor.revision : direction > 0 ? Math.ceil(this.view.min) - 1 : Math.floor(this.view.max) + 1;
		for (let r = from + direction; r >= 0 && r <= this.last; r += direction) {
			if (line.value[r] == null) continue;
			if (r < this.view.min || r > this.view.max) this.pan(r - (this.view.min + this.view.max) / 2);
			queueMicrotask(() => this.point(line, r)); /* uPlot settles its scales in a microtask */
			return;
		}
	}

	/** Move the cursor to another line, at the same revision where it has a value there. */
	change(direction) {
		const at = this.cursor ? this.lines.indexOf(this.cursor.line) : 0;
		const line = this.lines[(at + direction + this.lines.length) % this.lines.length];
		const r = this.nearest(line, this.cursor ? this.cursor.revision : Math.round(this.view.max), this.last);
		if (r !== null) this.point(line, r);
	}
}
