/*
 * Graph: what a row of the commit graph shows, as values and as shapes. Spark circles are those of Spark Circle
 * (sections III and IV): equal ring sectors, clockwise from the top, one a metric; a sector's height is the
 * magnitude, its border dark where the value rises, and that of noise where it is no jump.
 */
import { formatChange, plural, previous, relativeChange } from './model.js';
import { svg } from './dom.js';

export const LINE_COLOURS = 8;

export const METHOD_STEPS = [1, 3, 6, 11, 26]; /* changed methods: 0, 1-2, 3-5, 6-10, 11-25, more */
const GAP = 0.09; /* radians between two sectors */
const COLOURS = {
	methods: ['var(--pink)', 'var(--pink-light)', 'var(--pink-dark)'],
	allocations: ['var(--orange)', 'var(--orange-light)', 'var(--orange-dark)'],
	wall: ['var(--blue)', 'var(--blue-light)', 'var(--blue-dark)'],
};
const MORE = 4; /* colours for further metrics: --more0 and so on */

/** 0 to 1. */
export const methodsHeight = (mc, steps = METHOD_STEPS) => steps.filter((least) => mc >= least).length / steps.length;
export const changeHeight = (change) => Math.min(Math.abs(change), 1);

/**
 * What can be a sector: changed methods, then every metric of the model. Allocations and time are the paper's
 * and come first; `fill`, `light` and `dark` are colours.
 */
export function sectorKinds(model) {
	const found = [{ key: 'methods', label: 'changed methods', metric: null }];
	const rank = (name) => ['allocations', 'wall'].indexOf(name) + 1 || 9;
	model.metrics
		.map((metric, i) => ({ key: metric.name, label: metric.label, metric: i }))
		.sort((a, b) => rank(a.key) - rank(b.key))
		.forEach((kind) => found.push(kind));
	let more = 0;
	for (const kind of found) {
		const i = COLOURS[kind.key] ? 0 : more++ % MORE;
		const [fill, light, dark] = COLOURS[kind.key] || ['', '-light', '-dark'].map((shade) => `var(--more${i}${shade})`);
		Object.assign(kind, { fill, light, dark });
	}
	return found;
}

/**
 * For each row the revision that its values in the line are held against: that of the nearest ancestor along
 * first parents that has values; null: there is none. Where first parents lead out of the picture it is the
 * one that was measured before the last that is in it. One pass from the oldest on, because every commit
 * stands before its parents.
 */
export function bases(history, line) {
	const { commits } = history;
	const base = new Array(commits.length).fill(null);
	const leaves = new Array(commits.length).fill(false);
	const before = (commit) => (commit.revision === null ? null : previous(line, commit.revision));
	for (let row = commits.length - 1; row >= 0; row--) {
		const commit = commits[row];
		const [first = null] = commit.parents;
		const parent = first === null ? null : commits[first];
		const measured = parent !== null && parent.revision !== null && line.value[parent.revision] != null;
		leaves[row] = parent === null ? commit.parents.length > 0 : !measured && leaves[first];
		if (measured) base[row] = parent.revision;
		else if (parent !== null && !(leaves[row] && base[first] === null && parent.revision === null)) base[row] = base[first];
		else if (leaves[row]) base[row] = before(commit);
	}
	return base;
}

/** What a commit's value in a line is compared with: { from, to, before, jump, judged }. */
function comparison(commit, model, line, base) {
	if (commit.revision === null) return commit.beside.get(line.index) || { from: null, to: null, before: null, jump: null, judged: false };
	const to = line.value[commit.revision] ?? null;
	const at = to !== null ? base[commit.row] : null;
	return {
		from: at !== null ? line.value[at] : null,
		to,
		before: at !== null ? model.revisions[at].id : null,
		jump: line.jumps.find((jump) => jump.after === commit.revision) || null,
		judged: line.judged && line.levels.some((run) => run.from <= commit.revision && commit.revision <= run.to),
	};
}

