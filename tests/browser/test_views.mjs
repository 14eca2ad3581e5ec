/*
 * The critical graph, the stages and the flame graph in a browser (pages.mjs). What they
 * show is held against the data in the page.
 */
import assert from 'node:assert/strict';
import { block, check, pageFile, readSvg, saved, settle, treeOf } from './comparison.mjs';
import { withBlock } from './giant.mjs';

const small = pageFile('page-small');
const hostile = pageFile('page-hostile');
const data = block(small, 'c0');
const pair = data.pairs[0];
const tree = treeOf(pair.tree);
const nameOf = (frame) => (data.frames.flags[frame] & 128 ? pair.name : data.frames.name[frame]);

/* --- Critical graph --- */

const CRITICAL = '/compare/0/0/critical';
const drawn = (page) =>
	page.$$eval('.bp-chart .pic-node', (groups) =>
		groups.map((group) => {
			const box = group.querySelector('.pic-crit');
			const rect = box.getBoundingClientRect();
			return {
				node: Number(group.dataset.node),
				cause: box.classList.contains('cause'),
				added: box.classList.contains('added'),
				fill: getComputedStyle(box).fill,
				text: group.textContent,
				top: rect.top,
				bottom: rect.bottom,
				left: rect.left,
				right: rect.right,
			};
		}),
	);

await check('the critical graph has its nodes, and its causes are filled', small, CRITICAL, async (page) => {
	const boxes = await drawn(page);
	const { nodes } = pair.critical;
	assert.equal(boxes.length, nodes.length);
	const plain = boxes.find((box) => !box.cause).fill;
	for (const box of boxes) {
		const node = nodes[box.node];
		assert.deepEqual([box.cause, box.added], [node.cause, node.added], `node ${box.node}`);
		assert.equal(box.fill !== plain, node.cause, `fill of ${box.node}`);
		assert.ok(box.text.startsWith(nameOf(node.frame).split('(')[0]) || node.frame === nodes[0].frame, box.text);
		if (node.parent !== null) assert.ok(boxes.find((other) => other.node === node.parent).bottom < box.top, `node ${box.node} is not below its caller`);
	}
	for (const [i, a] of boxes.entries())
		for (const b of boxes.slice(i + 1))
			assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top, `${a.node} and ${b.node} overlap`);
	const causes = nodes.filter((node) => node.cause).length;
	assert.match(await page.textContent('.view-body strong'), new RegExp(`^${causes} regression cause`));
	assert.equal(await page.locator('.view-body tbody tr').count(), pair.critical.methods.length);
	await page.emulateMedia({ media: 'print' });
	assert.ok(await page.isVisible('.bp-actions p'), 'what is shown is not said on paper');
	assert.ok(await page.isHidden('.bp-actions button'));
});

await check('the critical graph is walked by keyboard and leads to the blueprint', small, CRITICAL, async (page) => {
	await page.focus('.bp-chart');
	await page.keyboard.press('Home');
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('ArrowDown');
	await settle(page);
	const { frame } = pair.critical.nodes[2];
	assert.ok((await page.textContent('.bp-critical-says')).startsWith(nameOf(frame)));
	await page.keyboard.press('Enter');
	await page.waitForFunction(() => /blueprint/.test(location.hash) && document.documentElement.dataset.ready === 'true');
	await settle(page);
	assert.equal(await page.textContent('.bp-details h2'), nameOf(frame));
});

await check('the critical graph is saved as a picture', small, CRITICAL, async (page) => {
	const [name, svg] = await saved(page, '.view-body button:text-is("SVG")');
	assert.match(name, /critical-graph\.svg$/);
	assert.deepEqual(await readSvg(page, svg, '.pic-crit', '.pic-crit.cause', 'script'), [
		null,
		pair.critical.nodes.length,
		pair.critical.nodes.filter((node) => node.cause).length,
		0,
	]);
});

