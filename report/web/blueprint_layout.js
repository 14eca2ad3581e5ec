/*
 * Blueprint layout: which nodes of a tree are shown, and where. The layout is a tidy one (Buchheim, Juenger,
 * Leipert, "Improving Walker's algorithm to run in linear time", 2002), written here over arrays rather than
 * taken from d3-hierarchy: boxes differ in width and carry a label at one side only, so what lies between two
 * neighbours is no property of a level; leaves are stacked, which a tidy tree of single nodes cannot say; and an
 * object for each of so many nodes takes longer than all the drawing.
 */
import { NONE } from './blueprint_model.js';

/** Most nodes that one action brings up. */
export const AT_ONCE = 1000;

/** Which nodes of a tree are shown; with a node, all above it are. */
export class Shown {
	constructor(tree) {
		this.tree = tree;
		this.is = new Uint8Array(tree.n);
		this.is[0] = 1;
		this.count = 1;
	}

	add(node) {
		if (!this.is[node]) {
			this.is[node] = 1;
			this.count++;
		}
	}

	/** Show a node and all above it. */
	reveal(node) {
		for (let at = node; at !== NONE && !this.is[at]; at = this.tree.parent[at]) this.add(at);
	}

	path(nodes) {
		nodes.forEach((node) => this.add(node));
	}

	/**
	 * Show some of what is hidden: those that weigh most, then the first.
	 *
	 * @param weights  by node; of a node never less than of one below it, so that none is shown without those above
	 * @return         how many are left to be shown
	 */
	most(hidden, weights) {
		const order = hidden.length <= AT_ONCE ? hidden : hidden.sort((a, b) => weights[b] - weights[a] || a - b);
		for (let i = 0; i < Math.min(AT_ONCE, order.length); i++) this.add(order[i]);
		return Math.max(0, order.length - AT_ONCE);
	}

	/** Show the children of a node; returns how many are left. */
	children(node, weights) {
		const hidden = [];
		for (let c = node + 1; c < this.tree.end[node]; c = this.tree.end[c]) if (!this.is[c]) hidden.push(c);
		return this.most(hidden, weights);
	}

	/** Show all below a node; returns how many are left. */
	below(node, weights) {
		const hidden = [];
		for (let i = node + 1; i < this.tree.end[node]; i++) if (!this.is[i]) hidden.push(i);
		return this.most(hidden, weights);
	}

	hide(node) {
		for (let i = node + 1; i < this.tree.end[node]; i++) {
			this.count -= this.is[i];
			this.is[i] = 0;
		}
	}

	/** Whether a node has children that are not shown: its border is thick. */
	hides(node) {
		for (let c = node + 1; c < this.tree.end[node]; c = this.tree.end[c]) if (!this.is[c]) return true;
		return false;
	}

	/** Nodes that are shown, in preorder. */
	list() {
		const out = new Int32Array(this.count);
		let n = 0;
		for (let i = 0; i < this.tree.n;) {
			if (!this.is[i]) {
				i = this.tree.end[i];
				continue;
			}
			out[n++] = i++;
		}
		return out.subarray(0, n);
	}
}

/** The shown nodes as a small tree of their own, numbered from 0 in preorder. */
export function condense(tree, nodes) {
	const n = nodes.length;
	const out = {
		n,
		parent: new Int32Array(n),
		depth: new Uint32Array(n),
		first: new Int32Array(n).fill(NONE),
		last: new Int32Array(n).fill(NONE),
		next: new Int32Array(n).fill(NONE),
		left: new Int32Array(n).fill(NONE),
		order: new Int32Array(n),
	};
	const path = [];
	for (let i = 0; i < n; i++) {
		while (path.length > 0 && nodes[path[path.length - 1]] !== tree.parent[nodes[i]]) path.pop();
		const parent = path.length > 0 ? path[path.length - 1] : NONE;
		out.parent[i] = parent;
		out.depth[i] = path.length;
		if (parent !== NONE) {
			if (out.first[parent] === NONE) out.first[parent] = i;
			else {
				out.left[i] = out.last[parent];
				out.next[out.last[parent]] = i;
				out.order[i] = out.order[out.last[parent]] + 1;
			}
			out.last[parent] = i;
		}
		path.push(i);
	}
	return out;
}

/**
 * Places in one row below the other: x of the middle of every box.
 *
 * @param small   a tree as condense() makes it
 * @param before  by node: what it takes up left of its middle
 * @param after   right of it
 * @param gap     between neighbours
 */
