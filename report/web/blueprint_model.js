/*
 * Blueprint model: a pair of a comparison as arrays, its delta trees, and the measures of section III of
 * "Performance Evolution Blueprint" (Sandoval Alcocer et al., VISSOFT 2013) for any metric and basis. Heights
 * and widths are those of analysis/compare/blueprint.c. Nothing here touches the document, and nothing recurses: a tree
 * lies in preorder, its parents before their children.
 */

export const NONE = -1;
/** What is shown beside the hot path at first: PE_BLUEPRINT_LEAST and PE_BLUEPRINT_FIRST. */
const LEAST = 0.05;
const FIRST = 16;
export const COLOURS = ['neutral', 'red', 'light-red', 'green', 'light-green', 'yellow', 'gray'];
const [NEUTRAL, RED, LIGHT_RED, GREEN, LIGHT_GREEN, YELLOW, GRAY] = COLOURS.keys();
/** What the flags of a frame say. */
export const FLAG = { modified: 1, added: 2, deleted: 4, renamed: 8, code: 16, waiting: 32, unknown: 64, root: 128, idle: 256 };
const CHANGED = FLAG.modified | FLAG.added | FLAG.deleted;

/** Whether what a method does may have changed by itself: pe_change_touches(). */
const isTouched = (flags) => (flags & FLAG.code) !== 0 || ((flags & CHANGED) !== 0 && (flags & FLAG.idle) === 0);

/** Metrics that heights can be of, and the column of what a node did itself. */
export const METRICS = {
	time: { column: 'self_ns', label: 'time', noun: 'time', more: 'slower', less: 'faster' },
	allocations: { column: 'allocations', label: 'allocations', noun: 'allocations', more: 'more allocations', less: 'fewer allocations' },
	bytes: { column: 'bytes', label: 'bytes allocated', noun: 'allocated bytes', more: 'more bytes', less: 'fewer bytes' },
	instructions: { column: 'instructions', label: 'instructions', noun: 'instructions', more: 'more instructions', less: 'fewer instructions' },
	count: { column: 'calls', label: 'calls', noun: 'calls', more: 'more calls', less: 'fewer calls' },
};

/** One past the last node below each, from distances to parents. */
export function ends(parent) {
	const end = new Int32Array(parent.length);
	for (let i = parent.length - 1; i >= 0; i--) {
		if (end[i] === 0) end[i] = i + 1;
		if (parent[i] !== NONE && end[i] > end[parent[i]]) end[parent[i]] = end[i];
	}
	return end;
}

/** Distances back to the parent, 0 for the root, as numbers of nodes. */
export function parents(distances) {
	const parent = new Int32Array(distances.length);
	for (let i = 0; i < distances.length; i++) parent[i] = distances[i] > 0 ? i - distances[i] : NONE;
	return parent;
}

/** An execution: what each node did itself and with all below. */
class Tree {
	constructor(raw) {
		this.n = raw.parent.length;
		this.runs = raw.runs;
		this.parent = parents(raw.parent);
		this.frame = raw.frame;
		this.site = raw.site || null;
		/* of the whole execution, with what no context holds */
		this.wholes = { time: raw.duration_ns || 0, instructions: raw.whole_instructions || 0 };
		this.countingRuns = raw.counting_runs || 0;
		this.differs = new Map(raw.differs || []);
		/* calls of a node that only samples know are unknown */
		this.uncounted = raw.calls && raw.calls.includes(null) ? Uint8Array.from(raw.calls, (calls) => Number(calls === null)) : null;
		this.own = {};
		this.total = {};
		this.byFrame = {};
		for (const [metric, { column }] of Object.entries(METRICS)) if (raw[column]) this.own[metric] = Float64Array.from(raw[column]);
		for (const [metric, own] of Object.entries(this.own)) {
			const total = own.slice();
			for (let i = this.n - 1; i > 0; i--) total[this.parent[i]] += total[i];
			this.total[metric] = total;
		}
	}

	/** By frame: its contexts, and what they did themselves. */
	methods(metric) {
		if (!this.byFrame[metric]) {
			const size = this.frame.reduce((most, frame) => Math.max(most, frame + 1), 0);
			const found = { n: new Uint32Array(size), sum: new Float64Array(size) };
			this.frame.forEach((frame, i) => {
				found.n[frame]++;
				found.sum[frame] += this.own[metric][i];
			});
			this.byFrame[metric] = found;
		}
		return this.byFrame[metric];
	}

	/** What the whole execution took, with what no context holds. */
	whole(metric) {
		const total = this.total[metric] ? this.total[metric][0] : 0;
		return Math.max(this.wholes[metric] || 0, total);
	}
}

