/*
 * Flame chart: what the flame graph and the callers and callees of a method have in common: boxes in rows, whose widths are
 * what both sides took, that are walked, searched and saved. A view says which boxes there are.
 *
 * For those who hear it: the picture is a tree whose items are the boxes, and the selected one is its active descendant.
 */
import { METRICS, pairOf } from './blueprint_model.js';
import { choice, fitName, PairView, pictureName, plainName, TEXT_FONT, textWidth, typing } from './view_common.js';
import { el, savePicture, svg } from './dom.js';

export const ROW = 20;
const KINDS = { more: '+ takes more in new', less: '− takes less in new', none: '= no difference', added: '★ only in new', removed: '✕ only in old' };

/** How much of a colour: a difference of half the box's own value is all of it. */
const strength = (before, after) => Math.min(1, 0.15 + (1.7 * Math.abs(after - before)) / Math.max(1, before, after));

/** What became of a call; `state` is "added", "removed" or "both". */
export const kindOf = (state, before, after) => (state !== 'both' ? state : after > before ? 'more' : after < before ? 'less' : 'none');

/** x and width are pixels, y is a row. */
function drawBox({ x, y, width, kind, name, before, after, path, sign = KINDS[kind][0] }) {
	const group = svg('g', { class: `pic-node fl-node fl-${kind}`, transform: `translate(${x.toFixed(2)} ${y * ROW})` });
	const rect = svg('rect.fl-box', { width: Math.max(0.6, width - 0.6).toFixed(2), height: ROW - 1 });
	if (kind === 'more' || kind === 'less') rect.setAttribute('fill-opacity', strength(before, after).toFixed(2));
	group.append(svg('rect.fl-ground', { width: Math.max(0.6, width - 0.6).toFixed(2), height: ROW - 1 }), rect);
	if (path) group.append(svg('rect.tl-path', { y: ROW - 5, width: Math.max(0.6, width).toFixed(2), height: 4 }));
	const fitted = width > 34 ? fitName(name, width - 10 - textWidth(`${sign} `, TEXT_FONT), TEXT_FONT) : '';
	if (fitted.replace(/…/g, '').length >= 3 || (fitted !== '' && fitted === name)) group.append(svg('text.fl-text', { x: 4, y: 14 }, `${sign} ${fitted}`));
	else if (width > 16) group.append(svg('text.fl-text', { x: 4, y: 14 }, sign));
	return group;
}

/** The line of a picture that names both sides, in a row of its own. */
function caption({ entry }, y, width) {
	const name = (side) => plainName((entry && entry[side] && entry[side].name) || side);
	const text = `old: ${name('old')} · new: ${name('new')} · + red: new takes more · − blue: new takes less`;
	return svg('text.fl-caption', { x: 4, y: y * ROW + 15 }, fitName(text, width - 8, TEXT_FONT));
}

export const flameLegend = () =>
	el(
		'div.bp-legend',
		Object.entries(KINDS).map(([kind, text]) => el('span', el('span', { className: `fl-key ${kind}`, 'aria-hidden': 'true' }), text)),
	);

/**
 * A view has place(pixels), which returns the boxes: { node, x, width, y, kind, name, before, after, words, path?, sign? }, node being
 * unique among them; pick(node), a click, and where Enter and a double click do something else zoomTo(node); step(node) selects.
 */
export class FlameChart extends PairView {
	constructor(element, context, label, none) {
		super(element, context);
		this.pair = pairOf(context.comparison, context.pair);
		this.delta = this.pair.delta;
		const missing = this.missing(none);
		if (missing) {
			this.nothing(...missing);
			return;
		}
		this.bar = el('div.bar.bp-bar');
		this.picture = svg('svg.pic.fl-picture', { role: 'presentation' });
		this.box = el('div.fl-chart', { tabIndex: 0, role: 'tree', 'aria-label': label }, this.picture);
		this.spoken = el('p.spoken', { 'aria-live': 'polite' });
		this.query = el('input', { type: 'search', placeholder: 'Search methods', 'aria-label': 'Search methods and files', oninput: () => this.find() });
		this.hits = new Set();
		this.build();
		const nodeOf = (target) => {
			const group = target instanceof Element ? target.closest('.fl-node') : null;
			return group ? Number(group.dataset.node) : null;
		};
		this.box.addEventListener('click', (event) => nodeOf(event.target) !== null && this.pick(nodeOf(event.target)));
		this.box.addEventListener('dblclick', (event) => nodeOf(event.target) !== null && this.zoomTo?.(nodeOf(event.target)));
		this.box.addEventListener('pointermove', (event) => this.hover(nodeOf(event.target), event.clientX, event.clientY));
		this.box.addEventListener('pointerleave', () => this.hover(null));
		document.addEventListener('keydown', (event) => this.key(event), { signal: this.abort.signal });
		this.followWidth();
	}

