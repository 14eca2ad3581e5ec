/*
 * Flame: the delta tree as a differential flame graph, for those who think in them: callers above callees, what a
 * call takes with all below is its width, and its colour says what became of it. Only rows and boxes of a pixel
 * and more are drawn.
 */
import * as nodePanel from './node_panel.js';
import { METRICS } from './blueprint_model.js';
import { asView, button, choice, percent, Tip } from './view_common.js';
import { card, el } from './dom.js';
import { FlameChart, flameLegend, kindOf } from './flame_chart.js';
import { icicle } from './sandwich.js';
import { plural } from './model.js';
import { ESTIMATED, spoken } from './node_values.js';

const WIDTHS = [
	['both', 'larger of both', 'What was removed is seen too'],
	['new', 'new', 'The new execution'],
	['old', 'old', 'The old execution'],
];
const ORDERS = [
	['calls', 'by calls', 'Siblings in the order of their first call'],
	['largest', 'largest first', 'The widest sibling stands leftmost'],
];

class View extends FlameChart {
	constructor(element, context) {
		super(element, context, 'Differential flame graph', 'There is nothing to draw a flame graph of.');
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
		this.root = this.known(this.context.state.root) ?? 0;
		this.selected = this.known(this.context.state.node) ?? this.root;
		this.crumbs = el('nav.bp-crumbs', { 'aria-label': 'What the graph is zoomed to' });
		this.tip = new Tip();
		this.says = el('p.fl-says');
		this.count = el('span.dim.bp-hits', { 'aria-live': 'polite' });
		this.details = el('div');
		const help = el('p.help.dim', 'A click selects, a double click or Enter zooms to a call, Escape zooms out; arrows walk.');
		const graph = card('Flame graph', this.bar, this.crumbs, this.box, this.says, flameLegend(), help, this.spoken);
		this.element.append(graph, el('section.card.bp-details', { 'aria-label': 'The selected call' }, this.details), this.tip.element);
		this.fillBar();
		this.draw();
		this.pick(this.selected, false);
	}

	fillBar() {
		this.bar.replaceChildren(
			this.metricChoice(),
			choice('Width', 'width', WIDTHS, this.width, (width) => this.set({ width })),
			choice('Order', 'order', ORDERS, this.order, (order) => this.set({ order })),
			el('span.grow'),
			el('span.bp-search', this.query, this.count),
			button('Zoom out', 'Back to the root', () => this.zoomTo(0), 'Escape'),
			button('SVG', 'Save what is shown as a picture', () => this.save('flame-graph', 'Differential flame graph')),
		);
	}

	set(changes) {
		this.memory.set(changes);
		this.fillBar();
		this.draw();
		this.pick(this.selected, false);
		this.bar.querySelector(`[data-choice="${Object.keys(changes)[0]}"] [aria-pressed="true"]`).focus({ preventScroll: true });
	}

	/** What each box is as wide as, and never less than its children together. Of both sides it is the larger one: calls that took each other's place stand beside each other. */
	values() {
		const { delta, metric, width } = this;
		return delta.keep(`flame ${metric} ${width}`, () => {
			const below = new Float64Array(delta.n + 1);
			const out = new Float64Array(delta.n);
			for (let i = delta.n - 1; i >= 0; i--) {
				const [before, after] = delta.values(i, metric, 'total');
				out[i] = Math.max(width === 'old' ? before : width === 'new' ? after : Math.max(before, after), below[i]);
				below[i > 0 ? delta.parent[i] : delta.n] += out[i];
			}
			return out;
		});
	}

	/** The children of a node, from left to right. */
	children(node) {
		const { delta } = this;
		const values = this.values();
		const children = [];
		for (let c = node + 1; c < delta.end[node]; c = delta.end[c]) children.push(c);
		return this.order === 'largest' ? children.sort((a, b) => values[b] - values[a] || a - b) : children;
	}

	/** Boxes below the root that is zoomed to. */
	place(total) {
		const { delta, root, metric } = this;
		const values = this.values();
		const boxes = icicle(
			root,
			total,
			(node) => values[node],
			(node) => this.children(node),
		);
		return boxes.map(({ node, x, width }) => {
			const [before, after] = delta.values(node, metric, 'total');
			const [kind, words] = [kindOf(delta.state(node), before, after), spoken(delta, node, metric, 'time')];
			return { node, x, width, y: delta.depth[node] - delta.depth[root], kind, name: delta.name(node), before, after, words };
		});
	}

	draw() {
		super.draw();
		this.box.dataset.root = this.root;
		this.crumbs.replaceChildren(nodePanel.crumbs(this.delta, this.root, (node) => this.zoomTo(node)));
		const hidden = this.values()[this.root] === 0;
		const estimated = this.metric === 'instructions' ? `${ESTIMATED}.` : '';
		this.says.textContent = hidden ? `This call has no ${METRICS[this.metric].noun} on the side that was chosen.` : estimated;
		this.mark();
	}

	zoomTo(node) {
		this.root = node;
		this.memory.set({ root: String(node) });
		this.draw();
		this.pick(this.drawn.some((box) => box.node === this.selected) ? this.selected : node);
	}

	pick(node, remember = true) {
		this.selected = node;
		this.mark();
		const link = el('p', el('a', { href: this.context.href('blueprint', { node: String(node) }) }, 'open in the blueprint'));
		this.details.replaceChildren(nodePanel.about(this.delta, node, this.metric, 'time', link));
		if (remember) this.memory.set({ node: String(node) });
	}

	step(node) {
		this.pick(node);
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

	otherKey(key) {
		if (key !== 'Escape' && key !== 'f') return false;
		this.zoomTo(0);
		return true;
	}

	hover(node, x, y) {
		const { delta, metric } = this;
		if (node === null) this.tip.hide();
		else this.tip.show(node, x, y, (at) => nodePanel.hover(delta, at, metric, 'time'));
	}
}

export const flame = asView('Flame graph', View, [
	['↑ ↓ ← →', 'to the caller, the largest callee, a neighbour'],
	['Enter', 'zoom to the selected call'],
	['Escape', 'zoom out'],
	['/', 'search methods and files'],
]);