/** A delta tree: two executions as one, by one way of matching. */
class Delta {
	constructor(raw, trees, frames, title) {
		this.title = title;
		this.match = raw.match;
		this.sites = raw.call_sites;
		this.trees = trees;
		this.frames = frames;
		this.old = Int32Array.from(raw.old);
		this.new = Int32Array.from(raw.new);
		this.n = this.old.length;
		this.parent = parents(raw.parent);
		this.end = ends(this.parent);
		this.depth = new Uint32Array(this.n);
		this.frame = new Int32Array(this.n);
		this.given = { own: raw.colour_own, time: raw.colour_time, share: raw.colour_share };
		for (let i = 0; i < this.n; i++) {
			this.depth[i] = i > 0 ? this.depth[this.parent[i]] + 1 : 0;
			this.frame[i] = this.new[i] !== NONE ? trees[1].frame[this.new[i]] : trees[0].frame[this.old[i]];
		}
		this.metrics = Object.keys(METRICS).filter((m) => trees.every((tree) => tree.total[m]));
		this.kept = new Map();
	}

	/** The name of a node's method; the root is the benchmark itself. */
	name(node) {
		return this.flags(node) & FLAG.root && this.title ? this.title : this.frames.name[this.frame[node]];
	}

	state(node) {
		return this.old[node] === NONE ? 'added' : this.new[node] === NONE ? 'removed' : 'both';
	}
	flags(node) {
		return this.frames.flags[this.frame[node]] || 0;
	}
	isLeaf(node) {
		return this.end[node] === node + 1;
	}

	/** The next sibling, or NONE. */
	next(node) {
		const parent = this.parent[node];
		return parent !== NONE && this.end[node] < this.end[parent] ? this.end[node] : NONE;
	}

	/** How many children a node has. */
	nChildren(node) {
		let n = 0;
		for (let c = node + 1; c < this.end[node]; c = this.end[c]) n++;
		return n;
	}

	/** Whether the calls of a node are known on the sides that have it. */
	counted(node) {
		return [this.old[node], this.new[node]].every((at, side) => at === NONE || !this.trees[side].uncounted || !this.trees[side].uncounted[at]);
	}

	/** [old, new] of a value, 0 where a side lacks the node; null where it is not known. */
	values(node, metric, kind) {
		if (metric === 'count' && kind === 'own' && !this.counted(node)) return null;
		const [a, b] = this.trees.map((tree) => tree[kind][metric]);
		if (!a || !b) return null;
		return [this.old[node] === NONE ? 0 : a[this.old[node]], this.new[node] === NONE ? 0 : b[this.new[node]]];
	}

	/** The method of a node in all its contexts, of old and new: their number, and what they did themselves; null where that is not known. */
	ofMethod(node, metric) {
		if (!this.metrics.includes(metric)) return null;
		return [this.old[node], this.new[node]].map((at, side) => {
			const { n, sum } = this.trees[side].methods(metric);
			const frame = at !== NONE ? this.trees[side].frame[at] : this.frameOn(side, node);
			return { n: n[frame] || 0, sum: sum[frame] || 0 };
		});
	}

	/** The frame that the method of a node has in a tree which lacks the node: another one where it was renamed. */
	frameOn(side, node) {
		const renamed = this.keep(`frames on ${side}`, () => {
			const out = new Map();
			const [there, here] = side === 0 ? [this.old, this.new] : [this.new, this.old];
			for (let i = 0; i < this.n; i++)
				if (there[i] !== NONE && here[i] !== NONE) out.set(this.trees[1 - side].frame[here[i]], this.trees[side].frame[there[i]]);
			return out;
		});
		const at = side === 0 ? this.new[node] : this.old[node];
		const frame = this.trees[1 - side].frame[at];
		return renamed.has(frame) ? renamed.get(frame) : frame;
	}

	/** Line of the call in its caller on both sides, 0 where unknown. */
	site(node) {
		return [
			[this.trees[0], this.old[node]],
			[this.trees[1], this.new[node]],
		].map(([tree, at]) => (tree.site && at !== NONE ? tree.site[at] || 0 : 0));
	}

	/** New less old of what a node and all below took. */
	difference(node, metric) {
		const a = this.trees[0].total[metric];
		const b = this.trees[1].total[metric];
		return (this.new[node] === NONE ? 0 : b[this.new[node]]) - (this.old[node] === NONE ? 0 : a[this.old[node]]);
	}

	/** What values are divided by on both sides: an execution that took nothing has no shares. */
	scale(metric, basis) {
		const [old, fresh] = this.trees.map((tree) => tree.whole(metric));
		if (basis === 'share') return [old, fresh];
		return old > 0 ? [old, old] : [fresh, fresh];
	}

