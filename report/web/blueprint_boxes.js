/*
 * Blueprint boxes: how high, how wide and of which colour the nodes of a delta tree are drawn, and what
 * stands beside them.
 */
import { COLOURS, FLAG, METRICS } from './blueprint_model.js';
import { el, svg } from './dom.js';
import { VALUE_FONT, fitName, NAME_FONT, textWidth } from './view_common.js';
import { ESTIMATED, isKnown, label, meaning, SIGNS } from './node_values.js';

const LABEL_ROOM = 180;
const LABEL_GAP = 8;
const ALL_LABELLED = 24; /* of more boxes than that only the highest have a label, */
const MOST_LABELLED = 60; /* so many of them, */
const LEAST_LABELLED = 0.02; /* and none below this part of the highest */
const SHORTEST = 34; /* the highest box, where all of a long path are as high, */
const LEAST_TALLEST = 110; /* where few are, */
const MOST_TALLEST = 360; /* and where there is room */
const MANY_ROWS = 440; /* pixels of rows that are as high as the highest */
const ROW = 30; /* rows and what is between them, as lay() has them */
const ROW_GAP = 28;
const LINE = 5; /* height 0 is a visible line, high enough for its colour */
const NARROWEST = 5; /* width 0 (Blueprint section III) */
const PATTERNS = {
	red: ['M-1,1l2,-2M0,6l6,-6M5,7l2,-2', 6],
	'light-red': ['M-1,1l2,-2M0,6l6,-6M5,7l2,-2', 6],
	green: ['M0,2H6', 6],
	'light-green': ['M0,2H6', 6],
	yellow: ['M1.5,1.5h1.4v1.4h-1.4zM4.5,4.5h1.4v1.4h-1.4z', 6],
	gray: ['M0,0l6,6M0,6l6,-6', 6],
};

/** What boxes look like for one delta tree, metric and basis. */
export class Boxes {
	/** @param room  height in pixels that what is shown at first is to fill */
	constructor(delta, metric, basis, room) {
		this.delta = delta;
		this.heights = delta.heights(metric, basis);
		this.widths = delta.width;
		this.colours = delta.colours(metric, basis);
		this.metric = metric;
		this.basis = basis;
		const most = delta.greatest(this.heights);
		const tallest = most > 0 ? this.tallest(delta.boxes[metric].first, most, room) : 0;
		const widest = delta.greatest(this.widths);
		this.perHeight = most > 0 ? tallest / most : 0;
		this.perWidth = widest > 0 ? Math.min(12, 150 / widest) : 0;
	}

	/** Height of the highest box, so that the rows of these nodes fill the room; where they are many, they go on below. */
	tallest(nodes, most, room) {
		const rows = [];
		for (const node of nodes) rows[this.delta.depth[node]] = Math.max(rows[this.delta.depth[node]] || 0, Math.abs(this.heights[node]) / most);
		const high = (tallest) => rows.reduce((sum, part) => sum + Math.max(ROW, part * tallest) + ROW_GAP, -ROW_GAP);
		let low = Math.max(SHORTEST, Math.min(LEAST_TALLEST, MANY_ROWS / rows.reduce((sum, part) => sum + part, 0)));
		let above = MOST_TALLEST;
		while (above - low > 1) {
			const middle = (low + above) / 2;
			if (high(middle) < room) low = middle;
			else above = middle;
		}
		return low;
	}

	height(node) {
		return Math.max(LINE, Math.abs(this.heights[node]) * this.perHeight);
	}
	width(node) {
		return Math.max(NARROWEST, this.widths[node] * this.perWidth);
	}
	colour(node) {
		return COLOURS[this.colours[node]];
	}

	text(node) {
		const name = `${SIGNS[this.colour(node)]} ${fitName(this.delta.name(node), LABEL_ROOM, NAME_FONT)}`;
		return [name, label(this.delta, node, this.metric, this.basis)];
	}

	/** The nodes that have a label: all, none, or those that a reader looks for. */
	labelled(nodes, which) {
		if (which === 'none') return new Set();
		if (which === 'all' || nodes.length <= ALL_LABELLED) return new Set(nodes);
		const size = (node) => Math.abs(this.heights[node]);
		const most = nodes.reduce((high, node) => Math.max(high, size(node)), 0);
		const high = [...nodes]
			.filter((node) => size(node) >= most * LEAST_LABELLED && size(node) > 0)
			.sort((a, b) => size(b) - size(a))
			.slice(0, MOST_LABELLED);
		return new Set([...high, ...this.delta.hotPath(0, this.metric)]);
	}

