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
	const calls = column((i) => (i % 17) + 1);
	const time = (slow) => column((i) => 1000 + (i % 97) + (slow && i % 3 === 0 ? 400 : 0));
	const drawn = { height: column((i) => (i % 3 === 0 ? 400 / 1048 / n : 0)), colour: column((i) => (i % 3 === 0 ? 2 : 0)) };
	return {
		match: 'subsequence',
		call_sites: false,
		basis: 'time',
		min_change: 0.01,
		source: null,
		frames: {
			name: Array.from({ length: 500 }, (_, i) => `method_${i}`),
			short: [],
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
				tree: {
					runs: [2, 2],
					counting_runs: [0, 0],
					differs: [[], []],
					old: column(() => 1),
					new: column(() => 1),
					parent,
					frame: column((i) => i % 500),
					renamed: [],
					calls: [calls, calls],
					self_ns: [time(false), time(true)],
					width: column(() => 0),
					boxes: { time: { of: 'old', first: [0, 1, 2, 3], own: drawn, time: drawn, share: drawn } },
				},
				critical: null,
				parcs: null,
			},
		],
	};
}
