/* A comparison of any size, for the tests and for bench/page.mjs: two executions of one tree of n nodes. */
import { deflateSync } from 'node:zlib';

/** The text of a page with another block in place of one. */
export const withBlock = (text, name, value) =>
	text.replace(new RegExp(`(id="block-${name}">)[^<]*`), (_, start) => start + deflateSync(Buffer.from(JSON.stringify(value))).toString('base64'));

/** A comparison of many nodes: a wide and deep tree, of which one in three got slower. */
export function giant(n) {
	const parent = [0];
	const depth = [0];
	for (let i = 1; i < n; i++) {
		let distance = 1;
		while (depth[i - distance] > 30 || (i - distance > 0 && ((i * 2654435761) >>> 0) % 7 < depth[i - distance] % 5 && distance < 4))
			distance += parent[i - distance] || 1;
		parent.push(Math.min(distance, i));
		depth.push(depth[i - parent[i]] + 1);
	}
	const column = (make) => Array.from({ length: n }, (_, i) => make(i));
	const side = (slow) => ({
		runs: 2,
		duration_ns: 0,
		known: { time: true, calls: true, allocations: false, bytes: false, sites: false },
		parent,
		frame: column((i) => i % 500),
		calls: column((i) => (i % 17) + 1),
		self_ns: column((i) => 1000 + (i % 97) + (slow && i % 3 === 0 ? 400 : 0)),
	});
	const colours = column((i) => (i % 3 === 0 ? 2 : 0));
	return {
		match: 'subsequence',
		call_sites: false,
		basis: 'time',
		min_change: 0.01,
		source: null,
		frames: {
			name: Array.from({ length: 500 }, (_, i) => `method_${i}`),
			file: Array(500).fill('a.c'),
			line: Array(500).fill(1),
			component: Array(500).fill('a.c'),
			flags: Array(500).fill(0),
		},
		sources: [],
		pairs: [
			{
				name: 'giant',
				with: null,
				same: false,
				problem: null,
				metrics: [],
				judged: [],
				trees: [side(false), side(true)],
				variants: [
					{
						match: 'subsequence',
						call_sites: false,
						trees: null,
						old: column(() => 1),
						new: column(() => 1),
						parent,
						colour_time: colours,
						colour_share: colours,
					},
				],
				critical: null,
				parcs: null,
			},
		],
	};
}
