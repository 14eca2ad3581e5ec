/*
 * Blueprint: the view. A delta tree as boxes, callers above callees (Blueprint sections III and IV): at first the
 * delta hot path; from there the reader opens what matters. The verdict stands above it (verdict.js), the selected
 * node below it (node_panel.js); boxes are drawn by blueprint_boxes.js into a tree chart (tree_chart.js).
 */
import * as nodePanel from './node_panel.js';
import { AT_ONCE, lay, Shown } from './blueprint_layout.js';
import { Boxes, legend, patterns } from './blueprint_boxes.js';
import { COLOURS, METRICS, pairOf } from './blueprint_model.js';
import { TreeChart, zoomButtons, zoomKey } from './tree_chart.js';
import { asView, button, choice, PairView, pictureName, plainName, Tip, typing } from './view_common.js';
import { card, el, options, savePicture } from './dom.js';
import { plural } from './model.js';
import { spoken } from './node_values.js';
import { verdict } from './verdict.js';

const MARGIN = 24; /* above and below what is shown at first, in pixels */
const BASES = ['own', 'time', 'share'];
const HEIGHTS = [
	['own', 'itself', 'Difference without callees, as part of the whole old execution: all boxes add up to the difference'],
	['time', 'with callees', 'Difference with all below, as part of the whole old execution'],
	['share', 'share', 'Difference, with all below, of the shares of each execution (Blueprint, section III)'],
];
const HELP = 'Arrows walk the tree, Enter shows or hides children, the wheel zooms, dragging moves; ? lists all keys.';
const LABELS = Object.entries({ high: 'labels of high boxes', all: 'all labels', none: 'no labels' });

class View extends PairView {
	constructor(element, context) {
		super(element, context);
		this.pair = pairOf(context.comparison, context.pair);
		this.boxesOf = new Map();
		this.hits = [];
		this.hit = -1;
		this.notice = null;
		this.build();
	}

	/* ---- what is chosen ---- */

	/** The state of the address, with what the comparison was asked for where it says nothing. */
	settings() {
		const { state, comparison } = this.context;
		const has = (value, values) => (values.includes(value) ? value : null);
		const { delta } = this.pair;
		const metric = has(state.metric, delta.metrics) || delta.metrics[0] || 'time';
		const basis = has(state.basis, BASES) || has(comparison.basis, BASES) || 'own';
		return { delta, metric, basis };
	}

	remember(changes) {
		this.memory.set(changes);
	}

	/* ---- the page around the chart ---- */

	build() {
		this.element.replaceChildren();
		this.element.append(verdict(this.pair, (node) => this.follow(node)));
		if (this.pair.delta === null) {
			this.nothing('No call trees', 'perfevo compare collects them when the program can be built and run.');
			return;
		}
		this.chart = new TreeChart('Blueprint: the calls of old and new as one tree', {
			patterns,
			box: (group, { node, reach }) => this.box(group, node, reach),
			pick: (node, how) => this.select(node, how),
			open: (node) => this.toggle(node),
			hover: (node, x, y) => this.hover(node, x, y),
		});
		this.bar = el('div.bar.bp-bar');
		this.actions = el('div.bar.bp-actions');
		this.crumbs = el('nav.bp-crumbs', { 'aria-label': 'Callers of the selected node' });
		this.says = el('p.bp-notice', { hidden: true });
		this.spoken = el('p.spoken', { 'aria-live': 'polite' });
		this.tip = new Tip();
		this.details = el('section.card.bp-details', { 'aria-label': 'The selected node' });
		this.legend = el('div.bp-legend', { 'aria-label': 'Colours' });
		const help = el('p.help.dim', { id: 'bp-help' }, HELP);
		const stage = el('div.bp-stage', this.chart.element);
		const around = card('Blueprint', this.bar, this.actions, this.crumbs, stage, this.says, this.legend, help, this.spoken);
		around.classList.add('bp-card');
		this.element.append(around, this.details, this.tip.element);
		this.chart.element.setAttribute('aria-describedby', 'bp-help');
		document.addEventListener('keydown', (event) => this.key(event), { signal: this.abort.signal });
		this.start();
	}

