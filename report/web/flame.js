/*
 * Flame: the delta tree as a differential flame graph, for those who think in them: callers above callees, what a
 * call takes with all below is its width, and its colour says what became of it. Only rows and boxes of a pixel
 * and more are drawn.
 */
import * as nodePanel from './node_panel.js';
import { METRICS, NONE, pairOf } from './blueprint_model.js';
import { Tip } from './box_menu.js';
import { asView, button, choice, PairView, percent, pictureName, saveSvg, typing } from './view_common.js';
import { card, el, svg } from './dom.js';
import { flameBox, flameCaption, flameLegend, kindOf, ROW } from './flame_box.js';
import { plural } from './model.js';
import { ESTIMATED, spoken } from './node_values.js';

const LEAST = 1;
const WIDTHS = [
	['both', 'larger of both', 'What was removed is seen too'],
	['new', 'new', 'The new execution'],
	['old', 'old', 'The old execution'],
];
const ORDERS = [
	['calls', 'by calls', 'Siblings in the order of their first call'],
	['largest', 'largest first', 'The widest sibling stands leftmost'],
];

class View extends PairView {
	constructor(element, context) {
		super(element, context);
		this.pair = pairOf(context.comparison, context.pair);
		this.delta = this.pair.delta;
		if (this.delta === null) {
			const why = this.pair.raw.problem || 'There is nothing to draw a flame graph of.';
			this.nothing(this.pair.raw.same ? 'Both sides execute the same' : 'No call trees', why);
			return;
		}
		this.root = this.known(context.state.root) ?? 0;
		this.selected = this.known(context.state.node) ?? this.root;
		this.hits = new Set();
		this.build();
	}

	known(text) {
		const node = Number(text);
		return text !== undefined && Number.isInteger(node) && node >= 0 && node < this.delta.n ? node : null;
	}

	get width() {
		return ['new', 'old', 'both'].includes(this.context.state.width) ? this.context.state.width : 'both';
	}

	get order() {
		return this.context.state.order === 'largest' ? 'largest' : 'calls';
	}

	build() {
		this.bar = el('div.bar.bp-bar');
		this.stage = svg('g');
		this.picture = svg('svg.pic.fl-picture', { role: 'presentation' }, this.stage);
		this.box = el('div.fl-chart', { tabIndex: 0, role: 'tree', 'aria-label': 'Differential flame graph' }, this.picture);
		this.crumbs = el('nav.bp-crumbs', { 'aria-label': 'What the graph is zoomed to' });
		this.tip = new Tip();
		this.spoken = el('p.spoken', { 'aria-live': 'polite' });
		this.says = el('p.fl-says');
		this.query = el('input', { type: 'search', placeholder: 'Search methods', 'aria-label': 'Search methods and files', oninput: () => this.find() });
		this.count = el('span.dim.bp-hits', { 'aria-live': 'polite' });
		this.details = el('div');
		const help = el('p.help.dim', 'A click selects, a double click or Enter zooms to a call, Escape zooms out; arrows walk.');
		const graph = card('Flame graph', this.bar, this.crumbs, this.box, this.says, flameLegend(), help, this.spoken);
		this.element.append(graph, el('section.card.bp-details', { 'aria-label': 'The selected call' }, this.details), this.tip.element);
		this.listen();
		this.fillBar();
		this.draw();
		this.pick(this.selected, false);
	}

	fillBar() {
		const { delta } = this;
		const metrics = delta.metrics.map((m) => [m, METRICS[m].label]);
		this.bar.replaceChildren(
			choice('Metric', 'metric', metrics, this.metric, (metric) => this.set({ metric })),
			choice('Width', 'width', WIDTHS, this.width, (width) => this.set({ width })),
			choice('Order', 'order', ORDERS, this.order, (order) => this.set({ order })),
			el('span.grow'),
			el('span.bp-search', this.query, this.count),
			button('Zoom out', 'Back to the root', () => this.zoomTo(0), 'Escape'),
			button('SVG', 'Save what is shown as a picture', () => this.save()),
		);
	}

