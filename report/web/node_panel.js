/*
 * Node panel: the selected node below a picture: its callers, everything that is known of it, and its source on
 * both sides.
 */
import * as sourcePane from './source_pane.js';
import { COLOURS, FLAG } from './blueprint_model.js';
import { el, scroll } from './dom.js';
import { fitName, plainName, CRUMB_FONT } from './view_common.js';
import { place, sentences, table } from './node_values.js';
import { plural } from './model.js';

const MOST_CALLERS = 14;

/** A way back to each caller of a node; of many, a button shows those in the middle. */
export function crumbs(delta, node, pick) {
	const path = delta.pathTo(node);
	const caller = (at) => {
		const state = { title: plainName(delta.name(at)), 'aria-current': String(at === node), onclick: () => pick(at) };
		return el('li', el('button.quiet', state, fitName(delta.name(at), 260, CRUMB_FONT)));
	};
	if (path.length <= MOST_CALLERS) return el('ol', ...path.map(caller));
	const middle = path.slice(3, 3 - MOST_CALLERS);
	const open = () => more.replaceWith(...middle.map(caller));
	const more = el('li', el('button.quiet', { title: 'Show these callers', onclick: open }, `… ${middle.length} more`));
	return el('ol', ...path.slice(0, 3).map(caller), more, ...path.slice(3 - MOST_CALLERS).map(caller));
}

function whyNoSource(flags) {
	if (flags & FLAG.waiting) return 'No source: this is time in which no code ran.';
	if (flags & FLAG.root) return 'No source: this is the benchmark as a whole.';
	if (flags & FLAG.unknown) return 'No source is known of it: it belongs to a library, to the system, or to generated code.';
	if (flags & (FLAG.modified | FLAG.added | FLAG.deleted))
		return 'Its source changed, but is not in this page, which carries the source only of the methods that differ most.';
	return 'Its source is the same in both revisions, and was left out to keep this page small.';
}

/** The values of a node in words and as a table, as the elements of a panel. */
export function about(delta, node, metric, basis, more = '') {
	const colour = COLOURS[delta.colours(metric, basis)[node]];
	const [state, ...rest] = sentences(delta, node, metric, basis);
	const [runsOld, runsNew] = delta.runs;
	const runs = `Values are means of ${plural(runsOld, 'profile')} of old and ${runsNew.toLocaleString('en')} of new.`;
	const words = el(
		'div',
		el('h2', plainName(delta.name(node))),
		el('p.mono.dim', place(delta.frames, delta.frame[node])),
		el('p.bp-state', el('span', { className: `bp-swatch c-${colour}`, 'aria-hidden': 'true' }), state),
		el('ul.plain', ...rest.map((text) => el('li', text))),
		runsOld > 0 && runsNew > 0 ? el('p.dim', runs) : '',
		more,
	);
	return el('div.bp-node', words, scroll(table(delta, node)));
}

/** The source of a node's method, or why there is none. */
export function source(pair, delta, node, entry) {
	const found = pair.source(node);
	const names = ['old', 'new'].map((side) => (entry && entry[side] && entry[side].name) || '');
	return found ? sourcePane.pane(found, names) : el('p.dim.bp-nosource', whyNoSource(delta.flags(node)));
}

/** What stands beside the pointer. */
export const hover = (delta, node, metric, basis) => [
	el('div.name', plainName(delta.name(node))),
	el('div.mono.dim', place(delta.frames, delta.frame[node])),
	...sentences(delta, node, metric, basis).map((text) => el('div', text)),
	table(delta, node),
];