await check('nothing that got slower is a graph of one node, and said', small, '/compare/1/0/critical', async (page) => {
	const { critical } = block(small, 'c1').pairs[0];
	const text = await page.textContent('.view-body');
	if (critical.nodes.length === 1) assert.match(text, /No call got slower/);
	else assert.equal((await drawn(page)).length, critical.nodes.length);
});

/* --- The verdict --- */

await check('the graph has causes where the verdict has some of more time', small, '/compare/0/0/blueprint', async (page) => {
	const time = pair.judged.find((one) => one.unit === 'ns');
	const more = time.causes.some((one) => one.amount > 0);
	assert.equal(
		pair.critical.nodes.some((one) => one.cause),
		more,
	);
	const { unchanged } = pair.parcs.weights.time;
	assert.ok(unchanged > 0);
	await page.goto(page.url().replace('blueprint', 'stages'));
	await page.waitForSelector('.st-pairs');
	assert.match(await page.textContent('.view-body'), new RegExp(`${unchanged} pairs? left out, where no method changed`));
});

/* --- Stages --- */

const STAGES = '/compare/0/0/stages';
const nodeOfCut = (cut, of = tree) => (cut.in === 'new' ? of.new : of.old).indexOf(cut.node);

/** What the tree of the stages shows: each subtree that was cut, as its root, and its callers, in preorder. */
function stagesNodes({ parcs }, of, { flags }) {
	const cuts = new Map(parcs.cuts.map((cut) => [nodeOfCut(cut, of), cut]));
	const shown = new Set();
	for (const node of cuts.keys()) for (let at = node; at >= 0; at = of.parent[at]) shown.add(at);
	return [...shown].sort((a, b) => a - b).map((node) => ({ node, cut: cuts.get(node), modified: (flags[of.frame[node]] & 1) !== 0 }));
}

await check('the stages count what was cut, by reason', small, STAGES, async (page) => {
	const rows = await page.$$eval('.st-stages tbody tr', (found) =>
		found.map((row) => [row.querySelector('strong').textContent, ...[...row.children].slice(2).map((cell) => cell.textContent)]),
	);
	assert.equal(rows.length, 5);
	for (const [reason, subtrees, nodes] of rows)
		assert.deepEqual([Number(subtrees), Number(nodes)], [pair.parcs.stages[reason].subtrees, pair.parcs.stages[reason].nodes], reason);
	assert.equal(await page.locator('.st-cuts tbody tr').count(), pair.parcs.cuts.length);
	const parts = await page.$$eval('.st-part', (found) => found.map((part) => [part.title, part.getBoundingClientRect().width]));
	assert.match(parts[0][0], new RegExp(`^common: ${pair.parcs.common} nodes`));
	assert.ok(parts.every(([, width]) => width > 0));
	const { source } = data;
	assert.match(await page.textContent('.st-source'), new RegExp(`methods${source.methods[0]}${source.methods[1]}`));
});

await check('rows of the stages lead to their node in the tree', small, STAGES, async (page) => {
	const links = await page.$$eval('.st-cuts tbody tr', (rows) => rows.map((row) => row.querySelector('a')?.getAttribute('href')));
	assert.deepEqual(
		links,
		pair.parcs.cuts.map((cut) => `#/compare/0/0/blueprint?node=${nodeOfCut(cut)}`),
	);
	const pairs = Object.values(pair.parcs.weights).flatMap((weight) => weight.pairs.slice(0, 8));
	assert.ok(pairs.length > 0);
	assert.deepEqual(
		await page.$$eval('.st-pairs tbody tr', (rows) => rows.map((row) => row.querySelector('a')?.getAttribute('href'))),
		pairs.map((one) => `#/compare/0/0/blueprint?node=${tree.new.indexOf(one.nodes[1])}`),
	);
	await page.focus('.st-cuts tbody tr a');
	await page.keyboard.press('Enter');
	await page.waitForFunction(() => perfevo.views.blueprint.view && document.documentElement.dataset.ready === 'true');
	assert.equal(await page.evaluate(() => perfevo.views.blueprint.view.chart.selected), nodeOfCut(pair.parcs.cuts[0]));
	assert.equal(await page.textContent('.bp-details h2'), pair.parcs.cuts[0].function);
});