	set(changes) {
		this.memory.set(changes);
		const chosen = ['metric', 'width', 'order'].find((name) => changes[name]);
		if (chosen) {
			this.fillBar();
			this.draw();
			this.pick(this.selected, false);
			this.bar.querySelector(`[data-choice="${chosen}"] [aria-pressed="true"]`).focus({ preventScroll: true });
		}
	}

	/**
	 * What each box is as wide as. Of both sides it is the larger one, and never less than its children
	 * together: calls that took each other's place stand beside each other.
	 */
	values() {
		const { delta, metric, width } = this;
		return delta.keep(`flame ${metric} ${width}`, () => {
			const out = new Float64Array(delta.n);
			const below = new Float64Array(delta.n);
			for (let i = delta.n - 1; i >= 0; i--) {
				const [before, after] = delta.values(i, metric, 'total');
				out[i] = Math.max(width === 'old' ? before : width === 'new' ? after : Math.max(before, after), below[i]);
				if (i > 0) below[delta.parent[i]] += out[i];
			}
			return out;
		});
	}

	/** Where the children of a node begin, in pixels. */
	placeChildren(starts, node, scale) {
		const { delta } = this;
		const values = this.values();
		const children = [];
		for (let c = node + 1; c < delta.end[node]; c = delta.end[c]) children.push(c);
		if (this.order === 'largest') children.sort((a, b) => values[b] - values[a] || a - b);
		let x = starts.get(node);
		for (const child of children) {
			starts.set(child, x);
			x += values[child] * scale;
		}
	}

	/** Boxes of a pixel and more below the root that is zoomed to: [node, x, width, row]. */
	place(total) {
		const { delta, root } = this;
		const values = this.values();
		const scale = values[root] > 0 ? total / values[root] : 0;
		const boxes = [];
		const starts = new Map([[root, 0]]);
		for (let i = root; i < delta.end[root];) {
			const width = values[i] * scale;
			if (width < LEAST && i !== root) {
				i = delta.end[i];
				continue;
			}
			this.placeChildren(starts, i, scale);
			boxes.push([i, starts.get(i), width, delta.depth[i] - delta.depth[root]]);
			i++;
		}
		return boxes;
	}

	group([node, x, width, y], hear) {
		const { delta, metric } = this;
		const [before, after] = delta.values(node, metric, 'total');
		const group = flameBox({ x, y, width, kind: kindOf(delta.state(node), before, after), name: delta.name(node), before, after });
		group.dataset.node = node;
		if (hear) {
			group.id = `flame-${node}`;
			group.setAttribute('role', 'treeitem');
			group.setAttribute('aria-level', y + 1);
			group.setAttribute('aria-label', spoken(delta, node, metric, 'time'));
		}
		return group;
	}

	draw() {
		const total = Math.max(300, this.box.clientWidth);
		const boxes = this.place(total);
		const rows = boxes.reduce((most, one) => Math.max(most, one[3]), 0) + 1;
		this.drawn = boxes.map(([node]) => node);
		this.left = new Map(boxes.map(([node, x]) => [node, x]));
		this.stage.replaceChildren(...boxes.map((one) => this.group(one, true)));
		this.picture.replaceChildren(this.stage, flameCaption(this.context, rows, total));
		this.height = (rows + 1) * ROW;
		this.total = total;
		this.picture.setAttribute('width', total);
		this.picture.setAttribute('height', this.height);
		this.box.dataset.boxes = boxes.length;
		this.box.dataset.root = this.root;
		this.crumbs.replaceChildren(nodePanel.crumbs(this.delta, this.root, (node) => this.zoomTo(node)));
		const values = this.values();
		const hidden = values[this.root] === 0;
		const estimated = this.metric === 'instructions' ? `${ESTIMATED}.` : '';
		this.says.textContent = hidden ? `This call has no ${METRICS[this.metric].noun} on the side that was chosen.` : estimated;
		this.mark();
	}

	mark() {
		for (const group of this.stage.children) {
			const node = Number(group.dataset.node);
			group.classList.toggle('pic-selected', node === this.selected);
			group.classList.toggle('pic-hit', this.hits.has(node));
			group.setAttribute('aria-selected', String(node === this.selected));
		}
		if (this.drawn.includes(this.selected)) this.box.setAttribute('aria-activedescendant', `flame-${this.selected}`);
	}

