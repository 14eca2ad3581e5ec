/*
 * Node values: everything that is known of a node of a delta tree, in words: what became of it, and each value
 * of both executions, always told apart as old and new.
 */
import { COLOURS, FLAG, METRICS } from './blueprint_model.js';
import { el, tableHead } from './dom.js';
import { amount, percent, plainName, signed, whole } from './view_common.js';
import { formatChange, plural } from './model.js';

/** Less of the old execution than that is not said of a caller. */
const LEAST_SAID = 0.0005;

/** A sign for each colour: the second cue beside the hue. Changed methods have the full sign. */
export const SIGNS = { neutral: '=', red: '▲', 'light-red': '△', green: '▼', 'light-green': '▽', yellow: '+', gray: '−' };

/** Whether the source of a node's method is known: only then can it be said to be the same. */
export const isKnown = (flags) => (flags & (FLAG.root | FLAG.waiting | FLAG.unknown)) === 0;

/** What a colour means for a metric; of a node whose flags are known, as far as they tell. */
export function meaning(colour, metric, flags = 0) {
	const { more, less } = METRICS[metric];
	if (!isKnown(flags) && colour.startsWith('light-')) return colour === 'light-red' ? more : less;
	return {
		neutral: 'no difference beyond what runs vary by',
		red: `${more}, and its method changed`,
		'light-red': `${more}, its method did not change`,
		green: `${less}, and its method changed`,
		'light-green': `${less}, its method did not change`,
		yellow: 'added: only new calls it here',
		gray: 'removed: only old called it here',
	}[colour];
}

/** What is known of a method's source and code. */
export function sourceWords(flags) {
	const words = [];
	if (flags & FLAG.waiting) return 'waiting: no code of the program ran';
	if (flags & FLAG.root) return 'the benchmark as a whole';
	if (flags & FLAG.modified) words.push(flags & FLAG.idle ? 'source modified, without effect on its code' : 'source modified');
	if (flags & FLAG.added) words.push('method is new');
	if (flags & FLAG.deleted) words.push('method was deleted');
	if (flags & FLAG.renamed) words.push('renamed or moved');
	if (flags & FLAG.code) words.push('machine code differs');
	if (flags & FLAG.unknown) words.push('nothing is known of its source');
	return words.length > 0 ? words.join(', ') : 'source is the same';
}

/** "file.c:12" where it is defined; '' where nobody knows. */
export function place(frames, frame) {
	const file = (frames.file && frames.file[frame]) || (frames.component && frames.component[frame]) || '';
	const line = frames.line && frames.line[frame];
	return file === '' ? '' : plainName(line ? `${file}:${line}` : file);
}

/** All values: [what, old, new, metric], null where a side lacks the node. */
function rows(delta, node) {
	const out = [];
	const there = [delta.old[node] >= 0, delta.new[node] >= 0];
	const add = (what, values, metric) => {
		if (values) out.push([what, ...values.map((v, side) => (there[side] ? v : null)), metric]);
	};
	const calls = delta.values(node, 'count', 'own');
	if (delta.own.count) add('calls', calls || [null, null], 'count');
	for (const [metric, own, total] of [
		['time', `own ${METRICS.time.noun}`, `total ${METRICS.time.noun}`],
		['allocations', 'own allocations', 'total allocations'],
		['bytes', 'own bytes', 'total bytes'],
		['instructions', 'own instructions', 'total instructions'],
	]) {
		const all = delta.values(node, metric, 'total');
		add(own, delta.values(node, metric, 'own'), metric);
		add(total, all, metric);
		add(
			`${metric === 'time' ? METRICS.time.noun : metric} per call`,
			all && calls && all.map((v, side) => (calls[side] > 0 ? v / calls[side] : null)),
			metric,
		);
	}
	return out;
}

/** A value per call is seldom a whole number. */
function show(v, metric, what) {
	if (v === null) return '–';
	if (what.endsWith('per call') && METRICS[metric].unit !== 'ns' && v < 1000 && !Number.isInteger(v))
		return metric === 'bytes' ? `${Number(v.toPrecision(3))} B` : String(Number(v.toPrecision(3)));
	return amount(v, metric);
}

/** The values as a table with the columns old, new and difference. */
export function table(delta, node) {
	const body = rows(delta, node)
		.filter(([, old, fresh]) => old !== null || fresh !== null)
		.map(([what, old, fresh, metric]) => {
			const both = old !== null && fresh !== null;
			const exact = !what.endsWith('per call') || METRICS[metric].unit === 'ns';
			return el(
				'tr',
				{ dataset: { value: what } },
				el('th', { scope: 'row' }, what),
				el('td.num', show(old, metric, what)),
				el('td.num', show(fresh, metric, what)),
				el('td.num', both && exact ? signed(fresh - old, metric) : both && fresh === old ? '±0' : ''),
				el('td.num', both && old > 0 ? formatChange((fresh - old) / old) : ''),
			);
		});
	return el('table.bp-values', tableHead(['', 'old|num', 'new|num', 'difference|num', '|num']), el('tbody', ...body));
}

