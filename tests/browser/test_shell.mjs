/*
 * The frame around the views in a browser (pages.mjs). Addresses,
 * comparisons and their values, keys, themes, and pages that lack one thing or another.
 */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { formatChange, formatValue } from '../../report/web/model.js';
import { npm } from './browser.mjs';
import { apartPage, blockOf, changedPage, check, fileOf, ready, settle } from './harness.mjs';

const hash = (page) => new URL(page.url()).hash;
const shown = (page) =>
	page.evaluate(() => ['view-evolution', 'view-commits', 'view-list', 'view-compare'].filter((id) => !document.getElementById(id).hidden).join());
const go = async (page, to) => {
	await page.evaluate((where) => {
		location.hash = where;
	}, to);
	await ready(page);
};

await check('views have addresses, and going back works', 'page-small', async (page) => {
	assert.equal(await shown(page), 'view-evolution');
	await page.click('#tabs a[data-view="commits"]');
	await ready(page);
	assert.equal(await shown(page), 'view-commits');
	await page.click('#tabs a[data-view="list"]');
	await ready(page);
	assert.equal(await shown(page), 'view-list');
	await page.click('#comparison-list h2 a >> nth=0');
	await ready(page);
	assert.equal(await shown(page), 'view-compare');
	assert.equal(await page.getAttribute('#tabs a[data-view="list"]', 'aria-current'), 'page');
	const way = [];
	for (let i = 0; i < 3; i++) {
		await page.goBack();
		await ready(page);
		way.push(await shown(page));
	}
	assert.deepEqual(way, ['view-list', 'view-commits', 'view-evolution']);
	await page.goForward();
	await ready(page);
	assert.equal(await shown(page), 'view-commits');
});

/* What moves unasked, and how far: as a browser counts it. */
const noteShifts = () => {
	window.moved = 0;
	new PerformanceObserver((list) => {
		for (const { value } of list.getEntries()) window.moved += value;
	}).observe({ type: 'layout-shift', buffered: true });
};
const packed = apartPage('page-small', 'packed');
for (const where of ['#/evolution', '#/commits', '#/compare/0/0/blueprint'])
	await check(`nothing moves while data are unpacked: ${where}`, [packed, { hash: where, before: noteShifts }], async (page) => {
		await settle(page);
		assert.equal(await page.evaluate(() => window.moved), 0);
	});

await check('an address that leads nowhere leads to what there is', ['page-small', { hash: '#/compare/99/0/blueprint' }], async (page) => {
	assert.equal(await shown(page), 'view-list');
	for (const [to, view] of [
		['#/nonsense', 'view-evolution'],
		['#/compare/0/77', 'view-compare'],
		['#/commits/zzzz', 'view-commits'],
		['#/evolution?commit=zzz', 'view-evolution'],
		['#/compare/0/0/nothing?x=%E0%A4%A', 'view-compare'],
	]) {
		await go(page, to);
		assert.equal(await shown(page), view, to);
	}
	assert.ok(await page.isHidden('#trouble'));
});

await check('the list says what was compared and what came of it', ['page-small', { hash: '#/compare' }], async (page) => {
	const { comparisons } = blockOf('page-small', 'index');
	assert.equal(await page.locator('.comparison').count(), comparisons.length);
	for (const [i, entry] of comparisons.entries()) {
		const text = await page.textContent(`.comparison >> nth=${i}`);
		for (const wanted of [entry.old.name, entry.new.name, entry.new.subject || '', entry.lines[0].text.replaceAll('`', '')])
			assert.ok(text.includes(wanted), `'${wanted}' is not in: ${text}`);
	}
	const [line] = comparisons[0].lines;
	await page.click('.comparison >> nth=0 >> .verdict a >> nth=0');
	await ready(page);
	assert.equal(hash(page), `#/compare/0/${line.pair}/blueprint?node=${line.node}`);
});