	zoomTo(node) {
		this.root = node;
		this.set({ root: String(node) });
		this.draw();
		this.pick(this.drawn.includes(this.selected) ? this.selected : node);
	}

	pick(node, remember = true) {
		this.selected = node;
		this.mark();
		const { delta, metric } = this;
		const link = el('p', el('a', { href: this.context.href('blueprint', { node: String(node) }) }, 'open in the blueprint'));
		this.details.replaceChildren(nodePanel.about(delta, node, metric, 'time', link));
		this.spoken.textContent = spoken(delta, node, metric, 'time');
		if (remember) this.set({ node: String(node) });
	}

	find() {
		const text = this.query.value.trim();
		this.hits = new Set(text === '' ? [] : this.delta.find(text));
		let sum = 0;
		let until = -1;
		for (const node of this.hits) {
			/* a hit inside another one is part of it already */
			if (node >= until) {
				sum += this.delta.values(node, this.metric, 'total')[1];
				until = this.delta.end[node];
			}
		}
		const total = this.delta.values(0, this.metric, 'total')[1];
		this.count.textContent =
			text === '' ? '' : `${plural(this.hits.size, 'hit')}${this.hits.size > 0 && total > 0 ? `, ${percent(sum / total).slice(1)} of new` : ''}`;
		this.mark();
	}

	walk(key) {
		const { delta } = this;
		const drawn = new Set(this.drawn);
		const node = this.selected;
		let to = NONE;
		if (key === 'ArrowUp') to = node === this.root ? NONE : delta.parent[node];
		else if (key === 'ArrowDown') {
			const values = this.values();
			for (let c = node + 1; c < delta.end[node]; c = delta.end[c]) if (drawn.has(c) && (to === NONE || values[c] > values[to])) to = c;
		} else {
			const row = this.drawn.filter((one) => delta.depth[one] === delta.depth[node]).sort((a, b) => this.left.get(a) - this.left.get(b));
			to = row[row.indexOf(node) + (key === 'ArrowRight' ? 1 : -1)] ?? NONE;
		}
		if (to !== NONE && drawn.has(to)) this.pick(to);
	}

	listen() {
		const { signal } = this.abort;
		const nodeOf = (target) => {
			const group = target instanceof Element ? target.closest('.fl-node') : null;
			return group ? Number(group.dataset.node) : null;
		};
		this.box.addEventListener('click', (event) => nodeOf(event.target) !== null && this.pick(nodeOf(event.target)));
		this.box.addEventListener('dblclick', (event) => nodeOf(event.target) !== null && this.zoomTo(nodeOf(event.target)));
		this.box.addEventListener('pointermove', (event) => this.hover(nodeOf(event.target), event.clientX, event.clientY));
		this.box.addEventListener('pointerleave', () => this.hover(null));
		document.addEventListener('keydown', (event) => this.key(event), { signal });
		this.followWidth();
	}

	key(event) {
		if (this.leaveSearch(event) || event.defaultPrevented || typing(event)) return;
		const onChart = this.box.contains(document.activeElement);
		if (event.key === '/') this.query.focus();
		else if (event.key === 'Escape' || event.key === 'f') this.zoomTo(0);
		else if (onChart && event.key === 'Enter') this.zoomTo(this.selected);
		else if (onChart && event.key.startsWith('Arrow')) this.walk(event.key);
		else return;
		event.preventDefault();
	}

	hover(node, x, y) {
		const { delta, metric } = this;
		if (node === null) this.tip.hide();
		else this.tip.show(node, x, y, (at) => nodePanel.hover(delta, at, metric, 'time'));
	}

	save() {
		const boxes = this.place(this.total).map((one) => this.group(one, false));
		const whole = svg('g', ...boxes, flameCaption(this.context, this.height / ROW - 1, this.total));
		saveSvg(pictureName(this.context, 'flame-graph.svg'), whole, { x: 0, y: 0, width: this.total, height: this.height }, 'Differential flame graph');
	}
}

export const flame = asView('Flame graph', View, [
	['↑ ↓ ← →', 'to the caller, the largest callee, a neighbour'],
	['Enter', 'zoom to the selected call'],
	['Escape', 'zoom out'],
	['/', 'search methods and files'],
]);