	/** Switches: rebuilt whenever one of them changed. */
	fillBar() {
		const { delta, metric, basis } = this.now;
		const metrics = delta.metrics.map((m) => [m, METRICS[m].label]);
		this.bar.replaceChildren(
			choice('Metric', 'metric', metrics, metric, (m) => this.change({ metric: m })),
			choice('Height', 'basis', HEIGHTS, basis, (b) => this.change({ basis: b })),
		);
	}

	searchField() {
		this.query = el('input', {
			type: 'search',
			placeholder: 'Search methods',
			'aria-label': 'Search methods and files',
			value: this.context.state.q || '',
			oninput: () => this.find(this.query.value),
			onkeydown: (event) => this.searchKey(event),
		});
		this.hitCount = el('span.dim.bp-hits', { 'aria-live': 'polite' });
		const steps = [button('↑', 'Previous hit', () => this.goToHit(-1), 'N'), button('↓', 'Next hit', () => this.goToHit(1), 'n')];
		return el('span.bp-search', this.query, steps, this.hitCount);
	}

	fillActions() {
		const act = (name, text, title, key) => {
			const one = button(text, title, () => this.act(name), key);
			one.dataset.action = name;
			return one;
		};
		this.labelChoice = el('select', { 'aria-label': 'Labels', title: 'Which boxes have a label' }, options(LABELS));
		this.labelChoice.onchange = () => {
			this.remember({ labels: this.labelChoice.value });
			this.redraw(this.chart.selected);
		};
		this.actions.replaceChildren(
			act('hot', 'Delta hot path', 'Show the path of the greatest variation below the selected node', 'p'),
			act('children', 'Children', 'Show the children of the selected node', 'c'),
			act('below', 'All below', 'Show everything below the selected node', 'a'),
			act('hide', 'Hide below', 'Hide everything below the selected node', 'h'),
			this.searchField(),
			el('span.grow'),
			this.labelChoice,
			zoomButtons(this.chart),
			button('SVG', 'Save what is shown as a picture', () => this.saveSvg()),
		);
	}

	/* ---- the tree ---- */

	start() {
		this.fillActions();
		this.apply();
		const { state } = this.context;
		const wanted = Number(state.node);
		if (state.node !== undefined && Number.isInteger(wanted) && wanted >= 0 && wanted < this.now.delta.n) this.shown().reveal(wanted);
		this.redraw();
		this.chart.fit(true);
		this.select(state.node !== undefined && this.shown().is[wanted] ? wanted : this.firstSelected(), { remember: false });
		if (state.q) this.find(state.q, { go: false });
	}

	/** What a reader looks at first: the first cause if it stands on the hot path, else the path's end. */
	firstSelected() {
		const { delta, metric, basis } = this.now;
		const path = delta.hotPath(0, metric);
		const causes = (this.pair.raw.judged || []).flatMap((report) => report.causes.map((cause) => cause.node));
		const first = causes.find((node) => path.includes(node));
		if (first !== undefined) return first;
		const colours = delta.colours(metric, basis);
		const changed = path.filter((node) => ['red', 'green', 'yellow', 'gray'].includes(COLOURS[colours[node]]));
		return changed.length > 0 ? changed[changed.length - 1] : path[path.length - 1];
	}

	/** Take the settings as they are now. */
	apply() {
		this.now = this.settings();
		this.fillBar();
		this.legend.replaceChildren(...legend(this.now));
	}

	/** What was opened stays open while another view is looked at. */
	shown() {
		const { delta, metric } = this.now;
		if (this.pair.shown === null) {
			this.pair.shown = new Shown(delta);
			this.pair.shown.path(delta.boxes[metric].first);
		}
		return this.pair.shown;
	}

	boxes() {
		const { delta, metric, basis } = this.now;
		const key = `${metric} ${basis}`;
		if (!this.boxesOf.has(key)) this.boxesOf.set(key, new Boxes(delta, metric, basis, this.chart.size().height - 2 * MARGIN));
		return this.boxesOf.get(key);
	}

