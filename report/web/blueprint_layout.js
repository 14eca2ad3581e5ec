/*
 * Blueprint layout: which nodes of a tree are shown, and where. d3-flextree lays them out: boxes differ in width, carry a
 * label at one side only, and leaves are stacked across rows.
 */
import { flextree } from 'd3-flextree';
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
function condense(tree, nodes) {
	const n = nodes.length;
	const [parent, first, next, last] = [0, 1, 2, 3].map(() => new Int32Array(n).fill(NONE));
	const depth = new Uint32Array(n);
	const path = [];
	for (let i = 0; i < n; i++) {
		while (path.length > 0 && nodes[path[path.length - 1]] !== tree.parent[nodes[i]]) path.pop();
		depth[i] = path.length;
		if (path.length > 0) {
			const above = path[path.length - 1];
			parent[i] = above;
			if (first[above] === NONE) first[above] = i;
			else next[last[above]] = i;
			last[above] = i;
		}
		path.push(i);
	}
	return { n, parent, depth, first, next };
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

const DEEPEST = 1500; /* d3-flextree recurses: what is deeper stands beside its caller, a row lower */

/** A box or a stack as d3-flextree places it: by its middle, with what it takes up left and right of that, and below its top. */
function addCell(above, before, after, high) {
	const level = above === null ? 0 : Math.min(above.level + 1, DEEPEST);
	const parent = above !== null && above.level === DEEPEST ? above.parent : above;
	const cell = { parent, level, before, after, high, children: [] };
	if (parent !== null) parent.children.push(cell);
	return cell;
}

/** Set x of all cells below the first: of their middles. */
function place(root, gap) {
	const layout = flextree({ nodeSize: ({ data }) => [0, data.high], spacing: (a, b) => a.data.after + b.data.before + gap });
	layout(layout.hierarchy(root)).each((node) => {
		node.data.x = node.x;
	});
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

	const cells = [];
	for (let i = 0; i < n; i++) {
		const above = parent[i] === NONE ? null : cells[parent[i]];
		const stack = stackOf.get(i);
		cells[i] = stack
			? addCell(above, stack.middle + 4, stack.width - stack.middle, stack.height)
			: addCell(above, width[i] / 2, reach[i] - width[i] / 2, rows[depth[i]] + rowGap);
		if (stack) i += stack.n - 1;
	}
	place(cells[0], gap);

	const x = new Float64Array(n);
	const y = new Float64Array(n);
	const spine = new Float64Array(n).fill(NaN);
	const indexOf = new Map();
	const box = { left: Infinity, right: -Infinity, bottom: 0 };
	for (let i = 0; i < n; i++) {
		const stack = stackOf.get(i);
		if (!stack) {
			x[i] = cells[i].x - width[i] / 2;
			y[i] = top[depth[i]];
			continue;
		}
		const left = cells[i].x - stack.middle;
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
		next: small.next,
		depth,
		x,
		y,
		width,
		height,
		reach,
		spine,
		box: { x: box.left, y: 0, width: box.right - box.left, height: box.bottom },
	};
}