/** What the box's height says, in words. */
function heightWords(delta, node, metric, basis) {
	const height = delta.heights(metric, basis)[node];
	const { noun } = METRICS[metric];
	const state = delta.state(node);
	if (basis === 'own') {
		const of = `of all ${noun} of the ${delta.boxes[metric].of} execution`;
		return delta.isLeaf(node)
			? `height ${percent(height)} ${of}`
			: `height ${percent(height)} itself, ${percent(delta.heights(metric, 'time')[node])} with its callees, ${of}`;
	}
	const of = basis === 'share' ? `points of its share of all ${noun}` : `of all ${noun} of the ${delta.boxes[metric].of} execution`;
	const less = delta.isLeaf(node)
		? ''
		: state === 'added'
			? ', less what its children took in old'
			: state === 'removed'
				? ', less what its children take in new'
				: '';
	return `height ${percent(height)} ${of}${less}`;
}

/** What the box's width says, in words. */
function widthWords(delta, node) {
	const calls = delta.values(node, 'count', 'own');
	if (!calls) return 'width: calls are not known';
	const state = delta.state(node);
	if (state === 'both') return `width: ${calls[0] === calls[1] ? 'as many calls' : `${signed(calls[1] - calls[0], 'count')} calls`}`;
	const [there, other] = state === 'added' ? ['new', 'old'] : ['old', 'new'];
	const against = delta.parent[node] >= 0 && delta.state(delta.parent[node]) === state ? there : other;
	return `width: ${plural(Math.max(...calls), 'call')} in ${there}, against its caller's calls in ${against}`;
}

/** "differs in 3 of 8 counting runs of new", by side; nothing where all agree. */
function differsWords(delta, node) {
	return ['old', 'new']
		.flatMap((side, i) => {
			const runs = delta.differs[i].get(delta[side][node]);
			return runs ? [`differs in ${whole(runs)} of ${whole(delta.countingRuns[i])} counting runs of ${side}`] : [];
		})
		.join(', ');
}

/** What is to be known of instructions, which are counted by method: its contexts are told apart by estimate. */
export const ESTIMATED = 'Instructions are exact by method; several contexts of one have shares, by calls where these are known, an estimate';

/** What a node's instructions are a share of; nothing where they are all of its method's. */
function sharedWords(delta, node) {
	const sides = delta.ofMethod(node, 'instructions');
	const contexts = sides === null ? 0 : Math.max(...sides.map(({ n }) => n));
	if (contexts < 2) return '';
	const [before, after] = sides.map(({ sum }) => whole(sum));
	return `instructions: a share, an estimate, of what its method executes in ${contexts} contexts: exactly ${before} in old, ${after} in new`;
}

/** Sentences on a node. */
export function sentences(delta, node, metric, basis) {
	const colour = COLOURS[delta.colours(metric, basis)[node]];
	const out = [`${SIGNS[colour]} ${meaning(colour, metric, delta.flags(node))}`, sourceWords(delta.flags(node))];
	out.push(heightWords(delta, node, metric, basis), widthWords(delta, node));
	const differs = differsWords(delta, node);
	if (differs) out.push(differs);
	const shared = sharedWords(delta, node);
	if (shared) out.push(shared);
	const [oldLine, newLine] = delta.site(node);
	if (oldLine || newLine)
		out.push(`called from line ${oldLine && newLine && oldLine !== newLine ? `${oldLine} in old, ${newLine} in new` : oldLine || newLine}`);
	if (metric === 'time' && colour === 'neutral' && delta.heights(metric, basis)[node] !== 0) out.push('its difference is within the noise of the runs');
	return out;
}

/** For those who hear it. */
export function spoken(delta, node, metric, basis) {
	const total = delta.values(node, metric, 'total');
	const calls = delta.values(node, 'count', 'own');
	return [
		plainName(delta.name(node)),
		...sentences(delta, node, metric, basis)
			.slice(0, 3)
			.map((text) => text.replace(/^[^\w]+/u, '')),
		total ? `${METRICS[metric].noun} old ${amount(total[0], metric)}, new ${amount(total[1], metric)}` : '',
		calls ? `calls old ${whole(calls[0])}, new ${whole(calls[1])}` : '',
	]
		.filter(Boolean)
		.join('; ');
}

/** What stands under the name in a label: the height, and calls where they differ. */
export function label(delta, node, metric, basis) {
	const height = delta.heights(metric, basis)[node];
	const calls = delta.values(node, 'count', 'own');
	const short = (v) => (v < 10000 ? whole(v) : Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 }).format(v));
	const all = delta.heights(metric, 'time')[node];
	let text = percent(height);
	if (basis === 'own' && Math.abs(all - height) > 0.01 * Math.abs(all))
		text = `${Math.abs(height) < LEAST_SAID ? '' : `${text}; `}with callees ${percent(all)}`;
	if (calls && delta.state(node) === 'both' && calls[0] !== calls[1]) text += ` · ${short(calls[0])} → ${short(calls[1])} calls`;
	else if (calls && delta.state(node) !== 'both') text += ` · ${short(Math.max(...calls))} call${Math.max(...calls) === 1 ? '' : 's'}`;
	return text;
}