	redraw(anchor) {
		const { labels } = this.context.state;
		this.labelled = this.boxes().labelled(this.shown().list(), labels);
		this.labelChoice.value = ['all', 'none'].includes(labels) ? labels : 'high';
		this.chart.show(lay(this.now.delta, this.shown(), this.boxes().size(this.labelled)), anchor);
		this.chart.element.dataset.shown = this.shown().count;
		this.chart.element.dataset.nodes = this.now.delta.n;
	}

	box(group, node, reach) {
		const { delta, metric, basis } = this.now;
		this.boxes().draw(group, node, this.labelled.has(node), this.shown().hides(node), reach);
		group.setAttribute('aria-label', spoken(delta, node, metric, basis));
		if (!delta.isLeaf(node)) group.setAttribute('aria-expanded', String(this.hasShownChild(node)));
	}

	hasShownChild(node) {
		const { delta } = this.now;
		for (let c = node + 1; c < delta.end[node]; c = delta.end[c]) if (this.shown().is[c]) return true;
		return false;
	}

	/** A switch: another metric, or another height. */
	change(changes) {
		this.remember(changes);
		this.apply();
		this.setNotice(null);
		this.redraw();
		this.select(this.chart.selected);
		this.bar.querySelector(`[data-choice="${Object.keys(changes)[0]}"] [aria-pressed="true"]`)?.focus({ preventScroll: true });
	}

	/* ---- the four actions ---- */

	act(name, node = this.chart.selected) {
		const shown = this.shown();
		const { delta, metric, basis } = this.now;
		let left = 0;
		if (name === 'hot') shown.path(delta.hotPath(node, metric));
		else if (name === 'children') left = shown.children(node, delta.weights(metric, basis));
		else if (name === 'below') left = shown.below(node, delta.weights(metric, basis));
		else shown.hide(node);
		if (!shown.is[this.chart.selected]) this.chart.selected = node;
		this.setNotice(left > 0 ? { name, node, left } : null);
		this.redraw(node);
		this.select(this.chart.selected, { bringIn: false });
		this.keepInSight();
		this.spoken.textContent = `${plural(shown.count, 'box').replace('boxs', 'boxes')} shown`;
	}

	/** After boxes came or went: if nothing of the tree would be seen, all of it is. */
	keepInSight() {
		const { chart } = this;
		const { width, height } = chart.size();
		const { box } = chart.layout;
		const { x, y, k } = chart.view;
		if ((box.x + box.width) * k + x < 40 || box.x * k + x > width - 40 || box.height * k + y < 40 || y > height - 40) chart.fit(true);
	}

	/** More nodes than one action brings up: say so, and how to go on. */
	setNotice(notice) {
		this.notice = notice;
		this.says.hidden = notice === null;
		if (notice === null) return;
		const next = Math.min(AT_ONCE, notice.left);
		const again = { dataset: { action: 'more' }, onclick: () => this.act(notice.name, notice.node) };
		const more = el('button.quiet', again, `Show the next ${next.toLocaleString('en')}, greatest first`);
		this.says.replaceChildren(
			`${plural(notice.left, 'node')} below `,
			el('code', plainName(this.now.delta.name(notice.node))),
			notice.left === 1 ? ' is not shown yet. ' : ' are not shown yet. ',
			more,
		);
	}

	toggle(node = this.chart.selected) {
		this.act(this.hasShownChild(node) && !this.shown().hides(node) ? 'hide' : this.shown().hides(node) ? 'children' : 'hide', node);
	}

	/** A line of the verdict leads here. */
	follow(node) {
		this.reveal(node);
		this.chart.element.focus({ preventScroll: true });
		this.chart.element.scrollIntoView({ block: 'nearest' });
	}

	reveal(node) {
		this.shown().reveal(node);
		this.redraw(this.chart.selected === null ? 0 : this.chart.selected);
		if (this.chart.view.k < 0.6) {
			this.chart.zoom(0.8 / this.chart.view.k);
			this.chart.draw();
		}
		this.select(node);
	}

