/*
 * The blueprint in a browser (pages.mjs). What is drawn is held against the data in the
 * page; tests/compare/test_blueprint.c proves the heights, widths and colours among them.
 */
import assert from 'node:assert/strict';
import { block, check, pageFile, readSvg, saved, settle, treeOf } from './comparison.mjs';
import { giant, withBlock } from './giant.mjs';

const COLOURS = ['neutral', 'red', 'light-red', 'green', 'light-green', 'yellow', 'gray'];
const NARROWEST = 5; /* width 0, in pixels */
const LINE = 5; /* height 0 */

const small = pageFile('page-small');
const hostile = pageFile('page-hostile');
const data = block(small, 'c0');
const pair = data.pairs[0];
const tree = treeOf(pair.tree);
const atFirst = tree.boxes.time.first;
/** From a node the child whose time differs most, down to a leaf. */
function hotPath(node) {
	const size = (at) => Math.abs(tree.total('self_ns', 1, at) - tree.total('self_ns', 0, at));
	const children = tree.children(node);
	return [node, ...(children.length > 0 ? hotPath(children.reduce((best, at) => (size(at) > size(best) ? at : best))) : [])];
}
const hot = hotPath(0);
const HERE = '/compare/0/0/blueprint';

const nameOf = (node) => (node === 0 ? pair.name : data.frames.name[tree.frame[node]]);
const nodeOf = (name) => [...tree.frame.keys()].find((node) => nameOf(node) === name);

/** What is drawn: by node its colour, its border, and the size of its box in the picture's own pixels. */
const boxes = async (page) =>
	new Map(
		await page.$$eval('.bp-chart .pic-node', (groups) =>
			groups.map((group) => {
				const box = group.querySelector('.pic-box');
				return [
					Number(group.dataset.node),
					{
						colour: group.dataset.colour,
						border: group.dataset.border,
						width: Number(box.getAttribute('width')),
						height: Number(box.getAttribute('height')),
					},
				];
			}),
		),
	);
/** Only what is in sight stands in the document. */
const fit = async (page) => {
	await page.click('[data-action="fit"]');
	await settle(page);
};
const nodes = async (page) => {
	await fit(page);
	return [...(await boxes(page)).keys()].sort((a, b) => a - b);
};
const selected = (page) => page.$eval('.bp-chart .pic-selected', (group) => Number(group.dataset.node));
const press = async (page, ...keys) => {
	for (const key of keys) await page.keyboard.press(key);
	await settle(page);
};
const focusChart = (page) => page.focus('.bp-chart');
const showAll = async (page) => {
	await focusChart(page);
	await press(page, 'Home', 'a', 'f');
};
/** A click costs four frames: `chooseByMouse` proves of each choice that it can be clicked, `choose` presses its button. */
const chooseByMouse = async (page, what, value) => {
	await page.click(`[data-choice="${what}"] [data-value="${value}"]`);
	await settle(page);
};
const choose = async (page, what, value) => {
	await page.$eval(`[data-choice="${what}"] [data-value="${value}"]`, (button) => button.click());
	await settle(page);
};
const act = async (page, node, action) => {
	await fit(page);
	await page.click(`.pic-node[data-node="${node}"] .pic-box`, { force: true });
	await page.click(`.bp-actions [data-action="${action}"]`);
	await settle(page);
};

/** All boxes against measures of all nodes: one factor for heights, one for widths. */
function hold(drawn, heights, widths, colours) {
	const factor = (key, measures, least) => {
		const node = [...drawn.keys()].reduce((best, at) => (measures[at] > measures[best] ? at : best));
		const ratio = measures[node] > 0 ? drawn.get(node)[key] / measures[node] : 0;
		for (const [at, box] of drawn) {
			const want = Math.max(least, measures[at] * ratio);
			assert.ok(Math.abs(box[key] - want) < 0.01, `${key} of node ${at} is ${box[key]}, not ${want}`);
		}
		return ratio;
	};
	assert.ok(factor('height', heights.map(Math.abs), LINE) > 0);
	if (widths.some((width) => width > 0)) assert.ok(factor('width', widths, NARROWEST) > 0);
	for (const [at, box] of drawn) assert.equal(box.colour, COLOURS[colours[at]], `colour of node ${at}`);
}