/**
 * One sector: { kind, known, value, height, dark, noise, from, to, before, jump }. At a jump the value is its
 * size; else the difference of the two values as they were measured, which is noise: where jumps were looked
 * for it has no height, and its edge is not that of a change.
 */
export function sector(kind, commit, model, line, base) {
	if (kind.metric === null) {
		const known = commit.mc !== null;
		return { kind, known, value: commit.mc, height: known ? methodsHeight(commit.mc, model.history.steps) : 0, dark: known && commit.mc > 0, noise: false };
	}
	if (!line) return { kind, known: false, value: null, height: 0, dark: false, noise: false, from: null, to: null, before: null, jump: null };
	const { from, to, before, jump, judged } = comparison(commit, model, line, base);
	const value = jump ? jump.relative : from === to && to !== null ? 0 : relativeChange(from, to);
	const known = value !== null && Number.isFinite(value);
	const noise = known && !jump && value !== 0;
	return {
		kind,
		known,
		value: known ? value : null,
		height: known && !(noise && judged) ? changeHeight(value) : 0,
		dark: known && !noise && value > 0,
		noise,
		from,
		to,
		before,
		jump,
	};
}

/** The colour of a sector's edge. */
export const edgeOf = (s) => (s.noise ? 'var(--noise)' : s.dark ? s.kind.dark : s.kind.light);

/** A ring sector's outline; angles in radians, clockwise from the top. */
function sectorPath(inner, outer, from, to) {
	const point = (radius, angle) => `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`;
	const large = to - from > Math.PI ? 1 : 0;
	return (
		`M${point(inner, from)}L${point(outer, from)}A${outer} ${outer} 0 ${large} 1 ${point(outer, to)}` +
		`L${point(inner, to)}A${inner} ${inner} 0 ${large} 0 ${point(inner, from)}Z`
	);
}

/** Where sector i of n begins and ends. */
function angles(i, n) {
	const each = (2 * Math.PI) / n;
	const gap = n === 1 ? 0.0001 : GAP / 2; /* one sector is a whole ring: its two ends must not be one point */
	return [i * each + gap, (i + 1) * each - gap];
}

/**
 * The glyph around (0, 0): the track is where a sector of the full height would end; a sector that is not
 * known is a dashed outline.
 */
export function glyph(sectors, radius, hole) {
	const room = radius - hole;
	const parts = sectors.map((s, i) => {
		const [from, to] = angles(i, sectors.length);
		if (!s.known)
			return svg('path.unknown', {
				d: sectorPath(hole, hole + room * 0.35, from, to),
				fill: 'none',
				stroke: 'var(--dim)',
				'stroke-width': 0.9,
				'stroke-dasharray': '1.6 1.8',
				'data-kind': s.kind.key,
			});
		const outer = hole + Math.max(0.9, room * s.height);
		return svg('path.sector', {
			d: sectorPath(hole, outer, from, to),
			fill: s.kind.fill,
			stroke: edgeOf(s),
			'stroke-width': s.noise ? 0.8 : 1.3,
			'stroke-linejoin': 'round',
			'data-kind': s.kind.key,
			'data-height': s.height,
			'data-outer': outer,
			'data-from': from,
			'data-to': to,
		});
	});
	return svg(
		'g.spark',
		svg('circle.track', { r: radius + 1, fill: 'var(--card)', stroke: 'var(--line)', 'stroke-width': 0.8 }),
		svg('circle.hole', { r: Math.max(1, hole - 1.2), fill: 'var(--dim)' }),
		parts,
	);
}

/** Where lanes stand: at their distance while there is room, closer where a history is wide. */
export function laneScale(width) {
	const step = Math.max(5, Math.min(22, 330 / Math.max(1, width)));
	const most = Math.min(Math.max(1, width), 60) - 1;
	return { step, width: Math.ceil(36 + most * step), x: (lane) => 18 + Math.min(lane, most) * step };
}

