/*
 * Tree chart: a tree of boxes that can be walked, zoomed and moved. It knows nothing of what the boxes mean: a
 * view supplies the layout (blueprint_layout.js) and draws each box. Only what is in sight stands in the
 * document, so that its size depends on the screen and not on the tree.
 *
 * For those who hear it: the picture is a tree whose items are the boxes that are in sight, and the one that is
 * selected is its active descendant; the focus itself stays on the picture.
 */
import { el, svg } from './dom.js';

const LEAST = 0.02;
const MOST = 4;
const LEGIBLE = 0.55; /* under this scale labels are left out */
let charts = 0;

export class TreeChart {
	/**
	 * @param label    what the picture is, in words
	 * @param drawing  { box(group, box): draw into a group,
	 *                 pick(node), open(node), hover(node|null, x, y), patterns: [elements] }
	 */
	constructor(label, drawing) {
		this.id = `tree-chart-${charts++}`;
		this.drawing = drawing;
		this.view = { x: 0, y: 0, k: 1 };
		this.layout = null;
		this.selected = null;
		this.hits = new Set();
		this.edges = svg('g.pic-edges', { 'aria-hidden': 'true' });
		this.boxes = svg('g.pic-boxes', { role: 'presentation' });
		this.stage = svg('g', { role: 'presentation' }, this.edges, this.boxes);
		this.picture = svg('svg.pic', { role: 'presentation' }, svg('defs', ...(drawing.patterns ? drawing.patterns() : [])), this.stage);
		this.element = el('div.bp-chart', { tabIndex: 0, role: 'tree', 'aria-label': label }, this.picture);
		this.drawn = new Map();
		this.frame = 0;
		this.listen();
	}

	/* ---- what is seen ---- */

	/** Take another layout; `anchor` is a node that is to stay where it is on the screen. */
	show(layout, anchor) {
		const before = this.place(anchor);
		this.layout = layout;
		const after = this.place(anchor);
		if (before && after) {
			this.view.x += (before.x - after.x) * this.view.k;
			this.view.y += (before.y - after.y) * this.view.k;
		}
		this.clear();
		this.draw();
	}

	/** The box of a node; undefined where it has none. */
	place(node) {
		return this.layout?.of.get(node);
	}

	size() {
		const { clientWidth, clientHeight } = this.element;
		return { width: clientWidth || 800, height: clientHeight || 500 };
	}

	/** All of it in sight; not so small that it cannot be read when `legible` is asked for. */
	fit(legible) {
		if (!this.layout) return;
		const { box } = this.layout;
		const { width, height } = this.size();
		const margin = 18;
		let k = Math.min((width - 2 * margin) / Math.max(1, box.width), (height - 2 * margin) / Math.max(1, box.height), 1.5);
		k = Math.max(LEAST, legible && k < 0.75 ? 0.9 : k);
		this.view.k = k;
		this.view.x = (width - box.width * k) / 2 - box.x * k;
		this.view.y = box.height * k > height - 2 * margin ? margin : Math.min((height - box.height * k) / 2, 40);
		if (box.width * k > width - 2 * margin) this.centreOn(this.layout.boxes[0]);
		this.later();
	}

	/** Move sideways until the middle of a box is in the middle. */
	centreOn(box) {
		this.view.x = this.size().width / 2 - (box.x + box.width / 2) * this.view.k;
	}

	/** Move as little as brings a node into sight. */
	bringIn(node) {
		const at = this.place(node);
		if (!at) return;
		const { width, height } = this.size();
		const { view } = this;
		const margin = 24;
		const left = at.x * view.k + view.x;
		const right = (at.x + at.reach) * view.k + view.x;
		const top = at.y * view.k + view.y;
		const bottom = (at.y + Math.max(at.height, 30)) * view.k + view.y;
		if (right > width - margin) view.x -= right - width + margin;
		if (left < margin) view.x += margin - Math.min(left, left - Math.max(0, right - width + margin));
		if (bottom > height - margin) view.y -= bottom - height + margin;
		if (top < margin) view.y += margin - top;
		this.later();
	}

	zoom(factor, x, y) {
		const { width, height } = this.size();
		const { view } = this;
		const px = x === undefined ? width / 2 : x;
		const py = y === undefined ? height / 2 : y;
		const k = Math.min(MOST, Math.max(LEAST, view.k * factor));
		view.x = px - (px - view.x) * (k / view.k);
		view.y = py - (py - view.y) * (k / view.k);
		view.k = k;
		this.later();
	}

	pan(dx, dy) {
		this.view.x += dx;
		this.view.y += dy;
		this.later();
	}

	/* ---- drawing ---- */

	clear() {
		this.boxes.replaceChildren();
		this.drawn.clear();
	}

	/** Draw before the next frame, once. */
	later() {
		if (this.frame === 0)
			this.frame = requestAnimationFrame(() => {
				this.frame = 0;
				this.draw();
			});
	}

