/*
 * Stages: why the two trees differ, by the three stages of PARCS (sections 3.3 to 3.5, tables 2 to 5): what was
 * cut and for which reason, what is left in common, and which of that weighs differently.
 */
import { FLAG, NONE, pairOf } from './blueprint_model.js';
import { Shown } from './blueprint_layout.js';
import { asView, button, fitName, folded, method, PairView, pictureName, plainName, TEXT_FONT, textWidth, VALUE_FONT, whole } from './view_common.js';
import { card, el, options, savePicture, scroll, svg, table } from './dom.js';
import { plural } from './model.js';

const MOST_CUTS = 50; /* rows before a button asks for the rest */
const MOST_PAIRS = 8;
const CUT_COLUMNS = ['Reason', 'Where', 'Method', 'Called by', 'Nodes|num', 'Modified methods above, nearest first'];
const PAIR_COLUMNS = ['Method', 'Called by', 'Share in old|num', 'Share in new|num', 'Difference|num', 'Overlap when made equal|num'];

/** The reasons in the order of the stages. */
const REASONS = [
	['deleted method', 1, 'The method is not in new.'],
	['added method', 1, 'The method is not in old.'],
	['direct modification', 2, 'Below a method whose source was modified.'],
	['side effect', 3, 'Nothing above it was modified, and both revisions are steady here.'],
	['non-determinism', 3, 'Two runs of one revision differ here as well.'],
];
const WEIGHTS = { time: 'total time', calls: 'calls', allocations: 'allocations' };

const percent = (share) => `${(share * 100).toFixed(2)} %`;
const signed = (share) => (Math.abs(share) < 0.00005 ? '±0' : `${share > 0 ? '+' : '−'}${percent(Math.abs(share))}`);

/** Part of the tree that is in common, and what each reason took, as one bar with a number and a pattern each. */
function stack(parcs) {
	const nodesOf = (reason) => (reason === 'common' ? parcs.common : parcs.stages[reason]?.nodes || 0);
	const parts = ['common', ...REASONS.map(([reason]) => reason)].map((reason) => [reason, nodesOf(reason)]).filter(([, n]) => n > 0);
	const total = parts.reduce((sum, [, n]) => sum + n, 0);
	const bar = el('div.st-bar', { role: 'img', 'aria-label': parts.map(([reason, n]) => `${reason}: ${whole(n)} nodes`).join(', ') });
	const legend = el('div.bp-legend');
	for (const [reason, n] of parts) {
		const kind = `st-${reason.replace(/[^a-z]/g, '-')}`;
		const part = el('span', { className: `st-part ${kind}`, title: `${reason}: ${plural(n, 'node')}` });
		part.style.flexGrow = String(n / total);
		bar.append(part);
		legend.append(el('span', el('span', { className: `st-key ${kind}` }), `${reason === 'common' ? 'in common' : reason}: ${plural(n, 'node')}`));
	}
	return el('div', bar, legend);
}

/** The node of the delta tree that is node `number` of a side's tree. */
const nodeOf = (delta, side, number) => (side === 0 ? delta.old : delta.new).indexOf(number);

/** A method that leads to node `number` of a side's tree in the blueprint. */
function link(context, name, component, side, number) {
	const { delta } = pairOf(context.comparison, context.pair);
	const node = delta === null || number === undefined ? NONE : nodeOf(delta, side, number);
	const [code, where] = method(name, component);
	return node < 0 ? [code, where] : [el('a', { href: context.href('blueprint', { node: String(node) }), title: 'Show it in the tree' }, code), where];
}

/** Nothing where all files were not counted: only a report of the stages asks for that. */
function sourceCard(source) {
	if (!source) return '';
	const rows = ['files', 'methods'].map((what) => [what, ...source[what].map(whole)]);
	const changes = ['added', 'deleted', 'modified', 'renamed', 'moved'].map((what) => `${whole(source[what])} ${what}`).join(', ');
	const values = scroll(table('table.st-source', ['', 'old|num', 'new|num'], rows));
	return el('section.card', el('h2', 'Source of the two revisions'), values, el('p.dim', `${changes} methods`));
}

function stagesCard(parcs) {
	const sites = parcs.nodes_without_sites;
	const rows = REASONS.map(([reason, stage, why]) => {
		const at = parcs.stages[reason] || { subtrees: 0, nodes: 0 };
		const cells = [String(stage), [el('strong', reason), el('div.dim', why)], whole(at.subtrees), whole(at.nodes)];
		if (sites) cells.push(at.subtrees_without_sites === undefined ? null : whole(at.subtrees_without_sites));
		return cells;
	});
	const columns = ['Stage|num', 'Reason', 'Subtrees|num', 'Nodes|num', ...(sites ? ['Subtrees without call sites|num'] : [])];
	const [before, after] = parcs.nodes.map(whole);
	const sum = el(
		'p.st-sum',
		`${before} nodes in old, ${after} in new; ${whole(parcs.common)} in common, which is ${percent(parcs.common_share)} of old`,
		sites ? ` (without call sites: ${whole(sites[0])} and ${whole(sites[1])} nodes)` : '',
	);
	return card('Stages', el('h2', 'What only one of the trees has'), sum, stack(parcs), scroll(table('table.st-stages', columns, rows)));
}