/** The lines from one row's middle to the next row's, around (0, 0) as the row's middle. */
export function drawEdges(edges, scale, height) {
	return edges.map(([left, right, colour]) => {
		const [from, to] = [left, right].map(scale.x);
		const d = from === to ? `M${from} 0V${height}` : `M${from} 0C${from} ${height * 0.55} ${to} ${height * 0.45} ${to} ${height}`;
		return svg('path.edge', { d, fill: 'none', stroke: `var(--l${colour % LINE_COLOURS})`, 'stroke-width': 2 });
	});
}

/**
 * The mark of a jump around (0, 0): up for a regression, down for an improvement; filled when confirmed, hollow
 * when suspected, over a bar when accepted. The shape says it without the colour.
 */
export function jumpPath(jump, size) {
	const s = jump.regression ? 1 : -1;
	const bar = jump.state === 'accepted' ? `M${-size} ${s * (size * 0.75 + 3)}H${size}` : '';
	return { triangle: `M0 ${-s * size}L${size} ${s * size * 0.75}H${-size}Z`, bar };
}

export function jumpMark(jump, size) {
	const { triangle, bar } = jumpPath(jump, size);
	const colour = jump.state === 'accepted' ? 'var(--dim)' : jump.regression ? 'var(--bad)' : 'var(--good)';
	return svg(
		'g',
		{ class: `jump ${jump.state}`, 'data-state': jump.state },
		svg('path', { d: triangle, fill: jump.state === 'suspect' ? 'var(--card)' : colour, stroke: colour, 'stroke-width': 1.6, 'stroke-linejoin': 'round' }),
		bar === '' ? '' : svg('path', { d: bar, stroke: colour, 'stroke-width': 2 }),
	);
}

/** The name of a jump's state for people: a suspect whose fresh runs gave no answer is undecided. */
export const jumpStanding = (jump) => (jump.state === 'suspect' && jump.undecided ? 'undecided' : jump.state);

/** How sure it is that a jump is at its commit, in percent, rounded down: no model of noise may say 100. */
export const jumpSure = (jump) => Math.min(Math.floor(jump.sure * 1000) / 10, jump.source === 'exact' ? 100 : 99.9);

/** What the size of a jump rests on: "40 fresh pairs", "levels", "exact". */
export const jumpSource = (jump) => (jump.source === 'pairs' ? plural(jump.pairs, 'fresh pair') : jump.source);

/** "+33.6 % by 40 fresh pairs: 23.4 → 31.3 ms". */
export function jumpSizes(jump) {
	const by = { exact: ', exact', levels: ' by the levels of the series' }[jump.source] ?? ` by ${jumpSource(jump)}`;
	return `${formatChange(jump.relative)}${by}: ${jump.levels}`;
}

/** "confirmed by 12 pairs of fresh runs, p 0.0012" and the like. */
export function jumpStateText(jump) {
	if (jump.state === 'accepted') return `accepted${jump.why ? `: ${jump.why}` : ''}`;
	const runs = jump.pairs > 0 ? ` ${jump.state === 'confirmed' ? 'by' : 'after'} ${plural(jump.pairs, 'pair')} of fresh runs` : '';
	const p = jump.p === null ? '' : `, p ${jump.p < 0.0001 ? '< 0.0001' : Number(jump.p.toPrecision(2))}`;
	return `${jumpStanding(jump)}${runs}${p}${jump.layout ? '; layout: same machine code, same allocations; only its placement in memory differs' : ''}${jump.generic ? `; ${jump.generic}` : ''}`;
}

/** "▲", "△" and so on: as jumpMark() draws it. */
export const jumpSign = (jump) => (({ confirmed: ['▼', '▲'], suspect: ['▽', '△'], accepted: ['▼̲', '▲̲'] })[jump.state] || ['▽', '△'])[jump.regression ? 1 : 0];
