/*
 * Methods: all methods of both executions, what differs most first, and of the one that is chosen who calls it, above, and
 * what it calls, below.
 */
import { METRICS, pairOf } from './blueprint_model.js';
import { asView, button, choice, method, PairView, pictureName, plainName, saveSvg, signed, amount, typing } from './view_common.js';
import { calleesOf, callersOf, methodsOf } from './sandwich.js';
import { card, el, scroll, svg, tableHead } from './dom.js';
import { flameBox, flameCaption, flameLegend, kindOf, ROW } from './flame_box.js';
import { formatChange } from './model.js';
import { place } from './node_values.js';

const MOST_ROWS = 100;
const COLUMNS = ['Method', 'Itself, old|num', 'Itself, new|num', 'Difference|num', 'With callees, old|num', 'With callees, new|num', 'Difference|num'];

class View extends PairView {
	constructor(element, context) {
		super(element, context);
		this.pair = pairOf(context.comparison, context.pair);
		this.delta = this.pair.delta;
		if (this.delta === null) {
			this.nothing(this.pair.raw.same ? 'Both sides execute the same' : 'No call trees', this.pair.raw.problem || 'There are no methods to list.');
			return;
		}
		this.build();
	}

	build() {
		this.bar = el('div.bar.bp-bar');
		this.query = el('input', { type: 'search', placeholder: 'Search methods', 'aria-label': 'Search methods and files', oninput: () => this.find() });
		this.rows = el('tbody');
		this.more = el('p.dim');
		this.title = el('h2');
		this.picture = svg('svg.pic.fl-picture', { role: 'presentation' });
		this.box = el('div.fl-chart', { tabIndex: 0, role: 'tree', 'aria-label': 'Callers and callees' }, this.picture);
		this.spoken = el('p.spoken', { 'aria-live': 'polite' });
		const help = el('p.help.dim', 'Callers stand above the method, callees below. A click or Enter on a box takes its method; arrows walk.');
		this.element.append(
			card('Callers and callees', this.bar, this.title, this.box, flameLegend(), help, this.spoken),
			card('Methods', el('p', this.query), scroll(el('table.md-table', tableHead(COLUMNS), this.rows)), this.more),
		);
		this.listen();
		this.renew();
	}

	/** Everything anew: the metric is another. */
	renew() {
		const metrics = this.delta.metrics.map((m) => [m, METRICS[m].label]);
		this.methods = methodsOf(this.delta, this.metric);
		this.nodes = new Map(this.methods.map(({ frame, node }) => [frame, node]));
		this.bar.replaceChildren(
			choice('Metric', 'metric', metrics, this.metric, (metric) => this.change({ metric })),
			el('span.grow'),
			button('SVG', 'Save what is shown as a picture', () => this.save()),
		);
		const wanted = this.methods.find(({ frame }) => String(frame) === this.context.state.method);
		this.take((wanted || this.methods[0]).frame, false);
		this.find();
	}

	change(changes) {
		this.memory.set(changes);
		this.renew();
		this.bar.querySelector(`[data-choice="${Object.keys(changes)[0]}"] [aria-pressed="true"]`).focus({ preventScroll: true });
	}

	nameOf(frame) {
		return this.delta.name(this.nodes.get(frame));
	}

	/* ---- the list ---- */

	find() {
		const text = this.query.value.trim().toLowerCase();
		const { frames } = this.delta;
		const hits = this.methods.filter(
			({ node, frame }) => text === '' || this.delta.name(node).toLowerCase().includes(text) || place(frames, frame).toLowerCase().includes(text),
		);
		this.rows.replaceChildren(...hits.slice(0, MOST_ROWS).map((one) => this.row(one)));
		this.more.textContent =
			hits.length > MOST_ROWS ? `… and ${hits.length - MOST_ROWS} more: a search finds them` : hits.length === 0 ? 'No method has that in its name.' : '';
	}

	row({ frame, node, own, total }) {
		const value = (v) => el('td.num', amount(v, this.metric));
		const difference = ([before, after]) =>
			el(
				'td.num',
				signed(after - before, this.metric),
				before > 0 && after !== before ? el('span.dim', ` ${formatChange((after - before) / before)}`) : '',
			);
		const name = el(
			'button.quiet.md-name',
			{ onclick: () => this.take(frame), 'aria-pressed': String(frame === this.frame) },
			method(this.delta.name(node), place(this.delta.frames, frame)),
		);
		const row = el(
			'tr',
			el('th', { scope: 'row' }, name),
			value(own[0]),
			value(own[1]),
			difference(own),
			value(total[0]),
			value(total[1]),
			difference(total),
		);
		row.dataset.frame = frame;
		return row;
	}

	/* ---- the picture ---- */