export function tidy(small, before, after, gap) {
	const { n, parent, first, last, left, order } = small;
	const prelim = new Float64Array(n);
	const mod = new Float64Array(n);
	const shift = new Float64Array(n);
	const change = new Float64Array(n);
	const thread = new Int32Array(n).fill(NONE);
	const ancestor = Int32Array.from({ length: n }, (_, i) => i);
	const leftmost = (v) => (first[v] !== NONE ? first[v] : thread[v]);
	const rightmost = (v) => (last[v] !== NONE ? last[v] : thread[v]);
	const apart = (a, b) => after[a] + before[b] + gap;

	function push(from, to, by) {
		const between = order[to] - order[from];
		change[to] -= by / between;
		shift[to] += by;
		change[from] += by / between;
		prelim[to] += by;
		mod[to] += by;
	}

	/* Move v's subtree clear of all that stand left of it; the deeper right contour is threaded on. */
	function apportion(v, reached) {
		if (left[v] === NONE) return reached;
		let insideRight = v;
		let outsideRight = v;
		let insideLeft = left[v];
		let outsideLeft = first[parent[v]];
		let sumInsideRight = mod[insideRight];
		let sumOutsideRight = mod[outsideRight];
		let sumInsideLeft = mod[insideLeft];
		let sumOutsideLeft = mod[outsideLeft];
		let nextLeft = rightmost(insideLeft);
		let nextRight = leftmost(insideRight);
		while (nextLeft !== NONE && nextRight !== NONE) {
			insideLeft = nextLeft;
			insideRight = nextRight;
			outsideLeft = leftmost(outsideLeft);
			outsideRight = rightmost(outsideRight);
			ancestor[outsideRight] = v;
			const by = prelim[insideLeft] + sumInsideLeft - prelim[insideRight] - sumInsideRight + apart(insideLeft, insideRight);
			if (by > 0) {
				const whose = parent[ancestor[insideLeft]] === parent[v] ? ancestor[insideLeft] : reached;
				push(whose, v, by);
				sumInsideRight += by;
				sumOutsideRight += by;
			}
			sumInsideLeft += mod[insideLeft];
			sumInsideRight += mod[insideRight];
			sumOutsideLeft += mod[outsideLeft];
			sumOutsideRight += mod[outsideRight];
			nextLeft = rightmost(insideLeft);
			nextRight = leftmost(insideRight);
		}
		if (nextLeft !== NONE && rightmost(outsideRight) === NONE) {
			thread[outsideRight] = nextLeft;
			mod[outsideRight] += sumInsideLeft - sumOutsideRight;
		}
		if (nextRight !== NONE && leftmost(outsideLeft) === NONE) {
			thread[outsideLeft] = nextRight;
			mod[outsideLeft] += sumInsideRight - sumOutsideLeft;
			return v;
		}
		return reached;
	}

	const reached = Int32Array.from(first); /* by parent: the child that the next one is held against */
	const siblings = [];
	function place(v) {
		let middle = 0;
		if (first[v] !== NONE) {
			let moved = 0;
			let changed = 0;
			siblings.length = 0;
			for (let c = last[v]; c !== NONE; c = left[c]) {
				prelim[c] += moved;
				mod[c] += moved;
				changed += change[c];
				moved += shift[c] + changed;
			}
			middle = (prelim[first[v]] + prelim[last[v]]) / 2;
		}
		if (left[v] !== NONE) {
			prelim[v] = prelim[left[v]] + apart(left[v], v);
			mod[v] = first[v] !== NONE ? prelim[v] - middle : 0;
		} else {
			prelim[v] = middle;
		}
		if (parent[v] !== NONE) reached[parent[v]] = apportion(v, reached[parent[v]]);
	}

	/* children before parents, and each after its left sibling */
	const path = [];
	for (let i = 0; i < n; i++) {
		while (path.length > 0 && path[path.length - 1] !== parent[i]) place(path.pop());
		path.push(i);
	}
	while (path.length > 0) place(path.pop());

	const x = new Float64Array(n);
	const sum = new Float64Array(n);
	for (let i = 0; i < n; i++) {
		const above = parent[i] === NONE ? 0 : sum[parent[i]];
		x[i] = prelim[i] + above;
		sum[i] = above + mod[i];
	}
	return x;
}

/*
 * Callees that show no callees of their own stand below each other along a line, in as many columns as make
 * a block of about the shape of a screen: so their labels can be read, where one row would be far too wide.
 */
const STACKED = 3; /* so many of them in a row at least */
const STACK_GAP = 10;
const STACK_INDENT = 12;

/** The stack that begins with node i of a condensed tree; null where there is none. */
function stackAt(small, i, shape) {
	let n = 0;
	while (i + n < small.n && small.first[i + n] === NONE && (n === 0 || small.next[i + n - 1] === i + n)) n++;
	if (n < STACKED) return null;
	let area = 0;
	let line = 0;
	for (let k = i; k < i + n; k++) {
		const high = shape.high(k) + STACK_GAP;
		area += (shape.wide(k) + shape.gap + STACK_INDENT) * high;
		line = Math.max(line, high);
	}
	const most = Math.max(line, Math.min(1400, Math.sqrt(area)) * 1.05);
	const stack = { from: i, n, x: new Float64Array(n), y: new Float64Array(n), spines: [], width: 0, height: 0 };
	for (let k = 0, x = 0, y = 0, wide = 0; k < n; k++) {
		if (y > 0 && y + shape.high(i + k) > most) {
			x += STACK_INDENT + wide + shape.gap;
			y = 0;
			wide = 0;
		}
		if (y === 0) stack.spines.push(x);
		stack.x[k] = x + STACK_INDENT;
		stack.y[k] = y;
		y += shape.high(i + k) + STACK_GAP;
		wide = Math.max(wide, shape.wide(i + k));
		stack.width = Math.max(stack.width, x + STACK_INDENT + wide);
		stack.height = Math.max(stack.height, y);
	}
	stack.middle = (stack.spines[0] + stack.spines[stack.spines.length - 1]) / 2;
	return stack;
}

