/*
 * Sandwich: a method wherever it is called, as one: its callers together above it, its callees together below. Nothing
 * here touches the document.
 */
import { NONE } from './blueprint_model.js';

/** Boxes of a pixel and more, from the root down: as wide as their sizes, children side by side below their parent. */
export function icicle(root, total, sizeOf, childrenOf) {
	const scale = sizeOf(root) > 0 ? total / sizeOf(root) : 0;
	const boxes = [];
	const open = [[root, 0]];
	while (open.length > 0) {
		const [node, x] = open.pop();
		const width = sizeOf(node) * scale;
		if (width < 1 && node !== root) continue;
		boxes.push({ node, x, width });
		const below = [];
		let at = x;
		for (const child of childrenOf(node)) {
			below.push([child, at]);
			at += sizeOf(child) * scale;
		}
		while (below.length > 0) open.push(below.pop());
	}
	return boxes;
}

/** Call paths that begin at one method, put together by their methods. The first node is the method itself. */
class Paths {
	constructor(frame) {
		this.nodes = [{ frame, above: null, depth: 0, old: 0, new: 0, next: new Map() }];
	}

	/** The node below one with that frame, to which values are added. */
	add(above, frame, [before, after]) {
		let node = above === null ? this.nodes[0] : above.next.get(frame);
		if (!node) {
			node = { frame, above, depth: above.depth + 1, old: 0, new: 0, next: new Map() };
			above.next.set(frame, node);
			this.nodes.push(node);
		}
		node.old += before;
		node.new += after;
		return node;
	}

	/** Boxes of a pixel and more, the largest first among siblings; a box is never narrower than those below it together. */
	place(total) {
		for (const node of this.nodes) node.below = 0;
		for (const node of [...this.nodes].reverse()) {
			node.size = Math.max(node.old, node.new, node.below);
			if (node.above) node.above.below += node.size;
		}
		return icicle(
			this.nodes[0],
			total,
			({ size }) => size,
			({ next }) => [...next.values()].sort((a, b) => b.size - a.size),
		);
	}
}

/** Nodes of a method that are not below another call of it: their totals can be added. */
function* outermost(delta, frame) {
	for (let i = 0; i < delta.n;) {
		if (delta.frame[i] === frame) yield i;
		i = delta.frame[i] === frame ? delta.end[i] : i + 1;
	}
}

/** Who calls a method: how much of it each call path upwards has. */
export function callersOf(delta, frame, metric) {
	const paths = new Paths(frame);
	for (const node of outermost(delta, frame)) {
		const values = delta.values(node, metric, 'total');
		let at = null;
		for (let caller = node; caller !== NONE; caller = delta.parent[caller]) at = paths.add(at, delta.frame[caller], values);
	}
	return paths;
}

/** What a method calls. */
export function calleesOf(delta, frame, metric) {
	const paths = new Paths(frame);
	const at = [];
	for (const node of outermost(delta, frame))
		for (let i = node; i < delta.end[node]; i++)
			at[i] = paths.add(i === node ? null : at[delta.parent[i]], delta.frame[i], delta.values(i, metric, 'total'));
	return paths;
}

/** Each method with what it took itself and with its callees: { frame, node, own, total }, each as [old, new]; what differs most itself is first. */
export function methodsOf(delta, metric) {
	const found = new Map();
	const until = new Map(); /* by frame: the end of its outermost call */
	for (let i = 0; i < delta.n; i++) {
		const frame = delta.frame[i];
		if (!found.has(frame)) found.set(frame, { frame, node: i, own: [0, 0], total: [0, 0] });
		const method = found.get(frame);
		const own = delta.values(i, metric, 'own') || [0, 0];
		const total = delta.values(i, metric, 'total');
		const isOutermost = i >= (until.get(frame) ?? 0);
		if (isOutermost) until.set(frame, delta.end[i]);
		for (const side of [0, 1]) {
			method.own[side] += own[side];
			if (isOutermost) method.total[side] += total[side];
		}
	}
	const difference = ({ own }) => Math.abs(own[1] - own[0]);
	return [...found.values()].sort((a, b) => difference(b) - difference(a) || Math.max(...b.total) - Math.max(...a.total) || a.frame - b.frame);
}