await check('the tree of the stages has what was cut and its callers, and each node leads to the blueprint', small, STAGES, async (page) => {
	const nodes = stagesNodes(pair, tree, data.frames);
	const shapes = await page.$$eval('.st-tree .pic-node', (groups) =>
		groups.map((group) => {
			const shape = group.querySelector('.st-node');
			const { left, right, top, bottom } = shape.getBoundingClientRect();
			return {
				kind: shape.localName,
				fill: getComputedStyle(shape).fill,
				title: group.querySelector('title').textContent,
				href: group.closest('a').getAttribute('href'),
				left,
				right,
				top,
				bottom,
			};
		}),
	);
	assert.equal(shapes.length, nodes.length);
	const plain = shapes[0].fill;
	for (const [i, { node, cut, modified }] of nodes.entries()) {
		const name = nameOf(tree.frame[node]);
		const caller = shapes[nodes.findIndex((other) => other.node === tree.parent[node])];
		assert.equal(shapes[i].kind, modified ? 'rect' : 'ellipse', name);
		assert.equal(shapes[i].fill !== plain, cut !== undefined, name);
		assert.equal(shapes[i].href, `#/compare/0/0/blueprint?node=${node}`);
		assert.ok(shapes[i].title.startsWith(name), shapes[i].title);
		if (cut) assert.match(shapes[i].title, new RegExp(`${cut.reason}, (only in ${cut.in}|at another place), ${cut.nodes} nodes?`));
		assert.ok(caller === undefined ? node === 0 : caller.right < shapes[i].left, `${name} is not right of its caller`);
	}
	for (const [i, a] of shapes.entries())
		for (const b of shapes.slice(i + 1)) assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top, 'two shapes overlap');
	const whys = await page.$$eval('.st-why', (texts) =>
		texts.map((text) => {
			const { left, right, top, bottom } = text.getBoundingClientRect();
			return { left, right, top, bottom };
		}),
	);
	assert.equal(whys.length, pair.parcs.cuts.length);
	for (const text of whys)
		assert.ok(
			shapes.every((box) => text.right <= box.left || box.right <= text.left || text.bottom <= box.top || box.bottom <= text.top),
			'what stands behind a shape is on another',
		);
	assert.equal(nodes.filter((node) => node.cut).length, pair.parcs.cuts.length);
	assert.ok(
		nodes.some((node) => node.modified),
		'the fixture tells nothing',
	);
	const [name, svg] = await saved(page, '[aria-label="Tree of the stages"] button:text-is("SVG")');
	assert.match(name, /stages\.svg$/);
	assert.deepEqual(await readSvg(page, svg, '.st-node', 'script', 'a'), [null, nodes.length, 0, 0]);
	const cut = nodes.find((node) => node.cut);
	await page.focus(`.st-tree a[href$="node=${cut.node}"]`);
	await page.keyboard.press('Enter');
	await page.waitForFunction(() => perfevo.views.blueprint.view && document.documentElement.dataset.ready === 'true');
	assert.equal(await page.textContent('.bp-details h2'), nameOf(tree.frame[cut.node]));
});

await check('hostile names are text in the tree of the stages, drawn and saved', hostile, STAGES, async (page) => {
	const { pairs, frames } = block(hostile, 'c0');
	const nodes = stagesNodes(pairs[0], treeOf(pairs[0].tree), frames);
	assert.match(nodes.map(({ node }) => frames.name[pairs[0].tree.frame[node]]).join(), /<(script|img|b)/);
	assert.equal(await page.locator('.st-tree .pic-node').count(), nodes.length);
	assert.equal(await page.locator('.st-tree script, .st-tree img, .st-tree b').count(), 0);
	const [, svg] = await saved(page, '[aria-label="Tree of the stages"] button:text-is("SVG")');
	assert.deepEqual(await readSvg(page, svg, '.st-node', 'script, img, b'), [null, nodes.length, 0]);
});