const MARGIN = 14;
const MOST_DRAWN = 100; /* subtrees in the picture */
const ROW = 40; /* from one row of nodes to the next, */
const HIGH = 24; /* of a node, */
const GAP = 34; /* between callers and callees, */
const PAD = 26; /* beside a name, on both sides together, */
const MOST_NAME = 260;

/** What stands beside a subtree that was cut: why, in which tree, how much, and in how many runs it differs. */
function whyCut(delta, node, cut) {
	/* The rule of --match pairs what the stages cut for its order. */
	const where = delta.state(node) === 'both' ? 'at another place' : `only in ${cut.in}`;
	const differs = cut.differs_in === undefined ? '' : `; differs in ${cut.differs_in} of ${cut.runs} runs`;
	return `${cut.reason}, ${where}, ${plural(cut.nodes, 'node')}${differs}`;
}

/** Callers left of callees: a node without callees takes a row, a caller stands beside the middle of its callees. */
function placeAll(nodes) {
	let row = 0;
	for (const at of nodes) {
		at.x = at.caller ? at.caller.x + at.caller.reach + GAP : 0;
		if (at.callees.length === 0) at.y = ROW * row++;
	}
	for (const at of [...nodes].reverse()) if (at.callees.length > 0) at.y = (at.callees[0].y + at.callees.at(-1).y) / 2;
	return row * ROW;
}

/** The tree of PARCS's figure 6: the largest subtrees that were cut, each as its root, and the calls above them, in preorder. */
function pictureOf(delta, cuts) {
	const drawn = [...cuts].sort((a, b) => b.nodes - a.nodes).slice(0, MOST_DRAWN);
	const cutAt = new Map(drawn.map((cut) => [nodeOf(delta, Number(cut.in === 'new'), cut.node), cut]));
	const shown = new Shown(delta);
	const nodes = new Map();
	for (const node of cutAt.keys()) shown.reveal(node);
	for (const node of shown.list()) {
		const [name, cut, caller] = [delta.name(node), cutAt.get(node), nodes.get(delta.parent[node])];
		const why = cut ? whyCut(delta, node, cut) : '';
		const wide = Math.min(textWidth(name, TEXT_FONT), MOST_NAME) + PAD;
		const reach = wide + (why ? 8 + textWidth(why, VALUE_FONT) : 0);
		const at = { node, name, cut, why, caller, callees: [], modified: Boolean(delta.flags(node) & FLAG.modified), wide, reach };
		caller?.callees.push(at);
		nodes.set(node, at);
	}
	const all = [...nodes.values()];
	const height = placeAll(all);
	return { nodes: all, drawn: drawn.length, box: { x: 0, y: -HIGH / 2, width: all.reduce((most, { x, reach }) => Math.max(most, x + reach), 0), height } };
}

function shape({ x, y, wide, modified, cut }, high) {
	const kind = `st-node${modified ? ' modified' : ''}${cut ? ' cut' : ''}`;
	return modified
		? svg('rect', { class: kind, x, y: y - high / 2, width: wide, height: high })
		: svg('ellipse', { class: kind, cx: x + wide / 2, cy: y, rx: wide / 2, ry: high / 2 });
}

/** `href` makes links of nodes. */
function drawTree({ nodes }, delta, href) {
	const edge = ({ caller: from, ...to }) => {
		const x = from.x + from.reach;
		const middle = (x + to.x) / 2;
		return svg('path', { d: `M${x} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}` });
	};
	const group = (at) => {
		const { node, name, why, modified, x, y, wide } = at;
		const hidden = at.cut ? 0 : delta.nChildren(node) - at.callees.length;
		const title = [plainName(name), modified ? 'modified method' : '', why, hidden > 0 ? `${plural(hidden, 'more callee')}, not shown` : ''];
		const text = svg('text.st-name', { x: x + wide / 2, y: y + 4, 'text-anchor': 'middle' }, fitName(name, wide - 14, TEXT_FONT));
		const drawn = svg('g.pic-node', { 'data-node': String(node) }, svg('title', title.filter(Boolean).join('; ')), shape(at, HIGH), text);
		const beside = why ? svg('text.pic-values.st-why', { x: x + wide + 8, y: y + 4 }, why) : '';
		return [href ? svg('a', { href: href(node) }, drawn) : drawn, beside];
	};
	return svg('g', svg('g.pic-edges', nodes.filter(({ caller }) => caller).map(edge)), nodes.map(group));
}