await check('at first the delta hot path is shown, what varies beside it, and nothing else', small, HERE, async (page) => {
	assert.deepEqual(await nodes(page), atFirst);
	assert.ok(hot.every((node) => atFirst.includes(node)) && atFirst.length > hot.length && atFirst.length < tree.n);
	assert.ok(hot.includes(await selected(page)));
});

await check('by default boxes are what calls take themselves: they add up to the whole difference, and the cause is the highest', small, HERE, async (page) => {
	assert.equal(await page.getAttribute('[data-choice="basis"] [aria-pressed="true"]', 'data-value'), 'own');
	const { own, time } = tree.boxes.time;
	const sum = own.height.reduce((total, height) => total + height, 0);
	assert.ok(Math.abs(sum - time.height[0]) < 1e-6, `${sum} is not ${time.height[0]}`);
	const drawn = await boxes(page);
	const highest = [...drawn.keys()].reduce((best, node) => (drawn.get(node).height > drawn.get(best).height ? node : best));
	assert.equal(highest, pair.judged[0].causes[0].node);
	/* the picture fills what there is */
	const chart = await page.locator('.bp-chart').boundingBox();
	const found = await page.$$eval('.bp-chart .pic-node', (groups) => groups.map((group) => group.getBoundingClientRect().toJSON()));
	const width = Math.max(...found.map((box) => box.right)) - Math.min(...found.map((box) => box.left));
	const height = Math.max(...found.map((box) => box.bottom)) - Math.min(...found.map((box) => box.top));
	assert.ok(
		width <= chart.width && height <= chart.height && (width > 0.9 * chart.width || height > 0.9 * chart.height),
		`${width} of ${chart.width}, ${height} of ${chart.height}`,
	);
});

await check('heights, widths and colours by each metric and basis', small, HERE, async (page) => {
	for (const metric of ['time', 'allocations', 'bytes', 'instructions', 'count']) {
		await chooseByMouse(page, 'metric', metric);
		await showAll(page);
		for (const basis of ['share', 'time', 'own']) {
			await choose(page, 'basis', basis);
			const drawn = await boxes(page);
			assert.equal(drawn.size, tree.n);
			const { height, colour } = tree.boxes[metric][basis];
			hold(drawn, height, tree.width, colour);
		}
	}
});

await check('a box on the screen is as large as its values say', small, HERE, async (page) => {
	const sizes = await page.$$eval('.bp-chart .pic-node', (groups) =>
		groups.map((group) => {
			const box = group.querySelector('.pic-box').getBoundingClientRect();
			const scale = group.ownerSVGElement.querySelector('g').transform.baseVal.consolidate().matrix.a;
			return [Number(group.dataset.node), box.width / scale, box.height / scale, box.top, box.bottom];
		}),
	);
	const drawn = await boxes(page);
	for (const [node, width, height] of sizes) {
		assert.ok(Math.abs(width - drawn.get(node).width) < 0.1, `width of ${node}`);
		assert.ok(Math.abs(height - drawn.get(node).height) < 0.1, `height of ${node}`);
	}
	/* callers above callees */
	const place = new Map(sizes.map(([node, , , top, bottom]) => [node, { top, bottom }]));
	for (const [node, at] of place) if (node > 0) assert.ok(place.get(tree.parent[node]).bottom < at.top, `node ${node} is not below its caller`);
});

await check('colours have a second sign: a pattern and a symbol', small, HERE, async (page) => {
	await showAll(page);
	const signs = await page.$$eval('.bp-chart .pic-node', (groups) =>
		groups.map((group) => [
			group.dataset.colour,
			(group.querySelector('.pic-name') || { textContent: '' }).textContent.split(' ')[0],
			group.querySelector('.pic-pattern')?.getAttribute('fill') || null,
		]),
	);
	const byColour = new Map(signs.map(([colour, sign]) => [colour, sign]));
	assert.equal(new Set(byColour.values()).size, byColour.size, 'two colours share a symbol');
	for (const [colour, , pattern] of signs) assert.ok(pattern === null || pattern === `url(#bp-${colour})`);
	assert.ok(signs.some(([, , pattern]) => pattern !== null));
	assert.equal(await page.locator('.bp-legend > span').count(), byColour.size + 2);
});