await check('cuts are chosen by their reason', small, STAGES, async (page) => {
	const [{ reason }] = pair.parcs.cuts;
	await page.selectOption('.view-body select', reason);
	assert.equal(await page.locator('.st-cuts tbody tr').count(), pair.parcs.cuts.filter((cut) => cut.reason === reason).length);
});

await check('each weight has its overlap, its threshold and its methods', small, STAGES, async (page) => {
	const weights = Object.values(pair.parcs.weights);
	const gauges = await page.$$eval('.st-overlap', (found) =>
		found.map((gauge) => {
			const whole = gauge.getBoundingClientRect();
			return [
				gauge.querySelector('.st-fill').getBoundingClientRect().width / whole.width,
				(gauge.querySelector('.st-limit').getBoundingClientRect().left - whole.left) / whole.width,
			];
		}),
	);
	assert.equal(gauges.length, weights.length);
	for (const [i, [fill, limit]] of gauges.entries()) {
		assert.ok(Math.abs(fill - weights[i].overlap) < 0.01);
		assert.ok(Math.abs(limit - weights[i].threshold) < 0.01);
	}
	const more = page.locator('.view-body button:has-text("Show all")');
	while ((await more.count()) > 0) await more.first().click();
	assert.equal(
		await page.locator('.st-pairs tbody tr').count(),
		weights.reduce((sum, weight) => sum + weight.pairs.length, 0),
	);
});

/* --- Flame graph --- */

const FLAME = '/compare/0/0/flame';
const [oldTime, newTime] = [0, 1].map((side) => (node) => tree.total('self_ns', side, node));
const flames = (page) =>
	page.$$eval('.fl-node', (groups) =>
		groups.map((group) => {
			const rect = group.querySelector('.fl-ground').getBoundingClientRect();
			return {
				node: Number(group.dataset.node),
				kind: group.getAttribute('class').match(/fl-(more|less|none|added|removed)/)[1],
				left: rect.left,
				right: rect.right,
				top: rect.top,
			};
		}),
	);

await check('flames are as wide as their time, and below their callers', small, FLAME, async (page) => {
	for (const [width, own] of [
		['new', newTime],
		['old', oldTime],
	]) {
		/* a call that this side lacks is as wide as those below it that the side has */
		const time = (node) =>
			Math.max(
				own(node),
				tree.children(node).reduce((sum, child) => sum + time(child), 0),
			);
		await page.click(`[data-choice="width"] [data-value="${width}"]`);
		await settle(page);
		const boxes = await flames(page);
		const root = boxes.find((box) => box.node === 0);
		const scale = (root.right - root.left) / time(0);
		for (const box of boxes) {
			assert.ok(Math.abs(box.right - box.left - time(box.node) * scale) < 1.5, `width of ${box.node}`);
			if (box.node === 0) continue;
			const above = boxes.find((other) => other.node === tree.parent[box.node]);
			assert.ok(box.left >= above.left - 0.5 && box.right <= above.right + 1 && box.top > above.top, `place of ${box.node}`);
		}
		const wide = [...tree.frame.keys()].filter((node) => time(node) * scale >= 1.2);
		assert.deepEqual(
			wide.filter((node) => !boxes.some((box) => box.node === node)),
			[],
			'some are not drawn',
		);
	}
});

await check('flames are as wide as their instructions', small, FLAME, async (page) => {
	await page.click('[data-choice="metric"] [data-value="instructions"]');
	await page.click('[data-choice="width"] [data-value="new"]');
	await settle(page);
	const all = (node) => tree.children(node).reduce((sum, child) => sum + all(child), tree.instructions[1][node]);
	const boxes = await flames(page);
	const scale = (boxes[0].right - boxes[0].left) / all(0);
	assert.ok(boxes.length > 10 && all(0) > 0);
	for (const { node, left, right } of boxes) assert.ok(Math.abs(right - left - all(node) * scale) < 1.5, `width of ${node}`);
	assert.match(
		await page.textContent('.fl-says'),
		/Instructions are exact by method; several contexts of one have shares, by calls where these are known, an estimate/,
	);
});