function treeCard(delta, cuts, context) {
	const tree = pictureOf(delta, cuts);
	const { box } = tree;
	const width = Math.ceil(box.width + 2 * MARGIN);
	const height = Math.ceil(box.height + 2 * MARGIN);
	const href = (node) => context.href('blueprint', { node: String(node) });
	const key = (modified, cut, says) =>
		el('span', svg('svg.pic.st-sign', { width: 30, height: 16, viewBox: '0 0 30 16' }, shape({ x: 1, y: 8, wide: 28, modified, cut }, 14)), says);
	const title =
		tree.drawn < cuts.length ? `Tree of the largest ${whole(tree.drawn)} of ${whole(cuts.length)} subtrees that were cut` : 'Tree of what was cut';
	const save = button('SVG', 'Save as a picture', () => savePicture(pictureName(context, 'stages'), box, drawTree(tree, delta, null), 'Stages'));
	const picture = svg('svg.pic', { width, height, viewBox: `${box.x - MARGIN} ${box.y - MARGIN} ${width} ${height}` }, drawTree(tree, delta, href));
	const around = { tabIndex: 0, role: 'group', 'aria-label': 'Tree of the stages: callers left of callees' };
	const legend = el('div.bp-legend', key(true, false, 'modified method'), key(false, false, 'other method'), key(false, true, 'in one tree only'));
	return card('Tree of the stages', el('div.bar', el('h2', title), el('span.grow'), save), el('div.st-tree', around, picture), legend);
}

/** The subtrees that were cut, with a choice of the reason. */
class Cuts {
	constructor(cuts, context) {
		this.cuts = cuts;
		this.context = context;
		const reasons = REASONS.map(([reason]) => reason).filter((reason) => cuts.some((cut) => cut.reason === reason));
		const rows = [['', 'all reasons'], ...reasons.map((reason) => [reason, reason])];
		this.choice = el('select', { 'aria-label': 'Reason', onchange: () => this.fill() }, options(rows));
		this.body = el('div');
		this.card = card('Cut subtrees', el('div.bar', el('h2', 'Subtrees that were cut'), this.choice), this.body);
		this.fill();
	}

	fill() {
		const chosen = this.cuts.filter((cut) => this.choice.value === '' || cut.reason === this.choice.value);
		const rows = chosen.map((cut) => [
			cut.reason,
			cut.in === 'new' ? 'only in new' : 'only in old',
			link(this.context, cut.function, cut.component, Number(cut.in === 'new'), cut.node),
			cut.caller === null ? 'the whole tree' : method(cut.caller),
			whole(cut.nodes),
			cut.modified.length === 0 ? '–' : this.path(cut.modified),
		]);
		this.body.replaceChildren(folded('table.st-cuts', CUT_COLUMNS, rows, MOST_CUTS));
	}

	path(names) {
		return names.flatMap((name, i) => [i > 0 ? ' ‹ ' : '', el('code', plainName(name))]);
	}
}

function weightCard(weight, at, context) {
	const what = WEIGHTS[weight] || weight;
	const fill = el('span.st-fill');
	fill.style.width = `${Math.min(1, at.overlap) * 100}%`;
	const limit = el('span.st-limit');
	limit.style.left = `${Math.min(1, at.threshold) * 100}%`;
	const rows = at.pairs.map((pair) => [
		link(context, pair.function, pair.component, 1, pair.nodes && pair.nodes[1]),
		pair.caller === null ? '–' : method(pair.caller),
		...[pair.old_share, pair.new_share].map(percent),
		signed(pair.new_share - pair.old_share),
		percent(pair.overlap),
	]);
	const left = at.unchanged > 0 ? ` ${plural(at.unchanged, 'pair')} left out, where no method changed.` : '';
	const noise = at.own_noise ? ', which is how far two executions of new overlap' : ', as asked for';
	const equal = rows.length === 0 ? 'No method needs to be named to reach it.' : `With the methods below made equal, the overlap is ${percent(at.adjusted)}.`;
	return card(
		`Weights: ${what}`,
		el('h2', `Common tree by ${what}: the shares overlap ${percent(at.overlap)}`),
		el('div.st-overlap', { role: 'img', 'aria-label': `overlap ${percent(at.overlap)}, threshold ${percent(at.threshold)}` }, fill, limit),
		el('p.dim', `Threshold ${percent(at.threshold)}${noise}. ${equal}${left}`),
		rows.length > 0 ? folded('table.st-pairs', PAIR_COLUMNS, rows, MOST_PAIRS) : '',
	);
}

class View extends PairView {
	constructor(element, context) {
		super(element, context);
		const { comparison } = context;
		const { parcs } = comparison.pairs[context.pair];
		if (!parcs || !parcs.stages) {
			element.append(sourceCard(comparison.source));
			this.nothing('No stages', 'There are no call trees of both sides.');
			return;
		}
		element.append(stagesCard(parcs));
		const { delta } = pairOf(comparison, context.pair);
		if (parcs.cuts.length > 0 && delta) element.append(treeCard(delta, parcs.cuts, context));
		if (parcs.cuts.length > 0) element.append(new Cuts(parcs.cuts, context).card);
		element.append(...Object.entries(parcs.weights).map(([weight, at]) => weightCard(weight, at, context)), sourceCard(comparison.source));
	}
}

export const stages = asView('Stages', View, []);