await check('a border is thick while children are not shown, else thin', small, HERE, async (page) => {
	const thick = async () => {
		const drawn = await boxes(page);
		for (const [node, box] of drawn)
			assert.equal(box.border, tree.children(node).some((child) => !drawn.has(child)) ? 'thick' : 'thin', `border of ${node}`);
		return [...drawn.values()].filter((box) => box.border === 'thick').length;
	};
	assert.ok((await thick()) > 0);
	const widths = await page.$$eval('.pic-border', (borders) =>
		borders.map((border) => [border.classList.contains('thick'), Number(border.getAttribute('stroke-width'))]),
	);
	for (const [isThick, width] of widths) assert.equal(width, isThick ? 3 : 1);
	await showAll(page);
	assert.equal(await thick(), 0);
});

await check('the actions show and hide', small, HERE, async (page) => {
	const main = tree.children(0)[0];
	await act(page, 0, 'hide');
	assert.deepEqual(await nodes(page), [0]);
	await act(page, 0, 'children');
	assert.deepEqual(await nodes(page), [0, ...tree.children(0)]);
	await act(page, main, 'children');
	assert.deepEqual(
		await nodes(page),
		[0, ...tree.children(0), ...tree.children(main)].sort((a, b) => a - b),
	);
	await act(page, 0, 'hide');
	await act(page, 0, 'hot');
	assert.deepEqual(
		await nodes(page),
		[...hot].sort((a, b) => a - b),
	);
	await act(page, 0, 'below');
	assert.equal((await nodes(page)).length, tree.n);
	await act(page, main, 'hide');
	assert.deepEqual(await nodes(page), [0, ...tree.children(0)]);
});

await check('the hot path of any node leads down by the greatest difference', small, HERE, async (page) => {
	const emit = nodeOf('emit');
	await act(page, 0, 'hide');
	await act(page, 0, 'below');
	await act(page, emit, 'hide');
	await act(page, emit, 'hot');
	const below = (await nodes(page)).filter((node) => node > emit && node < tree.end[emit]);
	const path = hotPath(emit).slice(1);
	assert.ok(path.length > 0);
	assert.deepEqual(below, path);
});

await check('everything can be done by keyboard', small, HERE, async (page) => {
	const here = async () => {
		await press(page, 'f');
		return [...(await boxes(page)).keys()].sort((x, y) => x - y);
	};
	await focusChart(page);
	await press(page, 'Home');
	assert.equal(await selected(page), 0);
	await press(page, 'h');
	assert.deepEqual(await here(), [0]);
	await press(page, 'Enter');
	assert.deepEqual(await here(), [0, ...tree.children(0)]);
	await press(page, 'ArrowDown');
	assert.equal(await selected(page), tree.children(0)[0]);
	await press(page, 'ArrowRight');
	assert.equal(await selected(page), tree.children(0)[1]);
	await press(page, 'ArrowLeft', 'ArrowUp');
	assert.equal(await selected(page), 0);
	await press(page, 'Enter');
	assert.deepEqual(await here(), [0]);
	await press(page, 'p');
	assert.deepEqual(
		await here(),
		[...hot].sort((a, b) => a - b),
	);
	await press(page, 'a');
	assert.equal((await here()).length, tree.n);
	await press(page, 'h');
	assert.deepEqual(await here(), [0]);
	await press(page, 'c');
	assert.deepEqual(await here(), [0, ...tree.children(0)]);
	const scale = () => page.evaluate(() => perfevo.views.blueprint.view.chart.view.k);
	const before = await scale();
	await press(page, '+');
	assert.ok((await scale()) > before);
	await press(page, '-', '-');
	assert.ok((await scale()) < before);
	await press(page, '?');
	assert.match(await page.textContent('dialog[open]'), /delta hot path/);
	await press(page, 'Escape');
	await press(page, '/');
	assert.equal(await page.evaluate(() => document.activeElement.type), 'search');
});

