/*
 * Critical: the critical graph (ZAM, figure 4): from the root down only those calls that got slower, and at its
 * leaves the regression causes. Below it the methods that got slower in many places, none of which would be in
 * the graph for itself.
 */
import { TreeChart, zoomButtons, zoomKey } from './tree_chart.js';
import { asView, button, empty, VALUE_FONT, fitName, NAME_FONT, PairView, pictureName, plainName, signed, textWidth, typing } from './view_common.js';
import { card, el, savePicture, scroll, svg, table } from './dom.js';
import { ends, FLAG, METRICS, NONE } from './blueprint_model.js';
import { formatChange, formatValue, plural } from './model.js';
import { lay, Shown } from './blueprint_layout.js';
import { place } from './node_values.js';

const ROOM = 230;
const HEIGHT = 52;
const time = (ns) => formatValue(ns, METRICS.time.unit);

/** The graph's nodes as a tree in preorder. */
function graphOf(nodes) {
	const parent = Int32Array.from(nodes, (node) => (node.parent === null ? NONE : node.parent));
	return { n: nodes.length, parent, end: ends(parent) };
}

/** What a node is, beside slower. */
function kind(node) {
	if (node.places > 0) return `cause, in ${node.places} ${node.places === 1 ? 'place' : 'places'} below its caller`;
	if (node.cause) return node.added ? 'cause, added in new' : 'cause';
	return node.added ? 'added in new' : '';
}

const HELP = 'Filled: the lowest calls that got slower, the causes. Dashed: only new calls it. Arrows walk, Enter opens the call in the blueprint.';
const columns = ({ noun }) => [
	'Method|name',
	`Own ${noun}, old|num`,
	`Own ${noun}, new|num`,
	'Difference|num',
	'Change|num',
	'Call paths|num',
	'Among the causes',
];

class View extends PairView {
	constructor(element, context) {
		super(element, context);
		this.frames = context.comparison.frames;
		this.raw = context.comparison.pairs[context.pair];
		const { critical } = this.raw;
		if (critical) this.build(critical);
		else this.nothing('No critical graph', 'It needs times of both executions.');
	}

	build(critical) {
		this.nodes = critical.nodes;
		this.tree = graphOf(this.nodes);
		this.chart = new TreeChart('Critical graph: the calls that got slower', {
			box: (group, { node }) => this.box(group, node),
			pick: (node, how) => this.select(node, how),
			open: (node) => this.leave(node),
			hover: () => {},
		});
		const shown = new Shown(this.tree);
		for (let i = 0; i < this.tree.n; i++) shown.add(i);
		const causes = this.nodes.filter((node) => node.cause).length;
		const limit = `${time(critical.min_ns)} or more`;
		const chosen = critical.from_noise ? '(chosen from the noise of the runs)' : '(as asked for)';
		this.says = el('p.bp-critical-says', { 'aria-live': 'polite' });
		const bar = el(
			'div.bar.bp-actions',
			el('p', el('strong', plural(causes, 'regression cause')), ` among calls that got slower by ${limit} ${chosen}`),
			el('span.grow'),
			zoomButtons(this.chart),
			button('SVG', 'Save as a picture', () => this.saveSvg()),
		);
		const why = critical.from_noise ? 'which is as much as runs of one revision differ' : 'which is what was asked for';
		const body =
			this.tree.n > 1
				? [el('div.bp-stage', this.chart.element), this.says, el('p.help.dim', HELP)]
				: empty('No call got slower', `No call differs by ${limit}, ${why}.`);
		this.element.append(card('Critical graph', bar, body));
		if (critical.methods.length > 0) this.element.append(this.methods(critical.methods));
		if (this.tree.n === 1) return;
		this.chart.show(lay(this.tree, shown, (node) => this.size(node), { gap: 16, rowGap: 34, stacks: this.tree.n > 60 }));
		this.chart.element.dataset.nodes = this.tree.n;
		this.chart.fit(true);
		const wanted = Number(this.context.state.node);
		const first = this.nodes.findIndex((node) => node.cause);
		this.select(wanted >= 0 && wanted < this.tree.n ? wanted : Math.max(0, first), { bringIn: false, remember: false });
		document.addEventListener('keydown', (event) => this.key(event), { signal: this.abort.signal });
	}

	name(node) {
		const { frame } = this.nodes[node];
		return this.frames.flags[frame] & FLAG.root && this.raw.name ? this.raw.name : this.frames.name[frame];
	}

