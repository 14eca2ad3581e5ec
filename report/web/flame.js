/*
 * Flame: the delta tree as a differential flame graph, for those who think in them: callers above callees, what a
 * call takes with all below is its width, and its colour says what became of it. Only rows and boxes of a pixel
 * and more are drawn.
 */
import * as nodePanel from './node_panel.js';
import { METRICS, NONE, pairOf } from './blueprint_model.js';
import { Tip } from './box_menu.js';
import { asView, button, choice, fitName, PairView, percent, pictureName, saveSvg, TEXT_FONT, textWidth, typing, variantChoices } from './view_common.js';
import { card, el, svg } from './dom.js';
import { plural } from './model.js';
import { ESTIMATED, spoken } from './node_values.js';

const ROW = 20;
const LEAST = 1;
const WIDTHS = [
	['both', 'larger of both', 'What was removed is seen too'],
	['new', 'new', 'The new execution'],
	['old', 'old', 'The old execution'],
];
const KINDS = { more: '+ takes more in new', less: '− takes less in new', none: '= no difference', added: '★ only in new', removed: '✕ only in old' };

/** How much of a colour: a difference of half the box's own value is all of it. */
const strength = (before, after) => Math.min(1, 0.15 + (1.7 * Math.abs(after - before)) / Math.max(1, before, after));

class View extends PairView {
	constructor(element, context) {
		super(element, context);
		this.pair = pairOf(context.comparison, context.pair);
		if (!this.pair.hasTrees()) {
			const why = this.pair.raw.problem || 'There is nothing to draw a flame graph of.';
			this.nothing(this.pair.raw.same ? 'Both sides execute the same' : 'No call trees', why);
			return;
		}
		this.match();
		this.root = this.known(context.state.root) ?? 0;
		this.selected = this.known(context.state.node) ?? this.root;
		this.hits = new Set();
		this.build();
	}

	/** Take the delta tree that the address asks for. */
	match() {
		this.now = this.pair.chosen(this.context.state);
		this.delta = this.pair.delta(this.now.match, this.now.sites);
	}

	known(text) {
		const node = Number(text);
		return text !== undefined && Number.isInteger(node) && node >= 0 && node < this.delta.n ? node : null;
	}

	get metric() {
		const { metric } = this.context.state;
		return this.delta.metrics.includes(metric) ? metric : this.delta.metrics[0];
	}

	get width() {
		return ['new', 'old', 'both'].includes(this.context.state.width) ? this.context.state.width : 'both';
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
		const graph = card('Flame graph', this.bar, this.crumbs, this.box, this.says, this.legend(), help, this.spoken);
		this.element.append(graph, el('section.card.bp-details', { 'aria-label': 'The selected call' }, this.details), this.tip.element);
		this.listen();
		this.fillBar();
		this.draw();
		this.pick(this.selected, false);
	}

	legend() {
		const key = (className, text) => el('span', el('span', { className: `fl-key ${className}`, 'aria-hidden': 'true' }), text);
		return el(
			'div.bp-legend',
			Object.entries(KINDS).map(([className, text]) => key(className, text)),
		);
	}

	fillBar() {
		const { delta } = this;
		const metrics = delta.metrics.map((m) => [m, METRICS[m].label]);
		this.bar.replaceChildren(
			choice('Metric', 'metric', metrics, this.metric, (metric) => this.set({ metric })),
			choice('Width', 'width', WIDTHS, this.width, (width) => this.set({ width })),
			...variantChoices(this.pair, this.now.match, this.now.sites, (changes) => this.rematch(changes)),
			el('span.grow'),
			el('span.bp-search', this.query, this.count),
			button('Zoom out', 'Back to the root', () => this.zoomTo(0), 'Escape'),
			button('SVG', 'Save what is shown as a picture', () => this.save()),
		);
	}

	/** Another way of matching is another tree: its nodes have numbers of their own. */
	rematch(changes) {
		this.memory.set({ ...changes, root: null, node: null });
		this.match();
		this.root = 0;
		this.fillBar();
		this.draw();
		this.find();
		this.pick(0, false);
		this.bar.querySelector(`[data-choice="${Object.keys(changes)[0]}"] [aria-pressed="true"]`).focus({ preventScroll: true });
	}