	/**
	 * Signed heights: positive is slower. By 'own' what a node did itself, so that all add up to the root's by
	 * 'time'; else with its callees, of a node that one side lacks less what its children were there.
	 */
	heights(metric, basis) {
		return this.keep(`height ${metric} ${basis}`, () => {
			const out = new Float64Array(this.n);
			const [scaleOld, scaleNew] = this.scale(metric, basis);
			const [a, b] = this.trees.map((tree) => tree[basis === 'own' ? 'own' : 'total'][metric]);
			if (!a || !b) return out;
			for (let i = 0; i < this.n; i++) {
				const before = this.old[i] !== NONE && scaleOld > 0 ? a[this.old[i]] / scaleOld : 0;
				const after = this.new[i] !== NONE && scaleNew > 0 ? b[this.new[i]] / scaleNew : 0;
				out[i] += after - before;
				const parent = this.parent[i];
				if (parent === NONE || basis === 'own') continue;
				if (this.old[parent] === NONE) out[parent] -= before;
				else if (this.new[parent] === NONE) out[parent] += after;
			}
			return out;
		});
	}

	/**
	 * ln of the difference in calls, plus 1; a node that one side lacks is held against its parent there, and
	 * against its parent on its own side where that one is new, or gone, as well.
	 */
	widths() {
		return this.keep('width', () => {
			const out = new Float64Array(this.n);
			const [a, b] = this.trees.map((tree) => tree.own.count);
			if (!a || !b) return out;
			for (let i = 0; i < this.n; i++) {
				if (!this.counted(i)) continue;
				/* nothing is known of a caller that was not counted: it counts as not called */
				const parent = this.parent[i] === NONE || !this.counted(this.parent[i]) ? i : this.parent[i];
				const oldNode = this.old[i] === NONE ? this.old[parent] : this.old[i];
				const newNode = this.new[i] === NONE ? this.new[parent] : this.new[i];
				const before = oldNode !== NONE ? a[oldNode] : parent !== i ? b[this.new[parent]] : 0;
				const after = newNode !== NONE ? b[newNode] : parent !== i ? a[this.old[parent]] : 0;
				out[i] = Math.log(Math.abs(after - before) + 1);
			}
			return out;
		});
	}

	/**
	 * Numbers of COLOURS. Those of time were judged against the noise of the runs when the page was written;
	 * counts are exact, so of them every difference has its colour: by 'own' that of a node with its callees
	 * where it did as much itself as before.
	 */
	colours(metric, basis) {
		if (metric === 'time' && this.given[basis]) return this.given[basis];
		return this.keep(`colour ${metric} ${basis}`, () => {
			const heights = this.heights(metric, basis);
			const out = new Uint8Array(this.n);
			for (let i = 0; i < this.n; i++) {
				const height = heights[i] === 0 && basis === 'own' ? this.difference(i, metric) : heights[i];
				const touched = isTouched(this.flags(i));
				if (this.old[i] === NONE) out[i] = YELLOW;
				else if (this.new[i] === NONE) out[i] = GRAY;
				else if (height > 0) out[i] = touched ? RED : LIGHT_RED;
				else if (height < 0) out[i] = touched ? GREEN : LIGHT_GREEN;
			}
			return out;
		});
	}

	/** From a node the child with the greatest variation, the first of equal ones, down to a leaf. */
	hotPath(node, metric) {
		const path = [];
		for (let at = node; at !== NONE;) {
			path.push(at);
			let best = NONE;
			let most = -1;
			for (let c = at + 1; c < this.end[at]; c = this.end[c]) {
				const size = Math.abs(this.difference(c, metric));
				if (size > most) {
					most = size;
					best = c;
				}
			}
			at = best;
		}
		return path;
	}

	/**
	 * What is shown at first, as pe_blueprint_make() has it: the hot path; what varies most itself, and with its
	 * callees beside the hot path; and all above them.
	 */
	first(metric) {
		const path = this.hotPath(0, metric);
		const hot = new Set(path);
		const own = this.heights(metric, 'own').map(Math.abs);
		const colours = this.colours(metric, 'own');
		const total = own.map((_, i) => Math.abs(this.difference(i, metric)));
		const [mostOwn, mostTotal] = [this.greatest(own), this.greatest(total)];
		const found = [];
		for (let i = 1; i < this.n; i++) {
			if (hot.has(i) || colours[i] === NEUTRAL) continue;
			const size = Math.max(mostOwn > 0 ? own[i] / mostOwn : 0, hot.has(this.parent[i]) && mostTotal > 0 ? total[i] / mostTotal : 0);
			if (size >= LEAST) found.push([size, i]);
		}
		found.sort(([a, i], [b, j]) => b - a || i - j);
		return [...path, ...found.slice(0, FIRST).flatMap(([, i]) => this.pathTo(i))];
	}