	texts(node) {
		const { old_ns: before, new_ns: after, added } = this.nodes[node];
		const share = before > 0 ? `, ${formatChange((after - before) / before)}` : '';
		return [
			fitName(this.name(node), ROOM, NAME_FONT),
			added ? `new: ${time(after)}` : `${time(before)} → ${time(after)}`,
			`${signed(after - before, 'time')}${share}`,
		];
	}

	size(node) {
		const [name, ...rest] = this.texts(node);
		return { width: 20 + Math.max(textWidth(name, NAME_FONT), ...rest.map((text) => textWidth(text, VALUE_FONT))), height: HEIGHT, label: 0 };
	}

	box(group, node) {
		const at = this.nodes[node];
		const { width, height } = this.size(node);
		const [name, times, difference] = this.texts(node);
		const values = `pic-values${at.cause ? ' pic-on-cause' : ''}`; /* a filled box asks for full ink */
		group.dataset.cause = at.cause ? 'true' : 'false';
		group.append(
			svg('rect.pic-hit-area', { x: -4, y: -4, width: width + 8, height: height + 8, rx: 8 }),
			svg('rect', { class: `pic-crit${at.cause ? ' cause' : ''}${at.added ? ' added' : ''}`, width, height, rx: 6 }),
			svg('text.pic-name', { x: width / 2, y: 17, 'text-anchor': 'middle' }, name),
			svg('text', { class: values, x: width / 2, y: 32, 'text-anchor': 'middle' }, times),
			svg('text', { class: values, x: width / 2, y: 45, 'text-anchor': 'middle' }, difference),
		);
		if (at.cause)
			group.append(
				svg('circle.pic-cause-mark', { cx: width, cy: 0, r: 8 }),
				svg('text.pic-cause-sign', { x: width, y: 4, 'text-anchor': 'middle' }, at.places > 0 ? 'Σ' : '!'),
			);
		group.setAttribute('aria-label', this.words(node));
	}

	words(node) {
		const at = this.nodes[node];
		const what = kind(at);
		return `${plainName(this.name(node))}: ${at.added ? '' : `old ${time(at.old_ns)}, `}new ${time(at.new_ns)}, ${signed(at.new_ns - at.old_ns, 'time')}${what ? `; ${what}` : ''}`;
	}

	select(node, { bringIn = true, remember = true } = {}) {
		this.chart.select(node, { bringIn });
		this.says.replaceChildren(
			el('code', plainName(this.name(node))),
			this.words(node).slice(plainName(this.name(node)).length),
			` (${place(this.frames, this.nodes[node].frame) || 'place unknown'}) `,
			el('button.quiet', { onclick: () => this.leave(node) }, 'open in the blueprint'),
		);
		if (remember) this.memory.set({ node: String(node) });
	}

	leave(node) {
		location.hash = this.context.href('blueprint', { node: String(this.nodes[node].node) });
	}

	key(event) {
		if (event.defaultPrevented || typing(event)) return;
		const onChart = this.chart.element.contains(document.activeElement);
		if (onChart && /^(Arrow|Home)/.test(event.key)) {
			const to = this.chart.towards(event.key);
			if (to !== null) this.select(to);
		} else if (onChart && event.key === 'Enter') this.leave(this.chart.selected);
		else if (!zoomKey(this.chart, event.key)) return;
		event.preventDefault();
	}

	methods(methods) {
		const rows = methods.map(([frame, before, after, contexts, inGraph]) => [
			[el('code', plainName(this.frames.name[frame])), el('div.dim.mono', place(this.frames, frame))],
			time(before),
			time(after),
			signed(after - before, 'time'),
			before > 0 ? formatChange((after - before) / before) : 'new',
			contexts.toLocaleString('en'),
			inGraph ? 'yes' : 'no',
		]);
		const title = el('h2', 'Methods that got slower, all their calls together');
		return card('Methods summed up', title, scroll(table('table', columns(METRICS.time), rows)));
	}

	saveSvg() {
		savePicture(pictureName(this.context, 'critical-graph'), this.chart.layout.box, this.chart.whole(), 'Critical graph');
	}
}

export const critical = asView('Critical graph', View, [
	['↑ ↓ ← →', 'to the caller, a callee, a neighbour'],
	['Enter', 'open the call in the blueprint'],
	['f', 'everything in sight'],
	['+ −', 'zoom'],
	['Home', 'to the root'],
]);