/** Nodes and stacks as what tidy() places: a stack goes on through as many rows as it is high. */
class Cells {
	constructor() {
		this.n = 0;
		for (const key of ['parent', 'depth', 'first', 'last', 'left', 'order', 'before', 'after']) this[key] = [];
	}

	add(parent, before, after) {
		const i = this.n++;
		this.parent.push(parent);
		this.first.push(NONE);
		this.last.push(NONE);
		this.left.push(parent === NONE ? NONE : this.last[parent]);
		this.order.push(parent === NONE || this.last[parent] === NONE ? 0 : this.order[this.last[parent]] + 1);
		this.before.push(before);
		this.after.push(after);
		if (parent !== NONE) {
			if (this.first[parent] === NONE) this.first[parent] = i;
			this.last[parent] = i;
		}
		return i;
	}
}

/**
 * Boxes for the shown nodes of a tree. Rows are as high as their highest box, so that all of one depth
 * begin at one line, but for those that are stacked.
 *
 * @param size  (node, out) sets out.width, out.height, out.label: what stands right of the box
 * @return      arrays by place, in preorder: node, x (left), y, width, height, reach (with the label), parent,
 *              first, next, depth, spine (x of the line that a stacked box hangs on, else NaN)
 */
export function lay(tree, shown, size, { gap = 18, rowGap = 28, rowLeast = 30, stacks = true } = {}) {
	const nodes = shown.list();
	const small = condense(tree, nodes);
	const { n, depth, parent } = small;
	const width = new Float64Array(n);
	const height = new Float64Array(n);
	const reach = new Float64Array(n);
	const labelled = new Uint8Array(n);
	const out = { width: 0, height: 0, label: 0 };
	for (let i = 0; i < n; i++) {
		size(nodes[i], out);
		width[i] = out.width;
		height[i] = out.height;
		reach[i] = out.width + out.label;
		labelled[i] = Number(out.label > 0);
	}
	const high = (i) => (labelled[i] ? Math.max(height[i], rowLeast) : height[i]);

	const stackOf = new Map();
	const rows = [];
	for (let i = 0; i < n; i++) {
		const stack = stacks ? stackAt(small, i, { high, wide: (k) => reach[k], gap }) : null;
		rows[depth[i]] = Math.max(rows[depth[i]] || rowLeast, stack ? 0 : height[i]);
		if (stack) {
			stackOf.set(i, stack);
			i += stack.n - 1;
		}
	}
	const top = [];
	for (let d = 0, y = 0; d < rows.length; y += rows[d] + rowGap, d++) top[d] = y;

	const cells = new Cells();
	const cellOf = new Int32Array(n);
	for (let i = 0; i < n; i++) {
		const above = parent[i] === NONE ? NONE : cellOf[parent[i]];
		const stack = stackOf.get(i);
		if (!stack) {
			cellOf[i] = cells.add(above, width[i] / 2, reach[i] - width[i] / 2);
			continue;
		}
		let cell = cells.add(above, stack.middle + 4, stack.width - stack.middle);
		cellOf[i] = cell;
		for (let d = depth[i] + 1; d < rows.length && top[d] < top[depth[i]] + stack.height; d++)
			cell = cells.add(cell, stack.middle + 4, stack.width - stack.middle);
		i += stack.n - 1;
	}
	const middle = tidy(cells, cells.before, cells.after, gap);

	const x = new Float64Array(n);
	const y = new Float64Array(n);
	const spine = new Float64Array(n).fill(NaN);
	const indexOf = new Map();
	const box = { left: Infinity, right: -Infinity, bottom: 0 };
	for (let i = 0; i < n; i++) {
		const stack = stackOf.get(i);
		if (!stack) {
			x[i] = middle[cellOf[i]] - width[i] / 2;
			y[i] = top[depth[i]];
			continue;
		}
		const left = middle[cellOf[i]] - stack.middle;
		for (let k = 0; k < stack.n; k++) {
			x[i + k] = left + stack.x[k];
			y[i + k] = top[depth[i]] + stack.y[k];
			spine[i + k] = x[i + k] - STACK_INDENT;
		}
		i += stack.n - 1;
	}
	for (let i = 0; i < n; i++) {
		indexOf.set(nodes[i], i);
		box.left = Math.min(box.left, x[i]);
		box.right = Math.max(box.right, x[i] + reach[i]);
		box.bottom = Math.max(box.bottom, y[i] + Math.max(height[i], labelled[i] ? rowLeast : 0));
	}
	return {
		n,
		node: nodes,
		indexOf,
		parent,
		first: small.first,
		last: small.last,
		next: small.next,
		depth,
		x,
		y,
		width,
		height,
		reach,
		spine,
		labelled,
		box: { x: box.left, y: 0, width: box.right - box.left, height: box.bottom },
	};
}
