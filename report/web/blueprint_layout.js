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

/** The shown nodes as boxes in preorder, each with the box above it and those below. */
function makeBoxes(tree, shown, size, rowLeast) {
	const of = new Map();
	for (const node of shown.list()) {
		const { width, height, label } = size(node);
		const above = of.get(tree.parent[node]) ?? null;
		const depth = above === null ? 0 : above.depth + 1;
		const box = { node, above, below: [], depth, x: 0, y: 0, width, height, reach: width + label, spine: null };
		box.high = label > 0 ? Math.max(height, rowLeast) : height;
		above?.below.push(box);
		of.set(node, box);
	}
	return of;
}

/*
 * Callees that show no callees of their own stand below each other along a line, in as many columns as make
 * a block of about the shape of a screen: so their labels can be read, where one row would be far too wide.
 */
const STACKED = 3; /* so many of them in a row at least */
const STACK_GAP = 10;
const STACK_INDENT = 12;

/** The stack that begins with box i, whose boxes have their places within it; null where there is none. */
function stackAt(boxes, i, gap) {
	let n = 0;
	while (i + n < boxes.length && boxes[i + n].below.length === 0 && boxes[i + n].above === boxes[i].above) n++;
	if (n < STACKED) return null;
	const stack = { boxes: boxes.slice(i, i + n), stacked: true, width: 0, height: 0 };
	let [area, line] = [0, 0];
	for (const { reach, high } of stack.boxes) {
		area += (reach + gap + STACK_INDENT) * (high + STACK_GAP);
		line = Math.max(line, high + STACK_GAP);
	}
	const most = Math.max(line, Math.min(1400, Math.sqrt(area)) * 1.05);
	let [x, y, wide] = [0, 0, 0];
	for (const box of stack.boxes) {
		if (y > 0 && y + box.high > most) {
			x += STACK_INDENT + wide + gap;
			[y, wide] = [0, 0];
		}
		Object.assign(box, { x: x + STACK_INDENT, y });
		y += box.high + STACK_GAP;
		wide = Math.max(wide, box.reach);
		stack.width = Math.max(stack.width, x + STACK_INDENT + wide);
		stack.height = Math.max(stack.height, y);
	}
	stack.middle = x / 2;
	stack.before = stack.middle + 4;
	return stack;
}

const DEEPEST = 1500; /* d3-flextree recurses: what is deeper stands beside its caller, a row lower */

/** A group of boxes, one or a stack, as d3-flextree places it: by its middle, with what it takes up left and right of that, and below its top. */
function addCell({ boxes, before, width, middle, height }) {
	const above = boxes[0].above?.cell ?? null;
	const level = above === null ? 0 : Math.min(above.level + 1, DEEPEST);
	const parent = above !== null && above.level === DEEPEST ? above.parent : above;
	const cell = { parent, level, before, after: width - middle, high: height, children: [] };
	if (parent !== null) parent.children.push(cell);
	for (const box of boxes) box.cell = cell;
}

/** Set x of all cells below the first: of their middles. */
function place(root, gap) {
	const layout = flextree({ nodeSize: ({ data }) => [0, data.high], spacing: (a, b) => a.data.after + b.data.before + gap });
	layout(layout.hierarchy(root)).each((node) => {
		node.data.x = node.x;
	});
}

/** What all boxes take up. */
function extent(boxes) {
	let [left, right, bottom] = [Infinity, -Infinity, 0];
	for (const { x, y, reach, high } of boxes) {
		left = Math.min(left, x);
		right = Math.max(right, x + reach);
		bottom = Math.max(bottom, y + high);
	}
	return { x: left, y: 0, width: right - left, height: bottom };
}

/**
 * Boxes for the shown nodes of a tree. Rows are as high as their highest box, so that all of one depth
 * begin at one line, but for those that are stacked.
 *
 * @param size  (node) => { width, height, label }: label is what stands right of the box
 * @return      { boxes, of, box }: the boxes in preorder; by node; and what they take up. A box has node, above, below, depth, x (left),
 *              y, width, height, reach (with the label), spine (x of the line that a stacked box hangs on, else null)
 */
export function lay(tree, shown, size, { gap = 18, rowGap = 28, rowLeast = 30, stacks = true } = {}) {
	const of = makeBoxes(tree, shown, size, rowLeast);
	const boxes = [...of.values()];
	const groups = [];
	const rows = [];
	for (let i = 0; i < boxes.length; i += groups.at(-1).boxes.length) {
		const { depth, width, height, reach } = boxes[i];
		const stack = stacks ? stackAt(boxes, i, gap) : null;
		rows[depth] = Math.max(rows[depth] || rowLeast, stack ? 0 : height);
		groups.push(stack ?? { boxes: [boxes[i]], middle: width / 2, before: width / 2, width: reach });
	}
	const top = [0];
	for (const [d, high] of rows.entries()) top.push(top[d] + high + rowGap);
	for (const group of groups) addCell({ height: rows[group.boxes[0].depth] + rowGap, ...group });
	place(boxes[0].cell, gap);
	for (const { boxes: own, middle, stacked } of groups)
		for (const box of own) {
			box.x += box.cell.x - middle;
			box.y += top[box.depth];
			if (stacked) box.spine = box.x - STACK_INDENT;
		}
	return { boxes, of, box: extent(boxes) };
}