	/** The greatest height at or below each node: what is worth looking at first. */
	weights(metric, basis) {
		return this.keep(`weight ${metric} ${basis}`, () => {
			const out = this.heights(metric, basis).map(Math.abs);
			for (let i = this.n - 1; i > 0; i--) out[this.parent[i]] = Math.max(out[this.parent[i]], out[i]);
			return out;
		});
	}

	/** From the root down to a node. */
	pathTo(node) {
		const path = [];
		for (let at = node; at !== NONE; at = this.parent[at]) path.push(at);
		return path.reverse();
	}

	/** The greatest of a column, at least a little. */
	greatest(column) {
		let most = 0;
		for (let i = 0; i < this.n; i++) most = Math.max(most, Math.abs(column[i]));
		return most;
	}

	/** Nodes whose method or file has a text in its name, in the tree's order. */
	find(text) {
		const wanted = text.toLowerCase();
		const frames = this.frames;
		const hit = new Uint8Array(frames.name.length);
		for (let f = 0; f < hit.length; f++)
			hit[f] = Number(frames.name[f].toLowerCase().includes(wanted) || ((frames.file && frames.file[f]) || '').toLowerCase().includes(wanted));
		const nodes = [];
		for (let i = 0; i < this.n; i++) if (hit[this.frame[i]]) nodes.push(i);
		return nodes;
	}

	/** The node that stands for one of another delta tree of the same pair; NONE where there is none. */
	counterpart(other, node) {
		if (other.trees === this.trees) {
			for (let i = 0; i < this.n; i++)
				if ((other.new[node] !== NONE && this.new[i] === other.new[node]) || (other.old[node] !== NONE && this.old[i] === other.old[node])) return i;
			return NONE;
		}
		/* other trees: follow the methods from the root */
		let at = 0;
		for (const step of other.pathTo(node).slice(1)) {
			let next = NONE;
			for (let c = at + 1; c < this.end[at] && next === NONE; c = this.end[c]) if (this.frame[c] === other.frame[step]) next = c;
			if (next === NONE) return at;
			at = next;
		}
		return at;
	}

	keep(key, make) {
		if (!this.kept.has(key)) this.kept.set(key, make());
		return this.kept.get(key);
	}
}

/** A pair with its variants; those that nobody asked for are not unpacked. */
class Pair {
	constructor(comparison, index) {
		this.raw = comparison.pairs[index];
		this.frames = comparison.frames;
		this.variants = this.raw.variants || [];
		this.deltas = new Map();
		this.trees = new Map();
		this.shownOf = new Map(); /* by delta tree: what a view has opened */
		this.bySource = new Map((comparison.sources || []).map((source) => [source.frame, source]));
	}

	/** The delta tree by a rule, with or without call sites; the first variant where that one is not there. */
	delta(match, sites) {
		const found = this.variants.findIndex((v) => v.match === match && v.call_sites === sites);
		const at = Math.max(0, found);
		if (!this.deltas.has(at)) {
			const raw = this.variants[at];
			this.deltas.set(at, new Delta(raw, this.treesOf(raw.trees || this.raw.trees), this.frames, this.raw.name));
		}
		return this.deltas.get(at);
	}

	/** The rule and whether call sites count, as an address says, and as was asked for where it says nothing. */
	chosen(state) {
		const [first] = this.variants;
		const match = this.variants.some((v) => v.match === state.match) ? state.match : first.match;
		const wanted = state.sites === undefined ? first.call_sites : state.sites === '1';
		const there = this.variants.filter((v) => v.match === match);
		return { match, sites: there.some((v) => v.call_sites === wanted) ? wanted : there[0].call_sites };
	}

	/** Both executions, unpacked once for all variants that share them. */
	treesOf(raw) {
		if (!this.trees.has(raw))
			this.trees.set(
				raw,
				raw.map((tree) => new Tree(tree)),
			);
		return this.trees.get(raw);
	}

	hasTrees() {
		return this.variants.length > 0 && (this.raw.trees !== null || this.variants[0].trees !== null);
	}

	/** The source of a node's method, by its number on either side; null where the page has none. */
	source(delta, node) {
		const frames = [delta.frame[node]];
		if (delta.old[node] !== NONE) frames.push(delta.trees[0].frame[delta.old[node]]);
		for (const frame of frames) if (this.bySource.has(frame)) return this.bySource.get(frame);
		return null;
	}
}

const pairs = new WeakMap();
/** The pair of a comparison, unpacked once. */
export function pairOf(comparison, index) {
	if (!pairs.has(comparison)) pairs.set(comparison, []);
	const list = pairs.get(comparison);
	list[index] = list[index] || new Pair(comparison, index);
	return list[index];
}
