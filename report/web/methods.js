/*
 * Methods: all methods of both executions, what differs most first, and of the one that is chosen who calls it, above, and
 * what it calls, below.
 */
import { asView, button, method, plainName, signed, amount } from './view_common.js';
import { calleesOf, callersOf, methodsOf } from './sandwich.js';
import { card, el, scroll, tableHead } from './dom.js';
import { FlameChart, flameLegend, kindOf } from './flame_chart.js';
import { formatChange } from './model.js';
import { place } from './node_values.js';

const MOST_ROWS = 100;
const COLUMNS = ['Method', 'Itself, old|num', 'Itself, new|num', 'Difference|num', 'With callees, old|num', 'With callees, new|num', 'Difference|num'];

class View extends FlameChart {
	constructor(element, context) {
		super(element, context, 'Callers and callees', 'There are no methods to list.');
	}

	build() {
		this.rows = el('tbody');
		this.more = el('p.dim');
		this.title = el('h2');
		const help = el('p.help.dim', 'Callers stand above the method, callees below. A click or Enter on a box takes its method; arrows walk.');
		this.element.append(
			card('Callers and callees', this.bar, this.title, this.box, flameLegend(), help, this.spoken),
			card('Methods', el('p', this.query), scroll(el('table.md-table', tableHead(COLUMNS), this.rows)), this.more),
		);
		this.renew();
	}

	/** Everything anew: the metric is another. */
	renew() {
		this.methods = methodsOf(this.delta, this.metric);
		this.nodes = new Map(this.methods.map(({ frame, node }) => [frame, node]));
		this.bar.replaceChildren(
			this.metricChoice(),
			el('span.grow'),
			button('SVG', 'Save what is shown as a picture', () => this.save('method', `Callers and callees of ${plainName(this.nameOf(this.frame))}`)),
		);
		const wanted = this.methods.find(({ frame }) => String(frame) === this.context.state.method);
		this.take((wanted || this.methods[0]).frame, false);
		this.find();
	}

	set(changes) {
		this.memory.set(changes);
		this.renew();
		this.bar.querySelector('[data-choice="metric"] [aria-pressed="true"]').focus({ preventScroll: true });
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

	/** The boxes of callers, from the outermost down, of the method, and of its callees; a box is numbered. */
	place(total) {
		const above = this.callers.place(total).filter(({ node }) => node.depth > 0);
		const height = above.reduce((most, { node }) => Math.max(most, node.depth), 0);
		const downward = this.callees.place(total);
		return [...above, ...downward].map(({ node, x, width }, number) => {
			const { frame, depth, old: before, new: after } = node;
			const up = number < above.length;
			const state = before === 0 && after > 0 ? 'added' : after === 0 && before > 0 ? 'removed' : 'both';
			const name = this.nameOf(frame);
			const words = `${plainName(name)}: ${amount(before, this.metric)} → ${amount(after, this.metric)} (${signed(after - before, this.metric)})`;
			const kind = kindOf(state, before, after);
			return { node: number, x, width, y: up ? height - depth : height + depth, kind, name, before, after, words, frame, self: !up && depth === 0 };
		});
	}

	draw() {
		super.draw();
		this.step(this.drawn.find(({ self }) => self).node);
	}

	step(number) {
		this.selected = number;
		this.mark();
	}

	pick(number) {
		this.take(this.drawn[number].frame);
	}
}

export const methods = asView('Methods', View, [
	['↑ ↓ ← →', 'to a caller, a callee, a neighbour'],
	['Enter', 'take the method of the box'],
	['/', 'search methods and files'],
]);
