/* Input: pointer, wheel and keys of the chart. */
import { ChartStrips } from './chart_strips.js';
import { colourOf } from './chart_line.js';
import { svg } from './dom.js';

export class ChartInput extends ChartStrips {
	/** The value of a line nearest to a revision within reach, or null. */
	nearest(line, at, reach) {
		for (let d = 0; d <= reach; d++) for (const r of d === 0 ? [at] : [at - d, at + d]) if (this.transform(line, line.value[r]) !== null) return r;
		return null;
	}

	bind() {
		this.dot = svg('circle', { r: 4.5, stroke: 'var(--card)', 'stroke-width': 2, visibility: 'hidden' });
		this.selection = svg('rect', { fill: 'var(--accent)', 'fill-opacity': 0.16, visibility: 'hidden' });
		this.pointer = svg('g.pointer', this.selection, this.dot);
		this.bindPointer();
		this.bindKeys();
		this.bindOverview();
	}

	/** One that moves with the button down selects, with Shift pans; one that does not move is a click. */
	bindPointer() {
		const { host } = this;
		const at = (event) => event.clientX - host.getBoundingClientRect().left;
		let start = null;
		host.addEventListener('pointerdown', (event) => {
			if (event.button !== 0 || this.lines.length === 0) return;
			start = { x: at(event), view: this.view, pan: event.shiftKey, moved: false };
			host.setPointerCapture(event.pointerId);
		});
		host.addEventListener('pointermove', (event) => {
			if (start === null) return this.follow(at(event), event.clientY - host.getBoundingClientRect().top);
			const by = at(event) - start.x;
			start.moved ||= Math.abs(by) >= 4;
			if (start.moved && start.pan) return this.setView(this.shifted(start.view, -this.revisionsIn(by)));
			return start.moved && this.select(start.x, at(event));
		});
		host.addEventListener('pointerup', (event) => {
			if (start === null) return;
			const { x, moved, pan } = start;
			start = null;
			this.selection.setAttribute('visibility', 'hidden');
			const ends = [x, at(event)].sort((a, b) => a - b).map((end) => this.revisionAt(end));
			if (moved && !pan) this.setView({ min: ends[0], max: ends[1] });
			else if (!moved && this.overJump) this.on.jump(this.overJump);
			else if (!moved && this.cursor) this.on.pick(this.cursor.line, this.cursor.revision);
		});
		host.addEventListener('pointercancel', () => (start = null));
		host.addEventListener('pointerleave', () => this.leave());
		host.addEventListener('dblclick', () => this.setView(this.whole()));
		host.addEventListener('wheel', (event) => this.wheel(event, at(event)), { passive: false });
	}

	select(from, to) {
		const { top, height } = this.frame;
		const place = { x: Math.min(from, to), y: top, width: Math.abs(to - from), height, visibility: 'visible' };
		for (const [name, value] of Object.entries(place)) this.selection.setAttribute(name, value);
	}

	/** Point at the jump or the value beside the pointer. */
	follow(left, top) {
		if (this.lines.length === 0) return;
		const mark = this.places.find((place) => Math.hypot(place.x - left, place.y - top) < 11);
		this.overJump = mark ? mark.jump : null;
		this.host.classList.toggle('on-mark', Boolean(mark));
		const at = Math.round(this.revisionAt(left));
		const reach = Math.max(1, Math.round(this.revisionsIn(18)));
		let best = null;
		for (const line of mark ? [] : this.lines) {
			const r = this.nearest(line, at, reach);
			if (r === null) continue;
			const distance = Math.hypot((this.x(r) - left) * 0.6, this.yOf(line, r) - top);
			if (best === null || distance < best.distance) best = { line, revision: r, distance };
		}
		if (mark && mark.line.value[mark.jump.after] != null) this.point(mark.line, mark.jump.after);
		else if (best !== null) this.point(best.line, best.revision);
		else this.leave();
	}

	/** Put the dot and the tooltip on a value. */
	point(line, revision) {
		const place = { x: this.x(revision), y: this.yOf(line, revision) };
		this.cursor = { line, revision };
		const shape = { cx: place.x, cy: place.y, fill: line.reused.has(revision) ? 'var(--card)' : colourOf(line), visibility: 'visible' };
		for (const [name, value] of Object.entries(shape)) this.dot.setAttribute(name, value);
		this.on.hover(line, revision, place);
	}

	leave() {
		this.dot.setAttribute('visibility', 'hidden');
		this.on.leave();
	}

	setView({ min, max }) {
		const all = this.whole();
		const span = Math.min(Math.max(max - min, 3), all.max - all.min);
		const middle = (min + max) / 2;
		const from = Math.min(Math.max(middle - span / 2, all.min), all.max - span);
		this.view = { min: from, max: from + span };
		this.leave();
		this.draw();
		this.drawWindow();
	}

	/** factor below 1 zooms in; around is a revision, by default the middle. */
	zoom(factor, around = (this.view.min + this.view.max) / 2) {
		this.setView({ min: around - (around - this.view.min) * factor, max: around + (this.view.max - around) * factor });
	}

	shifted({ min, max }, revisions) {
		return { min: min + revisions, max: max + revisions };
	}

	pan(revisions) {
		this.setView(this.shifted(this.view, revisions));
	}

	/** Without a key and without the focus the wheel scrolls the page, as everywhere. */
	wheel(event, x) {
		const focused = document.activeElement === this.host;
		const across = Math.abs(event.deltaX) > Math.abs(event.deltaY);
		if (!(event.ctrlKey || event.metaKey || event.shiftKey || focused || across) || this.lines.length === 0) return;
		event.preventDefault();
		if (across || event.shiftKey) this.pan(this.revisionsIn(event.deltaX || event.deltaY));
		else this.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006), this.revisionAt(x));
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
				Escape: () => this.leave(),
			};
			if (this.lines.length === 0 || !(event.key in actions) || event.ctrlKey || event.metaKey || event.altKey) return;
			event.preventDefault();
			actions[event.key]();
		});
	}

	/** Move the cursor to the next value of its line. */
	walk(direction) {
		const line = this.cursor ? this.cursor.line : this.lines[0];
		let r = this.cursor ? this.cursor.revision : direction > 0 ? Math.ceil(this.view.min) - 1 : Math.floor(this.view.max) + 1;
		do r += direction;
		while (r >= 0 && r <= this.last && this.transform(line, line.value[r]) === null);
		if (r < 0 || r > this.last) return;
		if (r < this.view.min || r > this.view.max) this.pan(r - (this.view.min + this.view.max) / 2);
		this.point(line, r);
	}

	/** Move the cursor to another line, at the same revision where it has a value there. */
	change(direction) {
		const at = this.cursor ? this.lines.indexOf(this.cursor.line) : 0;
		const line = this.lines[(at + direction + this.lines.length) % this.lines.length];
		const r = this.nearest(line, this.cursor ? this.cursor.revision : Math.round(this.view.max), this.last);
		if (r !== null) this.point(line, r);
	}
}