await check('the values of a benchmark stand above its pictures', ['page-small', { hash: '#/compare/1/0' }], async (page) => {
	const { pairs } = blockOf('page-small', 'c1');
	assert.equal(await page.locator('#pair-tabs a').count(), 3);
	assert.equal(await page.locator('#pair-tabs a[aria-current="page"]').textContent(), `${pairs[0].name} ▼ −24.3 %`);
	const rows = await page.locator('#metrics-table tbody tr').allTextContents();
	assert.equal(rows.length, pairs[0].metrics.length);
	const wall = pairs[0].metrics.find((metric) => metric.name === 'wall');
	const text = [
		formatValue(wall.old, wall.unit),
		formatValue(wall.new, wall.unit),
		formatChange(wall.relative),
		`${formatChange(wall.low)} to ${formatChange(wall.high)}`,
		`${wall.old_runs} / ${wall.new_runs}`,
		'better',
	];
	for (const part of text) assert.ok(rows[0].includes(part), `'${part}' is not in: ${rows[0]}`);
	assert.match(
		rows.find((row) => row.startsWith('allocations')),
		/exact/,
	);
	assert.match(rows[rows.length - 1], /^CPU time/, 'what is not judged comes last');
	await page.click('#pair-tabs a >> nth=1');
	await ready(page);
	assert.equal(hash(page).split('?')[0].split('/').slice(0, 4).join('/'), '#/compare/1/1');
	assert.ok(await page.isHidden('#metrics'));
});

await check('pictures are put up and taken down', 'page-small', async (page) => {
	await page.evaluate(() => {
		window.log = [];
		for (const name of Object.keys(perfevo.views)) delete perfevo.views[name];
		const view = (name) => ({
			title: name.toUpperCase(),
			keys: [['x', `does ${name}`]],
			mount(element, context) {
				window.log.push(`mount ${name} ${context.pair} ${JSON.stringify(context.state)}`);
				element.textContent = name;
				this.context = context;
			},
			unmount() {
				window.log.push(`unmount ${name}`);
			},
		});
		perfevo.views.blueprint = view('blueprint');
		perfevo.views.flame = view('flame');
	});
	await go(page, '#/compare/1/0/flame?q=a%20b');
	assert.equal(await page.textContent('#view'), 'flame');
	assert.deepEqual(await page.locator('#view-tabs a').allTextContents(), ['BLUEPRINT', 'FLAME']);
	await page.evaluate(() => {
		const { context } = perfevo.views.flame;
		context.state = { q: 'c', node: 7 };
		context.remember();
	});
	assert.equal(hash(page), '#/compare/1/0/flame?q=c&node=7');
	await page.keyboard.press('?');
	assert.match(await page.textContent('#keys'), /does flame/);
	await page.keyboard.press('Escape');
	assert.equal(await page.evaluate(() => perfevo.views.flame.context.href('blueprint', { node: 3 })), '#/compare/1/0/blueprint?node=3');
	await page.click('#view-tabs a >> nth=0');
	await ready(page);
	await go(page, '#/evolution');
	assert.deepEqual(await page.evaluate(() => window.log), ['mount flame 0 {"q":"a b"}', 'unmount flame', 'mount blueprint 0 {}', 'unmount blueprint']);
});

await check('every picture of every comparison can be put up', 'page-small', async (page) => {
	const { comparisons } = blockOf('page-small', 'index');
	const names = await page.evaluate(() => Object.keys(perfevo.views));
	assert.ok(names.includes('blueprint') && names.length >= 4, names.join());
	for (let n = 0; n < comparisons.length; n++)
		for (let pair = 0; pair < comparisons[n].benchmarks.length; pair++)
			for (const name of names) {
				await go(page, `#/compare/${n}/${pair}/${name}`);
				assert.ok(await page.isHidden('#trouble'), `${name} of pair ${pair} of comparison ${n}: ${await page.textContent('#trouble')}`);
				assert.ok((await page.textContent('#view')).trim().length > 0, `${name} of pair ${pair} of comparison ${n} is empty`);
			}
});

await check('keys lead to the views, but not while something is typed', 'page-small', async (page) => {
	for (const [keys, view] of [
		['gc', 'view-commits'],
		['gd', 'view-list'],
		['ge', 'view-evolution'],
	]) {
		for (const key of keys) await page.keyboard.press(key);
		await ready(page);
		assert.equal(await shown(page), view);
	}
	await page.focus('#filter');
	await page.keyboard.type('gc?');
	assert.equal(await shown(page), 'view-evolution');
	assert.equal(await page.inputValue('#filter'), 'gc?');
	await page.focus('#chart');
	await page.keyboard.press('?');
	assert.ok(await page.isVisible('#keys'));
	assert.match(await page.textContent('#keys'), /g c.*commits/s);
	await page.keyboard.press('Escape');
	assert.ok(await page.isHidden('#keys'));
});

