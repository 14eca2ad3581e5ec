/*
 * Sandwich: a method wherever it is called, as one: its callers together above it, its callees together below. Nothing
 * here touches the document.
 */
import { NONE } from './blueprint_model.js';

/** Call paths that begin at one method, put together by their methods. Node 0 is the method itself. */
class Paths {
	constructor(frame) {
		this.parent = [NONE];
		this.frame = [frame];
		this.old = [0];
		this.new = [0];
		this.depth = [0];
		this.children = [new Map()];
	}

	child(node, frame) {
		const found = this.children[node].get(frame);
		if (found !== undefined) return found;
		const child = this.parent.length;
		this.children[node].set(frame, child);
		this.parent.push(node);
		this.frame.push(frame);
		this.old.push(0);
		this.new.push(0);
		this.depth.push(this.depth[node] + 1);
		this.children.push(new Map());
		return child;
	}

	add(node, [before, after]) {
		this.old[node] += before;
		this.new[node] += after;
	}

	get n() {
		return this.parent.length;
	}

	/** The larger of both sides, and never less than the children together. */
	widths() {
		const out = new Float64Array(this.n);
		const below = new Float64Array(this.n);
		for (let i = this.n - 1; i >= 0; i--) {
			out[i] = Math.max(this.old[i], this.new[i], below[i]);
			if (i > 0) below[this.parent[i]] += out[i];
		}
		return out;
	}

	/** Boxes of a pixel and more, the largest first among siblings: [node, x, width, row]. */
	place(total) {
		const widths = this.widths();
		const scale = widths[0] > 0 ? total / widths[0] : 0;
		const boxes = [];
		const open = [[0, 0]];
		while (open.length > 0) {
			const [node, x] = open.pop();
			if (node > 0 && widths[node] * scale < 1) continue;
			boxes.push([node, x, widths[node] * scale, this.depth[node]]);
			let at = x;
			for (const child of [...this.children[node].values()].sort((a, b) => widths[b] - widths[a] || a - b)) {
				open.push([child, at]);
				at += widths[child] * scale;
			}
		}
		return boxes;
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
		let at = 0;
		paths.add(at, values);
		for (let caller = delta.parent[node]; caller !== NONE; caller = delta.parent[caller]) {
			at = paths.child(at, delta.frame[caller]);
			paths.add(at, values);
		}
	}
	return paths;
}

/** What a method calls. */
export function calleesOf(delta, frame, metric) {
	const paths = new Paths(frame);
	const at = new Int32Array(delta.n);
	for (const node of outermost(delta, frame))
		for (let i = node; i < delta.end[node]; i++) {
			at[i] = i === node ? 0 : paths.child(at[delta.parent[i]], delta.frame[i]);
			paths.add(at[i], delta.values(i, metric, 'total'));
		}
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