	set(changes) {
		this.memory.set(changes);
		if (changes.metric || changes.width) {
			this.fillBar();
			this.draw();
			this.pick(this.selected, false);
			this.bar.querySelector(`[data-choice="${changes.metric ? 'metric' : 'width'}"] [aria-pressed="true"]`).focus({ preventScroll: true });
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

	/** Boxes of a pixel and more below the root that is zoomed to: [node, x, width, row]. */
	place(total) {
		const { delta, root } = this;
		const values = this.values();
		const scale = values[root] > 0 ? total / values[root] : 0;
		const boxes = [];
		const rows = delta.depth[root];
		const fill = new Map();
		for (let i = root; i < delta.end[root];) {
			const width = values[i] * scale;
			const parent = delta.parent[i];
			const x = i === root ? 0 : fill.get(parent);
			if (i !== root) fill.set(parent, x + width);
			if (width < LEAST && i !== root) {
				i = delta.end[i];
				continue;
			}
			fill.set(i, x);
			boxes.push([i, x, width, delta.depth[i] - rows]);
			i++;
		}
		return boxes;
	}

	kind(node) {
		const [before, after] = this.delta.values(node, this.metric, 'total');
		const state = this.delta.state(node);
		if (state !== 'both') return state;
		return after > before ? 'more' : after < before ? 'less' : 'none';
	}

	group([node, x, width, row], hear) {
		const { delta, metric } = this;
		const kind = this.kind(node);
		const sign = { more: '+', less: '−', none: '=', added: '★', removed: '✕' }[kind];
		const group = svg('g', { class: `pic-node fl-node fl-${kind}`, transform: `translate(${x.toFixed(2)} ${row * ROW})` });
		group.dataset.node = node;
		const [before, after] = delta.values(node, metric, 'total');
		const rect = svg('rect.fl-box', { width: Math.max(0.6, width - 0.6).toFixed(2), height: ROW - 1 });
		if (kind === 'more' || kind === 'less') rect.setAttribute('fill-opacity', strength(before, after).toFixed(2));
		group.append(svg('rect.fl-ground', { width: Math.max(0.6, width - 0.6).toFixed(2), height: ROW - 1 }), rect);
		const name = width > 34 ? fitName(delta.name(node), width - 10 - textWidth(`${sign} `, TEXT_FONT), TEXT_FONT) : '';
		if (name.replace(/…/g, '').length >= 3 || (name !== '' && name === delta.name(node)))
			group.append(svg('text.fl-text', { x: 4, y: 14 }, `${sign} ${name}`));
		else if (width > 16) group.append(svg('text.fl-text', { x: 4, y: 14 }, sign));
		if (hear) {
			group.id = `flame-${node}`;
			group.setAttribute('role', 'treeitem');
			group.setAttribute('aria-level', row + 1);
			group.setAttribute('aria-label', spoken(delta, node, metric, 'time'));
		}
		return group;
	}

	draw() {
		const total = Math.max(300, this.box.clientWidth);
		const boxes = this.place(total);
		this.drawn = boxes.map(([node]) => node);
		this.stage.replaceChildren(...boxes.map((one) => this.group(one, true)));
		this.height = (boxes.reduce((most, one) => Math.max(most, one[3]), 0) + 1) * ROW;
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
		const { delta, metric, now } = this;
		const same = { node: String(node), match: now.match, sites: now.sites ? '1' : '0' };
		const link = this.context.href ? el('p', el('a', { href: this.context.href('blueprint', same) }, 'open in the blueprint')) : '';
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
			const row = this.drawn.filter((one) => delta.depth[one] === delta.depth[node]);
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
		let width = this.box.clientWidth;
		const observer = new ResizeObserver(() => {
			if (this.box.clientWidth !== width) {
				width = this.box.clientWidth;
				this.draw();
			}
		});
		observer.observe(this.box);
		signal.addEventListener('abort', () => observer.disconnect());
	}

	key(event) {
		if (event.key === 'Escape' && event.target === this.query) {
			this.query.value = '';
			this.find();
			this.box.focus();
			return;
		}
		if (event.defaultPrevented || typing(event)) return;
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
		const whole = svg('g', ...this.place(this.total).map((one) => this.group(one, false)));
		saveSvg(pictureName(this.context, 'flame-graph.svg'), whole, { x: 0, y: 0, width: this.total, height: this.height }, 'Differential flame graph');
	}
}

export const flame = asView('Flame graph', View, [
	['↑ ↓ ← →', 'to the caller, the largest callee, a neighbour'],
	['Enter', 'zoom to the selected call'],
	['Escape', 'zoom out'],
	['/', 'search methods and files'],
]);