await check('flames tell more from less, added from removed', small, FLAME, async (page) => {
	const boxes = await flames(page);
	assert.ok(boxes.length > 15);
	for (const { node, kind } of boxes) {
		const want =
			tree.old[node] < 0
				? 'added'
				: tree.new[node] < 0
					? 'removed'
					: newTime(node) > oldTime(node)
						? 'more'
						: newTime(node) < oldTime(node)
							? 'less'
							: 'none';
		assert.equal(kind, want, `node ${node}`);
	}
	assert.equal(new Set(boxes.map((box) => box.kind)).size >= 4, true);
});

await check('flames lead to the same call in the blueprint', small, FLAME, async (page) => {
	await page.focus('.fl-chart');
	await page.keyboard.press('ArrowDown');
	const picked = await page.evaluate(() => perfevo.views.flame.view.selected);
	await page.click('.bp-details a');
	await page.waitForFunction(() => perfevo.views.blueprint.view && document.documentElement.dataset.ready === 'true');
	assert.equal(await page.evaluate(() => perfevo.views.blueprint.view.chart.selected), picked);
});

await check('flames are zoomed, searched and walked', small, FLAME, async (page) => {
	const node = [...tree.frame.keys()].find((at) => nameOf(tree.frame[at]) === 'hash_probe');
	await page.fill('.bp-search input', 'hash_probe');
	assert.match(await page.textContent('.bp-hits'), /^1 hit, /);
	assert.equal(await page.locator('.fl-node.pic-hit').count(), 1);
	await page.dblclick(`.fl-node[data-node="${node}"]`);
	await settle(page);
	assert.equal(await page.getAttribute('.fl-chart', 'data-root'), String(node));
	assert.equal((await flames(page)).length, tree.end[node] - node);
	await page.focus('.fl-chart');
	await page.keyboard.press('ArrowDown');
	assert.equal(await page.$eval('.fl-node.pic-selected', (group) => Number(group.dataset.node)), node + 1);
	await page.keyboard.press('Escape');
	await settle(page);
	assert.equal(await page.getAttribute('.fl-chart', 'data-root'), '0');
	const [name, svg] = await saved(page, '.view-body button:text-is("SVG")');
	assert.match(name, /flame-graph\.svg$/);
	assert.deepEqual(await readSvg(page, svg, '.fl-node', 'script'), [null, (await flames(page)).length, 0]);
});

await check('flames stand largest first where that is asked for, and say which side is old', small, FLAME, async (page) => {
	const larger = (node) =>
		Math.max(
			oldTime(node),
			newTime(node),
			tree.children(node).reduce((sum, child) => sum + larger(child), 0),
		);
	await page.click('[data-choice="order"] [data-value="largest"]');
	await settle(page);
	const boxes = new Map((await flames(page)).map((box) => [box.node, box]));
	let pairs = 0;
	for (const node of boxes.keys()) {
		const row = tree.children(node).filter((child) => boxes.has(child));
		row.sort((a, b) => boxes.get(a).left - boxes.get(b).left);
		for (let i = 1; i < row.length; i++, pairs++) assert.ok(larger(row[i - 1]) >= larger(row[i]), `${row[i - 1]} before ${row[i]}`);
	}
	assert.ok(pairs > 5);
	const sides = await page.$$eval('#comparison-title code', (codes) => codes.map((code) => code.textContent));
	assert.ok((await page.textContent('.fl-caption')).startsWith(`old: ${sides[0]} · new: ${sides[1]} · `));
});

/* --- Methods --- */

const METHODS = '/compare/0/0/methods';

