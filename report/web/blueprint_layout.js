/*
 * Blueprint layout: which nodes of a tree are shown, and where. The layout is a tidy one (Buchheim, Juenger,
 * Leipert, "Improving Walker's algorithm to run in linear time", 2002), written here over arrays rather than
 * taken from a library: boxes differ in width and carry a label at their right, so what stands between two
 * neighbours depends on both sides of each; and a hundred thousand nodes as one object each would take
 * longer than all the drawing.
 */
'use strict';

(() => {
	const { NONE } = perfevo.blueprint;

	/** Most nodes that one action brings up. */
	const AT_ONCE = 1500;

	/** Which nodes of a tree are shown; with a node, all above it are. */
	class Shown {
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
			for (let at = node; at !== NONE && !this.is[at]; at = this.tree.parent[at])
				this.add(at);
		}

		path(nodes) { nodes.forEach((node) => this.add(node)); }

		/**
		 * Show the children of a node.
		 * @return how many are left to be shown
		 */
		children(node) {
			let left = AT_ONCE;
			let rest = 0;
			for (let c = node + 1; c < this.tree.end[node]; c = this.tree.end[c]) {
				if (this.is[c])
					continue;
				if (left-- > 0)
					this.add(c);
				else
					rest++;
			}
			return rest;
		}

		/**
		 * Show all below a node, the nearest first, so many at once.
		 * @return how many are left to be shown
		 */
		below(node) {
			const { end } = this.tree;
			let left = AT_ONCE;
			let level = [node];
			while (level.length > 0 && left > 0) {
				const next = [];
				for (const at of level)
					for (let c = at + 1; c < end[at]; c = end[c]) {
						if (!this.is[c]) {
							if (left === 0)
								break;
							this.add(c);
							left--;
						}
						if (end[c] > c + 1)
							next.push(c);
					}
				level = next;
			}
			return left > 0 ? 0 : this.hidden(node);
		}

		/** Nodes below one that are not shown. */
		hidden(node) {
			let n = 0;
			for (let i = node + 1; i < this.tree.end[node]; i++)
				n += 1 - this.is[i];
			return n;
		}

		hide(node) {
			for (let i = node + 1; i < this.tree.end[node]; i++) {
				this.count -= this.is[i];
				this.is[i] = 0;
			}
		}

		/** Whether a node has children that are not shown: its border is thick. */
		hides(node) {
			for (let c = node + 1; c < this.tree.end[node]; c = this.tree.end[c])
				if (!this.is[c])
					return true;
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
		const out = { n, parent: new Int32Array(n), depth: new Uint32Array(n), first: new Int32Array(n).fill(NONE),
			last: new Int32Array(n).fill(NONE), next: new Int32Array(n).fill(NONE), left: new Int32Array(n).fill(NONE), order: new Int32Array(n) };
		const path = [];
		for (let i = 0; i < n; i++) {
			while (path.length > 0 && nodes[path[path.length - 1]] !== tree.parent[nodes[i]])
				path.pop();
			const parent = path.length > 0 ? path[path.length - 1] : NONE;
			out.parent[i] = parent;
			out.depth[i] = path.length;
			if (parent !== NONE) {
				if (out.first[parent] === NONE)
					out.first[parent] = i;
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
	function tidy(small, before, after, gap) {
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
			if (left[v] === NONE)
				return reached;
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
				const by = prelim[insideLeft] + sumInsideLeft - prelim[insideRight] - sumInsideRight
					+ apart(insideLeft, insideRight);
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
			if (parent[v] !== NONE)
				reached[parent[v]] = apportion(v, reached[parent[v]]);
		}

		/* children before parents, and each after its left sibling */
		const path = [];
		for (let i = 0; i < n; i++) {
			while (path.length > 0 && path[path.length - 1] !== parent[i])
				place(path.pop());
			path.push(i);
		}
		while (path.length > 0)
			place(path.pop());

		const x = new Float64Array(n);
		const sum = new Float64Array(n);
		for (let i = 0; i < n; i++) {
			const above = parent[i] === NONE ? 0 : sum[parent[i]];
			x[i] = prelim[i] + above;
			sum[i] = above + mod[i];
		}
		return x;
	}

	/**
	 * Boxes for the shown nodes of a tree. Rows are as high as their highest box, so that all of one depth
	 * begin at one line.
	 *
	 * @param size  (node, out) sets out.width, out.height, out.label: what stands right of the box
	 * @return      arrays by place, in preorder: node, x (left), y, width, height, reach (with the label), parent
	 */
	function lay(tree, shown, size, { gap = 18, rowGap = 28, rowLeast = 30 } = {}) {
		const nodes = shown.list();
		const small = condense(tree, nodes);
		const n = small.n;
		const width = new Float64Array(n);
		const height = new Float64Array(n);
		const before = new Float64Array(n);
		const after = new Float64Array(n);
		const rows = [];
		const out = { width: 0, height: 0, label: 0 };
		for (let i = 0; i < n; i++) {
			size(nodes[i], out);
			width[i] = out.width;
			height[i] = out.height;
			before[i] = out.width / 2;
			after[i] = out.width / 2 + out.label;
			rows[small.depth[i]] = Math.max(rows[small.depth[i]] || rowLeast, out.height);
		}
		const x = tidy(small, before, after, gap);
		const top = [];
		for (let d = 0, y = 0; d < rows.length; y += rows[d] + rowGap, d++)
			top[d] = y;
		const y = new Float64Array(n);
		const box = { x: Infinity, y: 0, right: -Infinity, bottom: 0 };
		const indexOf = new Map();
		for (let i = 0; i < n; i++) {
			indexOf.set(nodes[i], i);
			x[i] -= before[i];
			y[i] = top[small.depth[i]];
			box.x = Math.min(box.x, x[i]);
			box.right = Math.max(box.right, x[i] + before[i] + after[i]);
			box.bottom = Math.max(box.bottom, y[i] + Math.max(height[i], rowLeast));
		}
		const reach = new Float64Array(n);
		for (let i = 0; i < n; i++)
			reach[i] = before[i] + after[i];
		return { n, node: nodes, indexOf, parent: small.parent, first: small.first, last: small.last, next: small.next,
			depth: small.depth, x, y, width, height, reach,
			box: { x: box.x, y: 0, width: box.right - box.x, height: box.bottom } };
	}

	Object.assign(perfevo.blueprint, { Shown, lay, tidy, condense, AT_ONCE });
})();