await check('search counts its hits, walks them and reveals them', small, HERE, async (page) => {
	await page.fill('.bp-search input', 'WRITE_');
	await settle(page);
	const hits = [...tree.frame.keys()].filter((node) => nameOf(node).includes('write_'));
	assert.ok(hits.length > 1);
	assert.match(await page.textContent('.bp-hits'), new RegExp(`^1 of ${hits.length} hits`));
	assert.equal(await selected(page), hits[0]);
	assert.ok((await nodes(page)).includes(hits[0]), 'the hit is not shown');
	assert.ok((await nodes(page)).includes(tree.parent[hits[0]]), 'its caller is not shown');
	await page.focus('.bp-search input');
	await page.keyboard.press('Enter');
	await settle(page);
	assert.equal(await selected(page), hits[1]);
	await page.keyboard.press('Shift+Enter');
	await page.keyboard.press('Shift+Enter');
	await settle(page);
	assert.equal(await selected(page), hits[hits.length - 1]);
	await page.fill('.bp-search input', 'no such method');
	assert.equal(await page.textContent('.bp-hits'), 'no hit');
});

await check('each line of the verdict leads to its box', small, HERE, async (page) => {
	const causes = pair.judged.flatMap((report) => report.causes);
	const lines = page.locator('button.bp-line');
	assert.equal(await lines.count(), causes.filter((cause) => cause.node !== null).length);
	const more = page.locator('.bp-reports button.quiet');
	while ((await more.count()) > 0) await more.first().click();
	for (const [i, cause] of causes.filter((one) => one.node !== null).entries()) {
		await lines.nth(i).click();
		await settle(page);
		assert.equal(await selected(page), cause.node);
		assert.ok((await nodes(page)).includes(cause.node));
		assert.equal(await page.textContent('.bp-details h2'), nameOf(cause.node));
	}
});

await check('the source of the selected method stands below, old beside new', small, HERE, async (page) => {
	const probe = nodeOf('hash_probe');
	await page.click(`.pic-node[data-node="${probe}"] .pic-box`, { force: true });
	await settle(page);
	const source = data.sources.find((one) => data.frames.name[one.frame] === 'hash_probe');
	const rows = await page.$$eval('.src-table tbody tr', (found) =>
		found.map((row) => [
			row.dataset.kind,
			...[...row.querySelectorAll('td.line')].map((cell) => cell.textContent),
			...[...row.querySelectorAll('td.code code, td.code.none')].map((cell) => cell.textContent),
		]),
	);
	const sides = source.text.map((text) => text.replace(/\n$/, '').split('\n'));
	for (const side of [0, 1]) {
		const shown = rows.filter((row) => row[1 + side] !== '');
		assert.deepEqual(
			shown.map((row) => row[3 + side]),
			sides[side],
		);
		assert.deepEqual(
			shown.map((row) => Number(row[1 + side])),
			sides[side].map((_, i) => source.line[side] + i),
		);
	}
	const same = [];
	for (let i = 0; i < source.same.length; i += 3) for (let k = 0; k < source.same[i + 2]; k++) same.push([source.same[i] + k, source.same[i + 1] + k]);
	assert.deepEqual(
		rows.filter(([kind]) => kind === 'same').map((row) => [Number(row[1]) - source.line[0] + 1, Number(row[2]) - source.line[1] + 1]),
		same,
	);
	assert.ok((await page.locator('.src-table .hl-keyword').count()) > 0, 'no syntax colours');
	assert.ok((await page.locator('.src-table td.removed').count()) > 0);
	assert.ok((await page.locator('.src-table td.added').count()) > 0);
	assert.match(await page.textContent('.src-table thead'), /old.*new/s);
});

await check('hovering tells every value of both executions', small, HERE, async (page) => {
	const probe = nodeOf('hash_probe');
	await page.hover(`.pic-node[data-node="${probe}"] .pic-box`, { force: true });
	const tip = await page.textContent('.bp-tip');
	const calls = tree.calls.map((column) => column[probe].toLocaleString('en'));
	for (const text of [
		'hash_probe',
		'old',
		'new',
		'calls',
		'own time',
		'total time',
		'time per call',
		'own allocations',
		'total bytes',
		'own instructions',
		'source modified',
		...calls,
	])
		assert.ok(tip.includes(text), `'${text}' is not in: ${tip}`);
	await page.mouse.move(2, 2);
	assert.ok(await page.isHidden('.bp-tip'));
});