	/** For the layout. */
	size(labelled) {
		const beside = (node) => {
			const [name, values] = this.text(node);
			return LABEL_GAP + Math.max(textWidth(name, NAME_FONT), textWidth(values, VALUE_FONT));
		};
		return (node) => ({ width: this.width(node), height: this.height(node), label: labelled.has(node) ? beside(node) : 0 });
	}

	/** A box into its group. Its border lies around it, so that what is filled has the size of the values. */
	draw(group, node, labelled, thick, reach) {
		const colour = this.colour(node);
		const width = this.width(node);
		const height = this.height(node);
		const border = thick ? 3 : 1;
		group.dataset.colour = colour;
		group.dataset.border = thick ? 'thick' : 'thin';
		group.append(
			svg('rect.pic-hit-area', { x: -4, y: -4, width: reach + 10, height: Math.max(height, labelled ? 30 : 0) + 8 }),
			svg('rect', { class: `pic-box c-${colour}`, width, height }),
		);
		if (PATTERNS[colour] && height > LINE && width > NARROWEST) group.append(svg('rect.pic-pattern', { width, height, fill: `url(#bp-${colour})` }));
		group.append(
			svg('rect', {
				class: `pic-border ${thick ? 'thick' : 'thin'}`,
				x: -border / 2,
				y: -border / 2,
				width: width + border,
				height: height + border,
				'stroke-width': border,
			}),
		);
		if (!labelled) return;
		const [name, values] = this.text(node);
		group.append(svg('text.pic-name', { x: width + LABEL_GAP, y: 11 }, name), svg('text.pic-values', { x: width + LABEL_GAP, y: 25 }, values));
	}
}

export const patterns = () =>
	Object.entries(PATTERNS).map(([colour, [d, size]]) =>
		svg(
			'pattern',
			{ id: `bp-${colour}`, width: size, height: size, patternUnits: 'userSpaceOnUse' },
			svg('path', { d, class: `pic-pattern-${colour === 'yellow' ? 'dot' : 'line'}` }),
		),
	);

/** What a colour means for all boxes that have it: that a source is the same only where that is known of all. */
function meaningOf(delta, colours, c, metric) {
	let [known, unknown] = [false, false];
	for (let i = 0; i < delta.n && COLOURS[c].startsWith('light-') && !(known && unknown); i++)
		if (colours[i] === c && isKnown(delta.flags(i))) known = true;
		else if (colours[i] === c && i > 0) unknown = true;
	const words = meaning(COLOURS[c], metric, unknown && !known ? FLAG.unknown : 0);
	return known && unknown ? `${words}, as far as is known` : words;
}

const HEIGHTS = {
	own: (noun) => `height: difference in ${noun} without callees; all boxes add up`,
	time: (noun) => `height: difference in ${noun} with all callees`,
	share: (noun) => `height: difference in the share of all ${noun}`,
};

/** What the colours say, for those that are used. */
export function legend({ delta, metric, basis }) {
	const colours = delta.colours(metric, basis);
	const used = new Set(colours);
	const entries = COLOURS.map((colour, c) => {
		const inside = { x: 1, y: 1, width: 16, height: 12 };
		const pattern = PATTERNS[colour] ? svg('rect.pic-pattern', { ...inside, fill: `url(#bp-${colour})` }) : '';
		const border = svg('rect.pic-border.thin', { x: 0.5, y: 0.5, width: 17, height: 13, 'stroke-width': 1 });
		const box = svg('svg.pic', { width: 18, height: 14, 'aria-hidden': 'true' }, svg('rect', { class: `pic-box c-${colour}`, ...inside }), pattern, border);
		return used.has(c) ? el('span', box, ` ${SIGNS[colour]} ${meaningOf(delta, colours, c, metric)}`) : '';
	});
	const sizes = `${HEIGHTS[basis](METRICS[metric].noun)}; width: difference in calls (logarithm)`;
	const estimated = metric === 'instructions' ? [el('span', ESTIMATED)] : [];
	return [...entries.filter(Boolean), el('span', sizes), el('span', 'thick border: children that are not shown'), ...estimated];
}