	take(frame, remember = true) {
		this.frame = frame;
		this.callers = callersOf(this.delta, frame, this.metric);
		this.callees = calleesOf(this.delta, frame, this.metric);
		this.title.replaceChildren(el('code', plainName(this.nameOf(frame))));
		for (const row of this.rows.children) row.querySelector('button').setAttribute('aria-pressed', String(Number(row.dataset.frame) === frame));
		this.draw();
		if (remember) this.memory.set({ method: String(frame) });
	}

	/** The boxes of callers, from the outermost down, of the method, and of its callees: [paths, node, x, width, y]. */
	boxes(total) {
		const above = this.callers.place(total).filter(([node]) => node > 0);
		const height = above.reduce((most, [, , , row]) => Math.max(most, row), 0);
		const upward = above.map(([node, x, width, row]) => [this.callers, node, x, width, height - row]);
		return [...upward, ...this.callees.place(total).map(([node, x, width, row]) => [this.callees, node, x, width, height + row])];
	}

	group([paths, node, x, width, y], number) {
		const [before, after] = [paths.old[node], paths.new[node]];
		const state = before === 0 && after > 0 ? 'added' : after === 0 && before > 0 ? 'removed' : 'both';
		const name = this.nameOf(paths.frame[node]);
		const group = flameBox({ x, y, width, kind: kindOf(state, before, after), name, before, after });
		const words = `${plainName(name)}: ${amount(before, this.metric)} → ${amount(after, this.metric)} (${signed(after - before, this.metric)})`;
		group.append(svg('title', words));
		group.dataset.number = number;
		group.id = `method-${number}`;
		group.setAttribute('role', 'treeitem');
		group.setAttribute('aria-level', y + 1);
		group.setAttribute('aria-label', words);
		return group;
	}

	draw() {
		this.total = Math.max(300, this.box.clientWidth);
		this.drawn = this.boxes(this.total);
		this.height = this.drawn.reduce((most, [, , , , y]) => Math.max(most, y), 0) + 1;
		this.picture.setAttribute('width', this.total);
		this.picture.setAttribute('height', (this.height + 1) * ROW);
		this.picture.replaceChildren(...this.drawn.map((one, number) => this.group(one, number)), flameCaption(this.context, this.height, this.total));
		this.mark(this.drawn.findIndex(([paths, node]) => paths === this.callees && node === 0));
	}

	mark(number) {
		this.at = number;
		for (const group of this.picture.querySelectorAll('.fl-node')) group.classList.toggle('pic-selected', Number(group.dataset.number) === number);
		this.box.setAttribute('aria-activedescendant', `method-${number}`);
		this.spoken.textContent = this.picture.querySelector(`#method-${number}`)?.getAttribute('aria-label') ?? '';
	}

	walk(key) {
		const [, , x, , y] = this.drawn[this.at];
		const down = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
		const row = this.drawn.map((box, number) => ({ number, x: box[2], end: box[2] + box[3], y: box[4] })).filter((box) => box.y === y + down);
		row.sort((a, b) => a.x - b.x);
		const here = row.findIndex(({ number }) => number === this.at);
		const to =
			down === 0
				? row[here + (key === 'ArrowRight' ? 1 : -1)]
				: row.find((box) => box.x <= x + 0.01 && box.end > x + 0.01) || row.find((box) => box.x >= x);
		if (to) this.mark(to.number);
	}

	takeBox(number) {
		const [paths, node] = this.drawn[number];
		this.take(paths.frame[node]);
	}

	listen() {
		const { signal } = this.abort;
		this.box.addEventListener('click', (event) => {
			const group = event.target instanceof Element ? event.target.closest('.fl-node') : null;
			if (group) this.takeBox(Number(group.dataset.number));
		});
		document.addEventListener('keydown', (event) => this.key(event), { signal });
		this.followWidth();
	}

	key(event) {
		if (this.leaveSearch(event) || event.defaultPrevented || typing(event)) return;
		const onPicture = this.box.contains(document.activeElement);
		if (event.key === '/') this.query.focus();
		else if (onPicture && event.key === 'Enter') this.takeBox(this.at);
		else if (onPicture && event.key.startsWith('Arrow')) this.walk(event.key);
		else return;
		event.preventDefault();
	}

	save() {
		const boxes = this.boxes(this.total).map((one, number) => this.group(one, number));
		const whole = svg('g', ...boxes, flameCaption(this.context, this.height, this.total));
		saveSvg(
			pictureName(this.context, 'method.svg'),
			whole,
			{ x: 0, y: 0, width: this.total, height: (this.height + 1) * ROW },
			`Callers and callees of ${plainName(this.nameOf(this.frame))}`,
		);
	}
}

export const methods = asView('Methods', View, [
	['↑ ↓ ← →', 'to a caller, a callee, a neighbour'],
	['Enter', 'take the method of the box'],
	['/', 'search methods and files'],
]);