await check('instructions of one method in several contexts are told to be an estimate', small, HERE, async (page) => {
	const details = async (node) => {
		await page.click(`.pic-node[data-node="${node}"] .pic-box`, { force: true });
		await settle(page);
		return page.textContent('.bp-details');
	};
	const said = 'Instructions are exact by method';
	assert.ok(!(await page.textContent('.bp-legend')).includes(said));
	await choose(page, 'metric', 'instructions');
	await showAll(page);
	await fit(page);
	assert.ok((await page.textContent('.bp-legend')).includes(said));
	const node = nodeOf('write_string');
	const sums = tree.instructions.map((column) => column.reduce((sum, v, i) => sum + (tree.frame[i] === tree.frame[node] ? v : 0), 0));
	const own = tree.instructions.map((column) => column[node]);
	const calls = tree.calls.map((column) => column[node]);
	assert.deepEqual(
		[calls, own, sums],
		[
			[1500, 1500],
			[60000, 64500],
			[80000, 86000],
		],
	);
	const text = await details(node);
	assert.match(text, /a share, an estimate, of what its method executes in 2 contexts: exactly 80,000 in old, 86,000 in new/);
	assert.match(text, /own instructions60,00064,500\+4,500/);
	assert.doesNotMatch(await details(nodeOf('read_file')), /estimate/);
});

await check('breadcrumbs lead back to the callers', small, HERE, async (page) => {
	await page.click('.bp-crumbs li:nth-child(2) button');
	await settle(page);
	assert.equal(await selected(page), hot[1]);
	assert.equal(await page.locator('.bp-crumbs li').count(), 2);
});

await check('the wheel zooms where the pointer is, dragging moves', small, HERE, async (page) => {
	const view = () => page.evaluate(() => ({ ...perfevo.views.blueprint.view.chart.view }));
	await page.locator('.bp-chart').scrollIntoViewIfNeeded();
	const box = await page.locator('.bp-chart').boundingBox();
	const at = { x: box.x + 200, y: box.y + 150 };
	const before = await view();
	await page.mouse.move(at.x, at.y);
	await page.mouse.wheel(0, -300);
	await settle(page);
	const after = await view();
	assert.ok(after.k > before.k);
	const under = (v, x) => (x - v.x) / v.k;
	assert.ok(Math.abs(under(before, 200) - under(after, 200)) < 0.5, 'the point under the pointer moved');
	await page.mouse.down();
	await page.mouse.move(at.x + 60, at.y + 40, { steps: 4 });
	await page.mouse.up();
	await settle(page);
	const moved = await view();
	assert.ok(moved.x - after.x > 40 && moved.y - after.y > 25, 'the drag moved nothing');
});

await check('the address keeps what is shown', small, `${HERE}?basis=share&metric=allocations&q=emit`, async (page) => {
	for (const [what, value] of [
		['basis', 'share'],
		['metric', 'allocations'],
	])
		assert.equal(await page.getAttribute(`[data-choice="${what}"] [aria-pressed="true"]`, 'data-value'), value);
	assert.match(await page.textContent('.bp-hits'), /hit/);
	await chooseByMouse(page, 'basis', 'own');
	await chooseByMouse(page, 'metric', 'time');
	await page.waitForFunction(() => /metric=time/.test(location.hash) && /basis=own/.test(location.hash));
});

await check('labels lie on nothing', small, HERE, async (page) => {
	await showAll(page);
	const rects = await page.$$eval('.bp-chart .pic-node', (groups) =>
		groups.flatMap((group) =>
			[...group.querySelectorAll('.pic-box, text')].map((part) => {
				const { left, right, top, bottom } = part.getBoundingClientRect();
				return { node: group.dataset.node, left, right, top, bottom };
			}),
		),
	);
	for (const [i, a] of rects.entries())
		for (const b of rects.slice(i + 1))
			assert.ok(
				a.node === b.node || a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1,
				`node ${a.node} and node ${b.node} overlap`,
			);
});

await check('leaves are stacked, and still lie on nothing', pageFile('page-large'), `${HERE}?basis=time`, async (page) => {
	await focusChart(page);
	await press(page, 'Home', 'a');
	await page.selectOption('.bp-actions select', 'all');
	await settle(page);
	const { overlaps, stacked, above } = await page.evaluate(() => {
		const placed = [...perfevo.views.blueprint.view.chart.layout.boxes].sort((a, b) => a.y - b.y);
		const foot = (box) => box.y + Math.max(box.height, 25); /* two lines of text */
		let found = 0;
		placed.forEach((one, i) => {
			for (let k = i + 1; k < placed.length && placed[k].y < foot(one); k++)
				found += Number(one.x < placed[k].x + placed[k].reach && placed[k].x < one.x + one.reach);
		});
		return {
			overlaps: found,
			stacked: placed.filter(({ spine }) => spine !== null).length,
			above: placed.filter(({ above: caller, y }) => caller && y <= caller.y + caller.height).length,
		};
	});
	assert.equal(overlaps, 0);
	assert.ok(stacked >= 3, `${stacked} are stacked`);
	assert.equal(above, 0, 'callees that are not below their callers');
});