	/** What is in sight, in the picture's own pixels, and some around it. */
	sight() {
		const { x, y, k } = this.view;
		const { width, height } = this.size();
		const slack = 200;
		return this.printing
			? { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity }
			: { left: (-x - slack) / k, right: (width - x + slack) / k, top: (-y - slack) / k, bottom: (height - y + slack) / k };
	}

	/** On paper all of it is in sight: there is nothing to move. */
	print(on) {
		this.printing = on;
		if (on && this.layout) {
			const { x, y, width, height } = this.layout.box;
			this.picture.setAttribute('viewBox', `${x - 8} ${y - 8} ${width + 16} ${height + 16}`);
		} else {
			this.picture.removeAttribute('viewBox');
		}
		this.draw();
	}

	draw() {
		const { layout, view } = this;
		if (!layout) return;
		const { left, right, top, bottom } = this.sight();
		this.stage.setAttribute('transform', this.printing ? '' : `translate(${view.x.toFixed(2)} ${view.y.toFixed(2)}) scale(${view.k.toFixed(4)})`);
		this.picture.classList.toggle('pic-far', !this.printing && view.k < LEGIBLE);
		const seen = new Set();
		let path = '';
		for (const box of layout.boxes) {
			const { x, y } = box;
			path += this.edgesOf(box, left, right, top, bottom);
			if (y > bottom || y + Math.max(box.height, 30) < top || x > right || x + box.reach < left) continue;
			seen.add(box);
			if (!this.drawn.has(box)) this.drawBox(box);
		}
		for (const [box, group] of this.drawn)
			if (!seen.has(box)) {
				group.remove();
				this.drawn.delete(box);
			}
		this.edges.replaceChildren(svg('path', { d: path }));
		this.mark();
	}

	/* From the foot of a box to the heads of its children: down, across, down; a stack hangs on a line of its own. */
	edgesOf(box, left, right, top, bottom) {
		if (box.below.length === 0) return '';
		const from = box.y + box.height;
		const to = box.below[0].y;
		const middle = ({ x, width }) => x + width / 2;
		const bend = to - 11;
		let low = middle(box);
		let high = low;
		let deepest = to;
		let drops = '';
		const spines = new Map();
		for (const child of box.below) {
			const at = child.spine ?? middle(child);
			low = Math.min(low, at);
			high = Math.max(high, at);
			deepest = Math.max(deepest, child.y);
			if (at < left || at > right) continue;
			if (child.spine === null) {
				drops += `M${at.toFixed(1)} ${bend.toFixed(1)}V${to.toFixed(1)}`;
				continue;
			}
			const level = child.y + Math.min(child.height / 2, 12);
			spines.set(at, level);
			drops += `M${at.toFixed(1)} ${level.toFixed(1)}H${child.x.toFixed(1)}`;
		}
		if (from > bottom || deepest < top || high < left || low > right) return '';
		for (const [at, level] of spines) drops += `M${at.toFixed(1)} ${bend.toFixed(1)}V${level.toFixed(1)}`;
		const across = high - low > 0.5 ? `M${Math.max(low, left).toFixed(1)} ${bend.toFixed(1)}H${Math.min(high, right).toFixed(1)}` : '';
		return `M${middle(box).toFixed(1)} ${from.toFixed(1)}V${bend.toFixed(1)}${across}${drops}`;
	}

	drawBox(box) {
		const group = this.group(box);
		this.drawn.set(box, group);
		this.boxes.append(group);
	}