	/** Why there is nothing to draw: a headline and a sentence; null: there is. */
	missing(none) {
		return this.delta ? null : ['No call trees', none];
	}

	/** Rows from one of boxes to the next. */
	get apart() {
		return 1;
	}

	caption(width) {
		return caption(this.context, this.nRows, width);
	}

	metricChoice() {
		const metrics = this.delta.metrics.map((metric) => [metric, METRICS[metric].label]);
		return choice('Metric', 'metric', metrics, this.metric, (metric) => this.set({ metric }));
	}

	/** Boxes as groups, with words for those who hear them. */
	groups(boxes) {
		return boxes.map((box) => {
			const group = drawBox(box);
			if (!this.tip) group.append(svg('title', box.words));
			group.dataset.node = box.node;
			group.id = `flame-${box.node}`;
			group.setAttribute('role', 'treeitem');
			group.setAttribute('aria-level', box.y + 1);
			group.setAttribute('aria-label', box.words);
			return group;
		});
	}

	draw() {
		this.total = Math.max(300, this.box.clientWidth);
		this.drawn = this.place(this.total);
		this.nRows = this.drawn.reduce((most, { y }) => Math.max(most, y), 0) + 1;
		this.picture.setAttribute('width', this.total);
		this.picture.setAttribute('height', (this.nRows + 1) * ROW);
		this.picture.replaceChildren(...this.groups(this.drawn), this.caption(this.total));
		this.box.dataset.boxes = this.drawn.length;
	}

	/** Show which box is selected, and which a search found. */
	mark() {
		for (const group of this.picture.querySelectorAll('.fl-node')) {
			const node = Number(group.dataset.node);
			group.classList.toggle('pic-selected', node === this.selected);
			group.classList.toggle('pic-hit', this.hits.has(node));
			group.setAttribute('aria-selected', String(node === this.selected));
		}
		const at = this.drawn.find(({ node }) => node === this.selected);
		if (at) this.box.setAttribute('aria-activedescendant', `flame-${at.node}`);
		this.spoken.textContent = at ? at.words : '';
	}

	/** To the widest box above or below the selected one, or to its neighbour. */
	walk(key) {
		const at = this.drawn.find(({ node }) => node === this.selected);
		if (!at) return false;
		const down = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
		const row = this.drawn.filter(({ y }) => y === at.y + down * this.apart).sort((a, b) => a.x - b.x);
		const touching = row.filter(({ x, width }) => x < at.x + at.width - 0.01 && x + width > at.x + 0.01).sort((a, b) => b.width - a.width);
		const to = down === 0 ? row[row.indexOf(at) + (key === 'ArrowRight' ? 1 : -1)] : touching[0];
		if (to) this.step(to.node);
		return to !== undefined;
	}

	key(event) {
		if (this.leaveSearch(event) || event.defaultPrevented || typing(event)) return;
		const onChart = this.box.contains(document.activeElement);
		if (event.key === '/') this.query.focus();
		else if (onChart && event.key === 'Enter') (this.zoomTo ?? this.pick).call(this, this.selected);
		else if (onChart && event.key.startsWith('Arrow')) this.walk(event.key);
		else if (!this.otherKey(event.key)) return;
		event.preventDefault();
	}

	/** Keys of one view alone; true when one was meant for it. */
	otherKey() {
		return false;
	}
	hover() {}

	save(name, title) {
		const size = { width: this.total, height: (this.nRows + 1) * ROW };
		savePicture(pictureName(this.context, name), size, [...this.picture.cloneNode(true).children], title);
	}
}