await check('on paper all boxes and all lines are there', small, HERE, async (page) => {
	await showAll(page);
	for (let i = 0; i < 6; i++) await press(page, '+');
	assert.ok((await boxes(page)).size < tree.n, 'nothing was out of sight');
	await page.emulateMedia({ media: 'print' });
	await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
	assert.equal((await boxes(page)).size, tree.n);
	const chart = await page.locator('.bp-chart').boundingBox();
	for (const box of await page.$$eval('.bp-chart .pic-box', (found) => found.map((one) => one.getBoundingClientRect().toJSON())))
		assert.ok(box.left >= chart.x - 1 && box.right <= chart.x + chart.width + 1, 'a box lies outside of the paper');
	const causes = pair.judged.reduce((sum, report) => sum + report.causes.length, 0);
	assert.equal((await page.$$eval('.bp-lines li', (lines) => lines.filter((line) => line.offsetHeight > 0))).length, causes);
	assert.equal(await page.locator('#view .bar :is(button, select, input):visible, .bp-verdict button.quiet:visible').count(), 0, 'controls on paper');
	await page.evaluate(() => dispatchEvent(new Event('afterprint')));
	await page.emulateMedia({ media: 'screen' });
	await settle(page);
	assert.ok((await boxes(page)).size < tree.n);
});

await check('what was opened stays open while another view is looked at', small, HERE, async (page) => {
	const emit = nodeOf('emit');
	await act(page, tree.parent[emit], 'children');
	const before = await nodes(page);
	assert.ok(before.includes(emit));
	for (const view of ['flame', 'blueprint']) {
		await page.evaluate((name) => {
			location.hash = `#/compare/0/0/${name}`;
		}, view);
		await page.waitForFunction((name) => perfevo.views[name].view && document.documentElement.dataset.ready === 'true', view);
	}
	assert.deepEqual(await nodes(page), before);
});

await check('it is a tree to those who hear it', small, HERE, async (page) => {
	const chart = page.locator('.bp-chart');
	assert.equal(await chart.getAttribute('role'), 'tree');
	const active = await chart.getAttribute('aria-activedescendant');
	assert.equal(await page.getAttribute(`#${active}`, 'aria-selected'), 'true');
	const items = await page.$$eval('.bp-chart [role="treeitem"]', (found) =>
		found.map((item) => [Number(item.dataset.node), Number(item.getAttribute('aria-level')), item.getAttribute('aria-label')]),
	);
	assert.equal(items.length, atFirst.length);
	const depth = (node) => (node > 0 ? 1 + depth(tree.parent[node]) : 0);
	for (const [node, level, label] of items) {
		assert.equal(level, depth(node) + 1);
		assert.match(label, /old .*new /);
	}
});

await check('what is shown is saved as a picture', small, HERE, async (page) => {
	await showAll(page);
	const [svgName, svg] = await saved(page, '.bp-actions button:text-is("SVG")');
	assert.match(svgName, /blueprint\.svg$/);
	assert.deepEqual(await readSvg(page, svg, '.pic-box', 'script'), [null, tree.n, 0]);
	assert.ok(svg.includes('rgb(216, 57, 43)') || svg.includes('#d8392b'), 'the colours did not come along');
});

await check('names are shortened as in the terminal, where they say least', hostile, HERE, async (page) => {
	const { frames } = block(hostile, 'c0');
	await showAll(page);
	const labels = new Set(
		(await page.$$eval('.bp-chart .pic-name', (texts) => texts.map((text) => text.textContent.slice(2)))).filter((text) => text.includes('…')),
	);
	const forms = new Set(frames.short.flat());
	for (const text of labels) assert.ok(forms.has(text) || text.endsWith('…'), text);
});