	group(box) {
		const { node, x, y, depth } = box;
		const group = svg('g.pic-node', {
			id: `${this.id}-${node}`,
			transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})`,
			role: 'treeitem',
			'aria-level': depth + 1,
			'aria-selected': 'false',
		});
		group.dataset.node = node;
		this.drawing.box(group, box);
		return group;
	}

	/** Mark the selected box and those that a search found. */
	mark() {
		for (const [{ node }, group] of this.drawn) {
			group.classList.toggle('pic-selected', node === this.selected);
			group.classList.toggle('pic-hit', this.hits.has(node));
			group.setAttribute('aria-selected', String(node === this.selected));
		}
		if (this.drawn.has(this.place(this.selected))) this.element.setAttribute('aria-activedescendant', `${this.id}-${this.selected}`);
		else this.element.removeAttribute('aria-activedescendant');
	}

	select(node, { bringIn = true } = {}) {
		this.selected = node;
		if (bringIn) this.bringIn(node);
		this.draw();
	}

	/** Where a key leads from the selected node, or the root where that is not shown: to its caller, its first callee, a neighbour in its row, the root; null: nowhere. */
	towards(key) {
		const { boxes } = this.layout;
		const box = this.place(this.selected) ?? boxes[0];
		const row = boxes.filter(({ depth }) => depth === box.depth);
		const i = row.indexOf(box);
		const to = { ArrowUp: box.above, ArrowDown: box.below[0], ArrowLeft: row[i - 1], ArrowRight: row[i + 1], Home: boxes[0] }[key];
		return to?.node ?? null;
	}

	/** All of it as one group, for a file. */
	whole() {
		let path = '';
		const boxes = svg('g.pic-boxes');
		for (const box of this.layout.boxes) {
			path += this.edgesOf(box, -Infinity, Infinity, -Infinity, Infinity);
			const group = this.group(box);
			for (const attribute of ['id', 'role', 'aria-level', 'aria-selected', 'aria-expanded', 'aria-label']) group.removeAttribute(attribute);
			boxes.append(group);
		}
		return svg('g', svg('defs', ...(this.drawing.patterns ? this.drawing.patterns() : [])), svg('g.pic-edges', svg('path', { d: path })), boxes);
	}

	/* ---- hands ---- */

	nodeAt(target) {
		const group = target instanceof Element ? target.closest('.pic-node') : null;
		return group && this.boxes.contains(group) ? Number(group.dataset.node) : null;
	}

	point(event) {
		const box = this.element.getBoundingClientRect();
		return [event.clientX - box.left, event.clientY - box.top];
	}

	listen() {
		const { element } = this;
		element.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
		this.listenToDrag();
		element.addEventListener('dblclick', (event) => {
			const node = this.nodeAt(event.target);
			if (node !== null && this.drawing.open) this.drawing.open(node);
		});
		element.addEventListener('pointermove', (event) => {
			if (this.drag && this.drag.moved) return;
			this.drawing.hover(this.nodeAt(event.target), event.clientX, event.clientY);
		});
		element.addEventListener('pointerleave', () => this.drawing.hover(null));
		new ResizeObserver(() => this.later()).observe(element);
		this.listeners = new AbortController();
		const { signal } = this.listeners;
		addEventListener('beforeprint', () => this.print(true), { signal });
		addEventListener('afterprint', () => this.print(false), { signal });
	}

	wheel(event) {
		event.preventDefault();
		const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
		if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(-(event.deltaX || event.deltaY) * unit, 0);
		else this.zoom(Math.exp(-event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0015)), ...this.point(event));
	}

	release() {
		this.listeners.abort();
	}

	/* One finger or the mouse moves, two fingers zoom; what did not move was a click. */
	listenToDrag() {
		const { element } = this;
		const fingers = new Map();
		const spread = () => {
			const [a, b] = [...fingers.values()];
			return Math.hypot(a[0] - b[0], a[1] - b[1]);
		};
		element.addEventListener('pointerdown', (event) => {
			if (event.button !== 0) return;
			fingers.set(event.pointerId, this.point(event));
			this.drag = { at: this.point(event), moved: fingers.size > 1, node: this.nodeAt(event.target) };
		});
		element.addEventListener('pointermove', (event) => {
			if (!fingers.has(event.pointerId) || !this.drag) return;
			const at = this.point(event);
			if (fingers.size === 2) {
				const before = spread();
				fingers.set(event.pointerId, at);
				this.zoom(spread() / Math.max(1, before), ...at);
				return;
			}
			const [dx, dy] = [at[0] - this.drag.at[0], at[1] - this.drag.at[1]];
			if (!this.drag.moved && Math.hypot(dx, dy) < 4) return;
			if (!this.drag.moved) {
				this.drag.moved = true;
				element.setPointerCapture(event.pointerId);
				element.classList.add('bp-dragging');
				this.drawing.hover(null);
			}
			this.drag.at = at;
			fingers.set(event.pointerId, at);
			this.pan(dx, dy);
		});
		const end = (event) => {
			if (!fingers.delete(event.pointerId) || !this.drag) return;
			if (!this.drag.moved && event.type === 'pointerup' && this.drag.node !== null) this.drawing.pick(this.drag.node, { bringIn: false });
			if (fingers.size === 0) {
				this.drag = null;
				element.classList.remove('bp-dragging');
			}
		};
		element.addEventListener('pointerup', end);
		element.addEventListener('pointercancel', end);
	}
}

/** Buttons for what the wheel and the keys do too. */
export const zoomButtons = (chart) =>
	el(
		'span.zoom',
		{ role: 'group', 'aria-label': 'Zoom' },
		el('button', { 'aria-label': 'Zoom in', title: 'Zoom in (+)', onclick: () => chart.zoom(1.3) }, '+'),
		el('button', { 'aria-label': 'Zoom out', title: 'Zoom out (−)', onclick: () => chart.zoom(1 / 1.3) }, '−'),
		el('button', { title: 'Everything in sight (f)', dataset: { action: 'fit' }, onclick: () => chart.fit() }, 'Fit'),
	);

/** Keys of every picture that zooms; true when one was meant for it. */
export function zoomKey(chart, key) {
	const act = { '+': () => chart.zoom(1.3), '=': () => chart.zoom(1.3), '-': () => chart.zoom(1 / 1.3), f: () => chart.fit(), 0: () => chart.fit() }[key];
	if (act) act();
	return Boolean(act);
}