await check('a method has its callers above and its callees below, with the time of all its calls', small, METHODS, async (page) => {
	const frameOf = (node) => tree.frame[node];
	const frames = await page.$$eval('.md-table tbody tr', (rows) => rows.map((row) => Number(row.dataset.frame)));
	assert.deepEqual([...frames].sort(), [...new Set([...tree.frame.keys()].map(frameOf))].sort(), 'each method once');
	for (const frame of frames) {
		await page.click(`tr[data-frame="${frame}"] button`);
		const of = [...tree.frame.keys()].filter((node) => frameOf(node) === frame);
		const outer = of.filter((node) => !of.some((other) => other < node && node < tree.end[other]));
		const sum = (time) => outer.reduce((all, node) => all + time(node), 0);
		const { callers, callees } = await page.evaluate(() => {
			const { view } = perfevo.views.methods;
			const plain = ({ nodes: [{ old, new: fresh, next }] }) => ({ old, new: fresh, direct: [...next.keys()].sort() });
			return { callers: plain(view.callers), callees: plain(view.callees) };
		});
		assert.deepEqual([callees.old, callees.new], [sum(oldTime), sum(newTime)]);
		assert.deepEqual([callers.old, callers.new], [sum(oldTime), sum(newTime)]);
		const parents = outer.filter((node) => node > 0).map((node) => frameOf(tree.parent[node]));
		assert.deepEqual(callers.direct, [...new Set(parents)].sort());
		assert.deepEqual(callees.direct, [...new Set(outer.flatMap((node) => tree.children(node).map(frameOf)))].sort());
	}
	assert.ok(frames.length > 10);
	await page.$eval('.md-table tbody th code', (code) => {
		code.textContent = 'x'.repeat(500);
	});
	assert.ok(
		await page.$eval('.md-table', (table) => table.parentElement.scrollWidth <= table.parentElement.clientWidth),
		'values beside a long name are seen',
	);
});

await check('methods are searched, walked and saved', small, METHODS, async (page) => {
	await page.keyboard.press('/');
	await page.keyboard.type('hash_probe');
	assert.equal(await page.locator('.md-table tbody tr').count(), 1);
	await page.click('.md-table tbody button');
	assert.equal(await page.textContent('.view-body h2'), 'hash_probe');
	await page.focus('.fl-chart');
	await page.keyboard.press('ArrowUp');
	const caller = await page.textContent('.fl-node.pic-selected title');
	await page.keyboard.press('Enter');
	assert.ok(caller.startsWith(`${await page.textContent('.view-body h2')}: `));
	const [name, svg] = await saved(page, '.view-body button:text-is("SVG")');
	assert.match(name, /method\.svg$/);
	assert.deepEqual(await readSvg(page, svg, '.fl-node', 'script'), [null, await page.locator('.view-body .fl-node').count(), 0]);
});

/* --- Timeline --- */

/** A run of 1 s of two threads: the main one computes, waits for the other, and computes in pieces of a microsecond. */
function withTimeline(page, name) {
	const value = block(page, 'c0');
	const many = Array.from({ length: 1000 }, (_, i) => i);
	const run = {
		left_out: 1,
		lanes: { method: [0, 0], threads: [1, 3], pid: [7, 7], tid: [7, 8] },
		stacks: { parent: [0, 1, 1], method: [0, 1, 2] },
		segments: {
			lane: [0, 0, 0, ...many.map(() => 0), 1],
			begin_us: [0, 400000, 900000, ...many.map((i) => 990000 + i), 300000],
			length_us: [400000, 500000, 90000, ...many.map(() => 1), 600000],
			stack: [1, 2, 0, ...many.map((i) => i % 2), 1],
			waited_us: [0, 500000, 0, ...many.map(() => 0), 0],
			path_us: [400000, 0, 90000, ...many.map(() => 1), 490000],
		},
	};
	value.pairs[0].timelines = [null, run];
	return { page: pageFile(name, 'timeline', (text) => withBlock(text, 'c0', value)), run };
}
const TIMELINE = '/compare/0/0/timeline';
const timed = withTimeline(small, 'page-small');
const timedHostile = withTimeline(hostile, 'page-hostile').page;