await check('a source that nobody knows is not told to be the same', hostile, HERE, async (page) => {
	const flags = await page.evaluate(() => {
		const { delta } = perfevo.views.blueprint.view.now;
		for (let f = 0; f < delta.frames.flags.length; f++) delta.frames.flags[f] |= 64;
		return delta.frames.flags;
	});
	assert.ok(flags.length > 0);
	await choose(page, 'basis', 'time');
	assert.doesNotMatch(await page.textContent('.bp-legend'), /did not change/);
	await showAll(page);
	for (const label of await page.$$eval('.bp-chart .pic-node', (found) => found.map((group) => group.getAttribute('aria-label'))))
		assert.doesNotMatch(label, /did not change|source is the same/);
});

await check('hostile names are text', hostile, HERE, async (page) => {
	await showAll(page);
	assert.equal(await page.locator('.view-body script, .view-body img, .view-body b').count(), 0);
	const names = block(hostile, 'c0').frames.name;
	assert.ok(names.some((name) => name.includes('<script>')));
	assert.ok((await page.textContent('.bp-chart')).includes('<script>'));
	for (const node of await nodes(page)) {
		await page.evaluate((at) => perfevo.views.blueprint.view.select(at), node);
		await page.evaluate((at) => perfevo.views.blueprint.view.hover(at, 300, 300), node);
	}
	await page.fill('.bp-search input', '<img');
	const [, svg] = await saved(page, '.bp-actions button:text-is("SVG")');
	assert.deepEqual(await readSvg(page, svg, 'script, img, b'), [null, 0]);
	assert.equal(await page.locator('.view-body script, .view-body img, .view-body b').count(), 0);
});

await check('two equal builds have no tree, and the page says so', small, '/compare/1/1/blueprint', async (page) => {
	assert.match(await page.textContent('.view-body'), /Both sides execute the same/);
	assert.equal(await page.locator('.bp-chart').count(), 0);
});

await check('a side without a profile says why', small, '/compare/1/2/blueprint', async (page) => {
	assert.match(await page.textContent('.view-body'), /No call trees.*old could not be profiled/s);
});

await check('calls that nobody counted are told so', small, '/compare/2/0/blueprint', async (page) => {
	const { tree: sampled } = block(small, 'c2').pairs[0];
	await showAll(page);
	hold(await boxes(page), sampled.boxes.time.own.height, sampled.width, sampled.boxes.time.own.colour);
	const uncounted = sampled.calls?.[1].indexOf(null) ?? -1;
	if (uncounted >= 0) {
		await page.evaluate((at) => perfevo.views.blueprint.view.select(at), uncounted);
		assert.match(await page.textContent('.bp-details'), /calls are not known/);
	}
});

await check('a narrow screen has no sideways scroll, whatever is chosen', small, HERE, async (page) => {
	await page.setViewportSize({ width: 380, height: 800 });
	for (const metric of ['time', 'instructions']) {
		await chooseByMouse(page, 'metric', metric);
		const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
		assert.ok(over <= 0, `${metric}: ${over} pixels too wide`);
	}
});

/* --- A tree of 100,000 nodes --- */

const large = pageFile('page-small', 'giant', (text) => withBlock(text, 'c0', giant(100000)));
await check('a tree of 100,000 nodes opens, and draws only what is shown', large, HERE, async (page) => {
	const shown = () => page.$eval('.bp-chart', (chart) => Number(chart.dataset.shown));
	assert.equal(await page.$eval('.bp-chart', (chart) => Number(chart.dataset.nodes)), 100000);
	assert.ok((await shown()) < 100);
	assert.ok((await boxes(page)).size <= (await shown()));
	await focusChart(page);
	await press(page, 'Home', 'a');
	const before = await shown();
	assert.ok(before >= 1000 && before < 1200, `${before} are shown`);
	assert.match(await page.textContent('.bp-notice'), /not shown yet/);
	await page.click('.bp-notice [data-action="more"]');
	assert.equal(await shown(), before + 1000);
	await page.fill('.bp-search input', 'method_499');
	assert.match(await page.textContent('.bp-hits'), /1 of 200 hits/);
	await page.click('.bp-actions [data-action="hide"]');
	await focusChart(page);
	await press(page, 'Home', 'h');
	assert.equal(await shown(), 1);
	assert.equal(await page.isVisible('.bp-notice'), false);
});