await check('links past the head move the focus and leave the address alone', 'page-small', async (page) => {
	await page.keyboard.press('Tab');
	assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the content');
	await page.keyboard.press('Tab');
	await page.keyboard.press('Enter');
	assert.equal(await page.evaluate(() => document.activeElement.id), 'jumps');
	assert.equal(hash(page), '');
});

await check(
	'a page of one comparison opens with it',
	changedPage('page-small', 'one', (index) => {
		Object.assign(index, {
			revisions: [],
			lines: [],
			failures: [],
			events: [],
			event_jumps: [],
			left_out: [],
			history: null,
			project: null,
			machine: null,
			comparisons: [index.comparisons[0]],
		});
		for (const side of ['old', 'new']) index.comparisons[0][side].revision = null;
	}),
	async (page) => {
		assert.equal(await shown(page), 'view-compare');
		assert.ok(await page.isHidden('#tabs'), 'there is nothing to choose from');
		assert.match(await page.textContent('#comparison-title'), /old.*new/s);
		await page.keyboard.press('g');
		await page.keyboard.press('c');
		await settle(page);
		assert.equal(await shown(page), 'view-compare');
	},
);

await check('without a history there are no commits, without comparisons it says how to make one', 'small', async (page) => {
	assert.deepEqual(await page.locator('#tabs a').allTextContents(), ['Evolution', 'Comparisons']);
	await go(page, '#/commits');
	assert.equal(await shown(page), 'view-evolution');
	await go(page, '#/compare');
	assert.match(await page.textContent('#comparison-list'), /perfevo compare A B --format html/);
});

await check('a browser that cannot unpack the data is told so', ['page-small', { before: 'delete window.DecompressionStream' }], async (page) => {
	assert.match(await page.textContent('#trouble'), /too old to unpack its data/);
	assert.equal(await shown(page), '');
	page.seen.errors.length = 0; /* the page logs it too */
});

await check(
	'data of another layout are refused with a sentence',
	changedPage('page-small', 'future', (index) => {
		index.format = 5;
	}),
	async (page) => {
		assert.match(await page.textContent('#trouble'), /layout 5/);
		page.seen.errors.length = 0;
	},
);

await check('the theme that was chosen stays, and paper is white', ['page-small', { hash: '#/commits' }], async (page) => {
	const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	const light = await ground();
	await page.keyboard.press('t');
	assert.notEqual(await ground(), light);
	await page.reload();
	await ready(page);
	assert.notEqual(await ground(), light, 'it was forgotten');
	await page.emulateMedia({ media: 'print' });
	assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--card').trim()), '#ffffff');
	assert.ok((await page.isHidden('#tabs')) && (await page.isHidden('.tools')));
});

await check('the fixed part of a page is below 400 KB', 'empty', async (page) => {
	const { size } = statSync(fileOf('empty'));
	assert.ok(size < 400000, `${size} bytes`);
	assert.ok(await page.isVisible('#view-evolution'));
});

/* The words of a box and of a commit say in full what is drawn in short: their names do not hold that text. */
await check('axe finds no fault in a narrow window', ['page-small', { viewport: { width: 400, height: 860 } }], async (page) => {
	await page.evaluate(readFileSync(npm.resolve('axe-core/axe.min.js'), 'utf8'));
	const views = await page.evaluate(() => Object.keys(perfevo.views));
	for (const at of ['#/evolution', '#/commits', '#/compare', ...views.map((view) => `#/compare/0/0/${view}`)]) {
		await go(page, at);
		const faults = await page.evaluate(async () => {
			const { violations } = await globalThis.axe.run(document, { rules: { 'label-content-name-mismatch': { enabled: false } } });
			return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 90)).join(' ')}`);
		});
		assert.deepEqual(faults, [], at);
	}
});