await check('a timeline has each lane, as wide as its times, with the path', timed.page, TIMELINE, async (page) => {
	const boxes = await page.$$eval('.fl-node', (groups) =>
		groups.map((group) => {
			const { left, right, top } = group.querySelector('.fl-ground').getBoundingClientRect();
			return {
				node: Number(group.dataset.node),
				left,
				right,
				top,
				path: group.querySelector('.tl-path') !== null,
				says: group.getAttribute('aria-label'),
			};
		}),
	);
	const [first, wait, , worker] = [0, 1, 2, 1003].map((node) => boxes.find((box) => box.node === node));
	const scale = (first.right - first.left) / 400000;
	assert.ok(Math.abs(wait.right - wait.left - 500000 * scale) < 1.5 && Math.abs(worker.left - first.left - 300000 * scale) < 1.5);
	assert.ok(worker.top > first.top && boxes.length < 30, 'segments of less than a pixel are joined');
	assert.deepEqual([first.path, wait.path, worker.path], [true, false, true]);
	assert.match(wait.says, /: waits 500 ms from 400 ms on; /);
	assert.match(await page.textContent('.fl-says'), /took 991 ms; 99\.\d % of it has a place on the path\. 1 more thread/);
	assert.equal(await page.locator('.tl-lanes tbody tr').count(), 2);
});

await check('a timeline is zoomed, searched and walked', timed.page, TIMELINE, async (page) => {
	const selected = () => page.$eval('.fl-node.pic-selected', (group) => Number(group.dataset.node));
	await page.focus('.fl-chart');
	await page.keyboard.press('ArrowRight');
	assert.equal(await selected(), 1);
	await page.keyboard.press('ArrowDown');
	assert.equal(await selected(), 1003);
	assert.match(await page.textContent('.view-body .spoken'), /on the path/);
	for (let i = 0; i < 12; i++) await page.keyboard.press('+');
	assert.equal(await selected(), 1003, 'zooming keeps what is selected in sight');
	await page.keyboard.press('Escape');
	await page.keyboard.press('Enter');
	await settle(page);
	assert.match(await page.textContent('.fl-picture'), /one run of new, 0.* to 991 ms/);
	await page.keyboard.press('Escape');
	for (let i = 0; i < 12; i++) await page.click('.view-body button:text-is("+")');
	await settle(page);
	await page.waitForFunction(() => /from=\d+&to=\d+/.test(location.hash));
	await page.keyboard.press('Escape');
	await page.fill('.bp-search input', nameOf(2).slice(0, 6));
	assert.match(await page.textContent('.bp-hits'), /^\d+ hits?, /);
	const [name, svg] = await saved(page, '.view-body button:text-is("SVG")');
	assert.match(name, /timeline\.svg$/);
	assert.deepEqual(await readSvg(page, svg, '.fl-node', 'script'), [null, await page.locator('.view-body .fl-node').count(), 0]);
});

await check('keys select what is in sight where the selected segment is not', timed.page, `${TIMELINE}?from=0&to=1000&node=1003`, async (page) => {
	assert.equal(await page.locator('.fl-node.pic-selected').count(), 0);
	await page.focus('.fl-chart');
	await page.keyboard.press('ArrowRight');
	assert.equal(await page.$eval('.fl-node.pic-selected', (group) => group.dataset.node), '0');
});

/* --- All of them --- */

await check('hostile names are text in a timeline', timedHostile, TIMELINE, async (page) => {
	assert.equal(await page.locator('.view-body script, .view-body img, .view-body b').count(), 0);
	assert.equal((await page.locator('.fl-node').count()) > 2, true);
});
await check('a comparison without a timeline says so', small, TIMELINE, async (page) => {
	assert.match(await page.textContent('.view-body'), /No timeline/);
});