	select(node, { bringIn = true, remember = true } = {}) {
		const { delta, metric, basis } = this.now;
		const changed = this.chart.selected !== node || this.detailsOf !== `${metric} ${basis} ${node}`;
		this.chart.select(node, { bringIn });
		if (!changed) return;
		this.detailsOf = `${metric} ${basis} ${node}`;
		this.crumbs.replaceChildren(nodePanel.crumbs(delta, node, (at) => this.select(at)));
		this.details.replaceChildren(nodePanel.about(delta, node, metric, basis), nodePanel.source(this.pair, delta, node, this.context.entry));
		this.spoken.textContent = spoken(delta, node, metric, basis);
		for (const line of this.element.querySelectorAll('button.bp-line')) line.toggleAttribute('aria-current', Number(line.dataset.node) === node);
		if (remember) this.remember({ node: String(node) });
	}

	hover(node, x, y) {
		const { delta, metric, basis } = this.now;
		if (node === null) this.tip.hide();
		else this.tip.show(node, x, y, (at) => nodePanel.hover(delta, at, metric, basis));
	}

	/* ---- search ---- */

	find(text, { go = true } = {}) {
		this.hits = text.trim() === '' ? [] : this.now.delta.find(text.trim());
		this.hit = -1;
		this.chart.hits = new Set(this.hits);
		this.chart.draw();
		this.remember({ q: text.trim() === '' ? null : text });
		this.countHits(text);
		if (go && this.hits.length > 0) this.goToHit(1);
	}

	countHits(text = this.query.value) {
		this.hitCount.textContent =
			text.trim() === ''
				? ''
				: this.hits.length === 0
					? 'no hit'
					: this.hit < 0
						? plural(this.hits.length, 'hit')
						: `${(this.hit + 1).toLocaleString('en')} of ${plural(this.hits.length, 'hit')}`;
	}

	goToHit(by) {
		if (this.hits.length === 0) return;
		this.hit = this.hit < 0 && by < 0 ? this.hits.length - 1 : (this.hit + by + this.hits.length) % this.hits.length;
		this.countHits();
		this.reveal(this.hits[this.hit]);
	}

	searchKey(event) {
		if (event.key === 'Enter') this.goToHit(event.shiftKey ? -1 : 1);
		else if (event.key === 'Escape') {
			this.query.value = '';
			this.find('');
			this.chart.element.focus();
		} else return;
		event.preventDefault();
	}

	/* ---- keys ---- */

	key(event) {
		if (event.defaultPrevented || typing(event)) return;
		const onChart = this.chart.element.contains(document.activeElement);
		const everywhere = {
			'/': () => this.query.focus(),
			n: () => this.goToHit(1),
			N: () => this.goToHit(-1),
			p: () => this.act('hot'),
			c: () => this.act('children'),
			a: () => this.act('below'),
			h: () => this.act('hide'),
		};
		const here = { Enter: () => this.toggle(), ' ': () => this.toggle() };
		const walk = /^(Arrow|Home)/.test(event.key) ? () => this.walk(event.key) : null;
		const run = everywhere[event.key] || (onChart && (walk || here[event.key]));
		if (run) run();
		else if (!zoomKey(this.chart, event.key)) return;
		event.preventDefault();
	}

	/** To the caller, the first callee that is shown, or a neighbour in the same row. */
	walk(key) {
		const { selected } = this.chart;
		const to = this.chart.towards(key);
		if (to !== null) this.select(to);
		else if (key === 'ArrowDown' && !this.now.delta.isLeaf(selected))
			this.spoken.textContent = `${plural(this.now.delta.nChildren(selected), 'callee')} not shown: Enter shows them`;
	}

	saveSvg() {
		savePicture(pictureName(this.context, 'blueprint'), this.chart.layout.box, this.chart.whole(), 'Performance evolution blueprint');
	}
}

export const blueprint = asView('Blueprint', View, [
	['↑ ↓ ← →', 'to the caller, a callee, a neighbour'],
	['Enter', 'show or hide the children of the selected box'],
	['p', 'show its delta hot path'],
	['c', 'show its children'],
	['a', 'show all below it'],
	['h', 'hide all below it'],
	['/', 'search methods and files'],
	['n N', 'next and previous hit'],
	['f', 'everything in sight'],
	['+ −', 'zoom'],
	['Home', 'to the root'],
]);
