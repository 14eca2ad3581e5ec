/*
 * Blueprint model: a pair of a comparison as arrays: its delta tree, in preorder, parents before their children. The
 * measures of section III of "Performance Evolution Blueprint" (Sandoval Alcocer et al., VISSOFT 2013) come with it, from
 * analysis/compare/blueprint.c. Nothing here touches the document, and nothing recurses.
 */

export const NONE = -1;
export const COLOURS = ['neutral', 'red', 'light-red', 'green', 'light-green', 'yellow', 'gray'];
/** What the flags of a frame say. */
export const FLAG = { modified: 1, added: 2, deleted: 4, renamed: 8, code: 16, waiting: 32, unknown: 64, root: 128, idle: 256 };

/** Metrics that heights can be of, and the column of what a node did itself. */
export const METRICS = {
	time: { column: 'self_ns', unit: 'ns', label: 'time', noun: 'time', more: 'slower', less: 'faster' },
	allocations: { column: 'allocations', unit: '1', label: 'allocations', noun: 'allocations', more: 'more allocations', less: 'fewer allocations' },
	bytes: { column: 'bytes', unit: 'bytes', label: 'bytes allocated', noun: 'allocated bytes', more: 'more bytes', less: 'fewer bytes' },
	instructions: { column: 'instructions', unit: '1', label: 'instructions', noun: 'instructions', more: 'more instructions', less: 'fewer instructions' },
	count: { column: 'calls', unit: '1', label: 'calls', noun: 'calls', more: 'more calls', less: 'fewer calls' },
};

/** Profiles of two files may have counts of an event in place of times: theirs is the only pair of a page. */
function countInPlaceOfTime(event) {
	Object.assign(METRICS.time, { unit: event, label: event, noun: event, more: `more ${event}`, less: `fewer ${event}` });
}

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

/** Numbers of the nodes that a side's tree has, NONE where it lacks one: each is written as its distance from the last. */
function readNodes(distances) {
	let last = -1;
	return Int32Array.from(distances, (distance) => (distance === 0 ? NONE : (last += distance)));
}

/** A delta tree: two executions as one, by column. */
class Delta {
	constructor(raw, frames, title) {
		this.title = title;
		this.frames = frames;
		this.runs = raw.runs;
		this.countingRuns = raw.counting_runs;
		this.differs = raw.differs.map((nodes) => new Map(nodes));
		this.old = readNodes(raw.old);
		this.new = readNodes(raw.new);
		this.n = this.old.length;
		this.parent = parents(raw.parent);
		this.end = ends(this.parent);
		this.depth = new Uint32Array(this.n);
		for (let i = 1; i < this.n; i++) this.depth[i] = this.depth[this.parent[i]] + 1;
		this.frame = raw.frame;
		this.renamed = new Map(raw.renamed); /* by frame in old: that of the same method in new */
		this.sites = raw.site || null;
		this.calls = raw.calls || null;
		this.width = raw.width;
		this.boxes = raw.boxes;
		this.metrics = Object.keys(METRICS).filter((metric) => raw.boxes[metric]);
		this.own = {};
		this.total = {};
		for (const metric of this.metrics) {
			this.own[metric] = raw[METRICS[metric].column].map((column) => Float64Array.from(column));
			this.total[metric] = this.own[metric].map((own, side) => this.sums(own, side === 0 ? this.old : this.new));
		}
		this.kept = new Map();
	}

	/** What each node took with all below it; nothing where its side lacks it. */
	sums(own, numbers) {
		const total = own.slice();
		for (let i = this.n - 1; i > 0; i--) total[this.parent[i]] += total[i];
		return total.map((sum, i) => (numbers[i] === NONE ? 0 : sum));
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

	/** How many children a node has. */
	nChildren(node) {
		let n = 0;
		for (let c = node + 1; c < this.end[node]; c = this.end[c]) n++;
		return n;
	}

	/** [old, new] of a value, 0 where a side lacks the node; null where it is not known. */
	values(node, metric, kind) {
		if (!this.own[metric] || (metric === 'count' && kind === 'own' && this.calls[0][node] === null)) return null;
		return this[kind][metric].map((column) => column[node]);
	}

	/** The method of a node, by the frame that it has in new where it was renamed. */
	method(node) {
		return this.renamed.get(this.frame[node]) ?? this.frame[node];
	}

	/** The method of a node in all its contexts, of old and new: their number, and what they did themselves; null where that is not known. */
	ofMethod(node, metric) {
		if (!this.own[metric]) return null;
		const methods = this.keep(`methods ${metric}`, () => {
			const found = new Map();
			for (let i = 0; i < this.n; i++) {
				if (!found.has(this.method(i)))
					found.set(
						this.method(i),
						[0, 1].map(() => ({ n: 0, sum: 0 })),
					);
				[this.old, this.new].forEach((numbers, side) => {
					const at = found.get(this.method(i))[side];
					at.n += Number(numbers[i] !== NONE);
					at.sum += this.own[metric][side][i];
				});
			}
			return found;
		});
		return methods.get(this.method(node));
	}

	/** Line of the call in its caller on both sides, 0 where unknown. */
	site(node) {
		return this.sites ? this.sites.map((lines) => lines[node]) : [0, 0];
	}

	/** Heights and colours of all nodes, as report/page.h has them. */
	heights(metric, basis) {
		return this.boxes[metric][basis].height;
	}
	colours(metric, basis) {
		return this.boxes[metric][basis].colour;
	}

	/** From a node the child with the greatest variation, the first of equal ones, down to a leaf. */
	hotPath(node, metric) {
		const [before, after] = this[metric === 'count' ? 'own' : 'total'][metric];
		const path = [];
		for (let at = node; at !== NONE;) {
			path.push(at);
			let best = NONE;
			let most = -1;
			for (let c = at + 1; c < this.end[at]; c = this.end[c]) {
				const size = Math.abs(after[c] - before[c]);
				if (size > most) {
					most = size;
					best = c;
				}
			}
			at = best;
		}
		return path;
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

	keep(key, make) {
		if (!this.kept.has(key)) this.kept.set(key, make());
		return this.kept.get(key);
	}
}

/** A pair with its delta tree, null where there is none, or both sides have no metric in common. */
class Pair {
	constructor(comparison, index) {
		this.raw = comparison.pairs[index];
		if (this.raw.tree?.event) countInPlaceOfTime(this.raw.tree.event);
		const { tree, name } = this.raw;
		this.delta = tree && Object.keys(tree.boxes).length > 0 ? new Delta(tree, comparison.frames, name) : null;
		this.shown = null; /* what a view has opened */
		this.bySource = new Map((comparison.sources || []).map((source) => [source.frame, source]));
	}

	/** The source of a node's method, by its frame on either side; null where the page has none. */
	source(node) {
		const { frame, renamed } = this.delta;
		return this.bySource.get(frame[node]) || this.bySource.get([...renamed].find(([, to]) => to === frame[node])?.[0]) || null;
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