for (const view of ['critical', 'stages', 'flame', 'methods']) {
	await check(`hostile names are text in ${view}`, hostile, `/compare/0/0/${view}`, async (page) => {
		assert.equal(await page.locator('.view-body script, .view-body img, .view-body b').count(), 0);
		assert.ok((await page.textContent('.view-body')).includes('<script>') || (await page.textContent('.view-body')).includes('<img'));
	});
	await check(`${view} says why there is nothing to show`, small, `/compare/1/2/${view}`, async (page) => {
		assert.match(await page.textContent('.view-body'), /old could not be profiled/);
	});
	await check(`${view} of two equal builds`, small, `/compare/1/1/${view}`, async (page) => {
		assert.match(await page.textContent('.view-body'), /identical|execute the same/);
	});
}

const coins = block(small, 'c0');
Object.assign(coins.pairs[0].tree, { counting_runs: [0, 8], differs: [[], [[tree.new[1], 3]]] });
const coinPage = pageFile('page-small', 'coins', (text) => withBlock(text, 'c0', coins));
for (const [node, says] of [
	[1, true],
	[2, false],
])
	await check(
		`the panel of node ${node} says ${says ? 'in how many' : 'of no'} runs that differ`,
		coinPage,
		`/compare/0/0/blueprint?node=${node}`,
		async (page) => {
			assert.equal(/differs in 3 of 8 counting runs of new/.test(await page.textContent('.bp-node')), says);
			assert.equal(await page.textContent('.bp-node h2'), nameOf(tree.frame[node]));
		},
	);

await check(
	'a comparison of what was stored says so',
	pageFile('page-small', 'stored', (text) => withBlock(text, 'c0', { ...block(small, 'c0'), stored: true })),
	'/compare/0/0/stages',
	async (page) => {
		assert.match(await page.textContent('#metrics-note'), /Made of what was stored/);
		await page.evaluate(() => {
			location.hash = '#/compare/2/0';
		});
		await page.waitForFunction(() => /compare.2/.test(location.hash) && document.documentElement.dataset.ready === 'true');
		assert.doesNotMatch(await page.textContent('#metrics-note'), /stored/);
	},
);

/* --- Legibility --- */

/** The least contrast (WCAG 2) of a picture's texts with the boxes they stand on, or the ground of their chart. */
const leastContrast = (page, boxes) =>
	page.evaluate((selector) => {
		const rgb = (colour) => colour.match(/[\d.]+/g).map(Number);
		const light = (colour) => {
			const [r, g, b] = colour.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const blend = (over, under, part) => over.map((v, i) => v * part + under[i] * (1 - part)).slice(0, 3);
		const card = rgb(getComputedStyle(document.querySelector('.card')).backgroundColor);
		let least = [Infinity, ''];
		for (const text of document.querySelectorAll('.view-body .pic-node text:not(.pic-cause-sign), .view-body .fl-node text')) {
			let ground = card;
			for (const box of selector ? text.parentElement.querySelectorAll(selector) : []) {
				const style = getComputedStyle(box);
				ground = blend(rgb(style.fill), ground, Number(style.fillOpacity));
			}
			const [a, b] = [light(rgb(getComputedStyle(text).fill)), light(ground)].sort((x, y) => y - x);
			const contrast = (a + 0.05) / (b + 0.05);
			least = contrast < least[0] ? [contrast, text.textContent] : least;
		}
		return least;
	}, boxes);

for (const [view, boxes] of [
	['blueprint', null],
	['critical', '.pic-crit'],
	['stages', '.st-node'],
	['flame', '.fl-ground, .fl-box'],
	['methods', '.fl-ground, .fl-box'],
	['timeline', '.fl-ground, .fl-box'],
])
	await check(`text of the view ${view} can be read on its ground, light and dark`, timed.page, `/compare/0/0/${view}`, async (page) => {
		for (const colorScheme of ['light', 'dark']) {
			await page.emulateMedia({ colorScheme });
			await settle(page);
			const [contrast, text] = await leastContrast(page, boxes);
			assert.ok(contrast >= 4.5 && Number.isFinite(contrast), `${colorScheme}: ${contrast.toFixed(2)} of '${text}'`);
		}
		await page.emulateMedia({ colorScheme: null });
	});
