/*
 * The evolution in a browser (pages.mjs).
 */
import assert from 'node:assert/strict';
import { jumpSign, jumpStateText } from '../../report/web/graph.js';
import { compareCommand, formatChange, formatValue, thin, tickLabels } from '../../report/web/model.js';
import { apartPage, changedPage, check, downloaded, fact, pictureFault, ready, settle } from './harness.mjs';

const drawn = (page) => page.$eval('#chart', (chart) => ({ lines: Number(chart.dataset.lines), jumps: Number(chart.dataset.jumps) }));
const view = (page) => page.evaluate(() => ({ ...perfevo.page.chart.view }));
const span = ({ min, max }) => max - min;

/** Where a value of a line stands on the screen. */
const placeOf = (page, name, revision) =>
	page.evaluate(
		([n, r]) => {
			const { chart, model, state } = perfevo.page;
			const line = model.lines.find((l) => l.name === n && l.metric === state.metric);
			const box = chart.host.getBoundingClientRect();
			return { x: box.left + chart.x(r), y: box.top + chart.yOf(line, r) };
		},
		[name, revision],
	);

/** As if fresh runs had confirmed every jump. */
const confirmAll = (page) =>
	page.evaluate(() => {
		for (const jump of perfevo.page.model.jumps) jump.state = 'confirmed';
		perfevo.page.chart.draw();
	});

/** How many shapes of the chart are filled with a colour of the page. */
const filled = (page, variable) => page.locator(`#chart .jump path[fill="var(${variable})"]`).count();

await check('a line for each benchmark, a mark for each jump of the metric', 'small', async (page) => {
	assert.deepEqual(await drawn(page), { lines: 6, jumps: 5 });
	assert.equal(await page.locator('#legend .entry').count(), 6);
	assert.equal(await page.locator('#jump-table tbody tr').count(), 7);
	await confirmAll(page);
	assert.deepEqual([await filled(page, '--bad'), await filled(page, '--good')], [3, 2], 'jumps are not in their colours');
	for (let i = 0; i < 6; i++) {
		await page.hover(`#legend li >> nth=${i}`);
		await page.click(`#legend li >> nth=${i} >> .only`);
		await page.mouse.move(5, 5);
		await settle(page);
		assert.equal(await page.locator(`#chart .line path.values[stroke="var(--l${i})"]`).count(), 1, `line ${i} is not drawn`);
	}
});

await check('a page without jumps has no marks and says so', 'quiet', async (page) => {
	assert.deepEqual(await drawn(page), { lines: 2, jumps: 0 });
	assert.match(await page.textContent('#jumps-none'), /No benchmark moved/);
	assert.ok(await page.isHidden('#failures'));
});

await check('an empty evolution is a page too', 'empty', async (page) => {
	assert.match(await page.textContent('#chart'), /Nothing was measured/);
});

await check('the legend takes lines away and brings them back', 'small', async (page) => {
	await page.click('#legend .entry >> nth=0');
	assert.equal((await drawn(page)).lines, 5);
	assert.equal(await page.getAttribute('#legend .entry >> nth=0', 'aria-pressed'), 'false');
	await page.click('#legend .entry >> nth=0');
	assert.equal((await drawn(page)).lines, 6);
	await page.hover('#legend li >> nth=2');
	await page.click('#legend li >> nth=2 >> .only');
	assert.equal((await drawn(page)).lines, 1);
	await page.click('#show-all');
	assert.equal((await drawn(page)).lines, 6);
});

await check('the filter narrows legend and jumps by name', 'small', async (page) => {
	await page.fill('#filter', 'PARSE');
	assert.deepEqual(await page.locator('#legend .label').allTextContents(), ['parse/large-file', 'parse/small-file']);
	assert.equal(await page.locator('#jump-table tbody tr').count(), 4);
	await page.fill('#filter', 'no such name');
	assert.equal(await page.locator('#legend .entry').count(), 0);
	assert.match(await page.textContent('#jumps-none'), /No jump of a benchmark with that name/);
});

await check('another metric and another scale draw other values', 'small', async (page) => {
	await page.selectOption('#metric', { label: 'throughput' });
	assert.deepEqual(await drawn(page), { lines: 1, jumps: 1 });
	assert.match(await page.textContent('#axis'), /higher is better/);
	await page.selectOption('#metric', { label: 'allocations' });
	assert.deepEqual(await drawn(page), { lines: 6, jumps: 1 });
	await page.selectOption('#scale', 'zero');
	await settle(page);
	assert.equal(await page.evaluate(() => perfevo.page.chart.range[0]), 0);
	await page.selectOption('#scale', 'percent');
	await settle(page);
	assert.match(await page.textContent('#axis'), /percent of the first/);
	assert.ok((await page.evaluate(() => perfevo.page.chart.range[1])) < 200);
});

await check('the pointer shows a value with its commit', 'small', async (page) => {
	const place = await placeOf(page, 'parse/large-file', 12);
	await page.mouse.move(place.x, place.y);
	const tip = await page.textContent('#tip');
	for (const wanted of [
		'parse/large-file',
		'1.43 ms',
		'6a99b44c',
		'alloc: round sizes up',
		'Ada Lovelace',
		'2024-05-06',
		'25 runs',
		'MAD',
		'regression +18 %',
	])
		assert.ok(tip.includes(wanted), `'${wanted}' is not in: ${tip}`);
	await page.mouse.move(5, 5);
	assert.ok(await page.isHidden('#tip'));
});

await check('a click on a point shows its commit', 'small', async (page) => {
	const place = await placeOf(page, 'query[index=hash]', 15);
	await page.mouse.click(place.x, place.y);
	const details = await page.textContent('#details');
	for (const wanted of ['4540215f0000000000000000000000000000000f', 'v1.1', 'improvement', '5.77 ms'])
		assert.ok(details.includes(wanted), `'${wanted}' is not in: ${details}`);
});

await check('a row of the jumps leads the chart there', 'small', async (page) => {
	await page.click('#jump-table tbody tr:has-text("throughput")');
	await settle(page);
	assert.deepEqual(await drawn(page), { lines: 1, jumps: 1 });
	const { min, max } = await view(page);
	assert.ok(min < 17 && max > 19 && max - min < 29, `view is ${min} to ${max}`);
	assert.match(await page.textContent('#tip'), /render\/svg/);
	assert.match(await page.textContent('#details'), /be1e0823/);
	assert.match(await page.textContent('#jump-table tbody tr:has-text("throughput")'), /in e3779b10\.\.be1e0823 \(3 commits\)/);
});

await check('the jumps of one commit are a block with its class, the leading one first', 'events', async (page) => {
	const rows = page.locator('#jump-table tbody tr');
	assert.equal(await rows.count(), 5);
	assert.match(await page.textContent('#tiles'), /0slower.*0faster.*2suspected/);
	const first = page.locator('#jump-table tbody tr.first');
	assert.equal(await first.count(), 2);
	assert.deepEqual(await page.locator('#jump-table tbody .class').allTextContents(), ['slower, suspected', 'mixed, suspected']);
	assert.match(
		await first.nth(1).textContent(),
		/6a99b44c.*alloc: round sizes up.*mixed, suspected.*arena_grow \(modified\) \+3\.1 M, <b>round_up \+1\.2 M, hash_probe −20 k and 1 more/,
	);
	/* sorted by a head, each row has its commit */
	await page.click('#jump-table th button[data-key="change"]');
	assert.equal(await first.count(), 5);
	await page.fill('#filter', 'parse/small');
	assert.deepEqual(await page.locator('#jump-table tbody .go').allTextContents(), ['parse/small-file']);
	await page.fill('#filter', 'nothing');
	assert.equal(await rows.count(), 0);
});

await check(
	'the page opens at the metric of the leading jump',
	changedPage('small', 'leading', (index) => {
		const of = (line) => index.lines[line].metric.name === 'allocations' && index.lines[line].jumps.length > 0;
		const allocations = index.lines.findIndex((_, line) => of(line));
		const wanted = index.event_jumps.findIndex((jumps) => jumps.some(([line]) => line === allocations));
		for (const list of [index.events, index.event_jumps]) list.unshift(list.splice(wanted, 1)[0]);
		index.event_jumps[0].sort(([a], [b]) => (b === allocations) - (a === allocations));
	}),
	async (page) => assert.equal(await page.locator('#metric option:checked').textContent(), 'allocations'),
);

await check('jumps are sorted by the head that is chosen', 'small', async (page) => {
	const names = () => page.locator('#jump-table tbody .go').allTextContents();
	const first = await names();
	assert.equal(first[0], 'compress/text', 'the largest regression comes first');
	await page.click('#jump-table th button[data-key="benchmark"]');
	assert.deepEqual(await names(), [...first].sort());
	assert.equal(await page.getAttribute('#jump-table th:has([data-key="benchmark"])', 'aria-sort'), 'ascending');
	await page.click('#jump-table th button[data-key="benchmark"]');
	assert.deepEqual(await names(), [...first].sort().reverse());
});

await check('failures stand on their rail and in their table', 'small', async (page) => {
	assert.equal(await page.getAttribute('#rail', 'data-marks'), '3');
	assert.equal(await page.locator('#failure-rows tr').count(), 3);
	await page.click('#failure-rows tr >> nth=1 >> summary');
	assert.match(await page.textContent('#failure-rows tr >> nth=1 >> pre'), /'key' undeclared/);
	await page.locator('#rail').scrollIntoViewIfNeeded();
	await page.hover('#rail [data-revision="17"]');
	assert.match(await page.textContent('#tip'), /build failed.*81af14c1/);
	assert.match(await page.textContent('#left-out-rows'), /test_index_grow: tests\/test_index\.c was modified/);
});

await check('a revision without values is a gap in its lines', 'small', async (page) => {
	const gaps = await page.evaluate(() =>
		perfevo.page.model.lines.filter((line) => line.metric === 0).map((line) => line.value.map((v, r) => (v === null ? r : -1)).filter((r) => r >= 0)),
	);
	assert.deepEqual(gaps, [
		[17, 18],
		[7, 17, 18],
		[17, 18],
		[17, 18],
		[17, 18],
		[17, 18],
	]);
});

await check('what is reused has its own mark, is named, and says where it comes from', 'small', async (page) => {
	assert.equal(await page.textContent('#reused'), '18 of 167 results reused');
	assert.match(await page.textContent('#chart-help'), /◇ reused from an identical build/);
	assert.equal(await page.getAttribute('#chart', 'data-reused'), '18');
	await page.click('#jump-table tbody tr:has-text("6a99b44c") >> nth=0');
	await page.selectOption('#metric', { label: 'wall time' });
	await page.click('#zoom-all');
	await settle(page);
	assert.equal(await page.getAttribute('#chart', 'data-reused'), '3');
	/* the mark is hollow where it was reused */
	assert.equal(await page.locator('#chart .reused[fill="var(--card)"]').count(), 3);
	const place = await placeOf(page, 'parse/large-file', 11);
	await page.mouse.move(place.x, place.y);
	assert.match(await page.textContent('#tip'), /reused from 2e2ac0ea \(identical build\)/);
	assert.match(await page.textContent('#spoken'), /cc623a9b: 1\.21 ms 0 % reused from 2e2ac0ea/);
	await page.mouse.click(place.x, place.y);
	const rows = await page.locator('#details tbody tr').allTextContents();
	assert.deepEqual(
		rows.map((row) => row.includes('reused from 2e2ac0ea (identical build)')),
		[true, false, false, false, false, false],
	);
	const measured = await placeOf(page, 'parse/large-file', 10);
	await page.mouse.move(measured.x, measured.y);
	assert.doesNotMatch(await page.textContent('#tip'), /reused/);
});

await check('the spread keeps to its line where values are reused, and stops where the line does', 'small', async (page) => {
	const found = await page.$$eval('#chart .line', (groups) =>
		groups.map((group) => {
			const line = perfevo.page.model.lines[group.dataset.line];
			const pieces = (shape) => (group.querySelector(shape).getAttribute('d').match(/M/g) || []).length;
			return {
				reused: line.reused.size > 0,
				/* the middle 50 % lies around the value at every revision, and has the gaps of the line */
				around: line.value.every((v, r) => (v == null ? line.q25[r] == null && line.q75[r] == null : line.q25[r] <= v && v <= line.q75[r])),
				gaps: pieces('.band') === pieces('.values'),
			};
		}),
	);
	assert.ok(found.some((one) => one.reused));
	for (const one of found) assert.deepEqual(one, { reused: one.reused, around: true, gaps: true });
	assert.ok(
		await page.evaluate(() => perfevo.page.model.lines.every((line) => [...line.reused].every(([r, source]) => line.value[r] === line.value[source]))),
	);
});

await check('a page where all was measured does not speak of what was reused', 'hostile', async (page) => {
	assert.ok(await page.isHidden('#reused'));
	assert.doesNotMatch(await page.textContent('main'), /reused/);
	assert.equal(await page.getAttribute('#chart', 'data-reused'), '0');
});

await check('dragging zooms, a double click shows everything, Shift and drag pans', 'small', async (page) => {
	const whole = await view(page);
	const box = await page.locator('#chart').boundingBox();
	const at = (share) => [box.x + box.width * share, box.y + box.height / 2];
	const drag = async (from, to) => {
		await page.mouse.move(...at(from));
		await page.mouse.down();
		await page.mouse.move(...at((from + to) / 2));
		await page.mouse.move(...at(to));
		await page.mouse.up();
		await settle(page);
	};
	await drag(0.4, 0.6);
	const near = await view(page);
	assert.ok(Math.abs(span(near) / span(whole) - 0.2) < 0.03, `zoomed to ${span(near)} of ${span(whole)}`);
	await page.keyboard.down('Shift');
	await drag(0.5, 0.7);
	await page.keyboard.up('Shift');
	const moved = await view(page);
	assert.ok(moved.min < near.min - 0.5 && Math.abs(span(moved) - span(near)) < 1e-6, 'it did not pan');
	await page.mouse.dblclick(...at(0.5));
	await settle(page);
	assert.deepEqual(await view(page), whole);
});

await check('the wheel zooms with Ctrl and scrolls the page without', 'small', async (page) => {
	const whole = await view(page);
	const box = await page.locator('#chart').boundingBox();
	await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
	await page.mouse.wheel(0, -200);
	await settle(page);
	assert.deepEqual(await view(page), whole);
	await page.evaluate(() => scrollTo(0, 0));
	await page.keyboard.down('Control');
	await page.mouse.wheel(0, -200);
	await page.keyboard.up('Control');
	await settle(page);
	assert.ok(span(await view(page)) < span(whole));
});

await check('the keyboard walks, zooms and opens', 'small', async (page) => {
	await page.focus('#chart');
	await page.keyboard.press('ArrowRight');
	await page.keyboard.press('ArrowRight');
	await settle(page);
	assert.match(await page.textContent('#spoken'), /parse\/large-file, 9e3779b1: 1\.21 ms/);
	await page.keyboard.press('ArrowDown');
	assert.match(await page.textContent('#spoken'), /parse\/small-file, 9e3779b1/);
	await page.keyboard.press('Enter');
	assert.match(await page.textContent('#details'), /9e3779b1/);
	const whole = await view(page);
	await page.keyboard.press('+');
	assert.ok(span(await view(page)) < span(whole));
	await page.keyboard.press('0');
	assert.deepEqual(await view(page), whole);
});

await check('names, subjects and logs of strangers stay text', 'hostile', async (page) => {
	assert.deepEqual(await drawn(page), { lines: 4, jumps: 1 });
	await page.click('#jump-table tbody tr');
	for (const summary of await page.locator('summary:visible').all()) await summary.click();
	for (let r = 0; r < 12; r++) await page.evaluate((i) => perfevo.page.chart.on.pick(null, i), r);
	await page.focus('#chart');
	for (let i = 0; i < 12; i++) await page.keyboard.press('ArrowRight');
	await settle(page);
	assert.equal(await page.evaluate(() => window.hacked), undefined);
	assert.equal(await page.locator('img, iframe, object, b:not(.tile b)').count(), 0);
	assert.equal(await page.evaluate(() => [...document.scripts].filter((script) => !script.nonce && script.type !== 'application/x-perfevo').length), 0);
	assert.equal(await page.title(), '</title><script>window.hacked=1</script>: performance over its history');
	assert.match(await page.textContent('#jump-table tbody'), /<\/script><img src=x onerror=alert\(1\)>/);
	assert.match(await page.textContent('#failure-rows'), /<b>error<\/b> <\/script> red /);
});

await check('the policy stops markup that would get in', 'quiet', async (page) => {
	const stopped = page.waitForEvent('requestfailed', (request) => request.url().endsWith('nothing.png'));
	await page.evaluate(() => {
		const box = document.createElement('div');
		box.innerHTML = '<img src="nothing.png" onerror="window.hacked=1">';
		document.body.append(box);
		const script = document.createElement('script');
		script.textContent = 'window.hacked=1';
		document.body.append(script);
	});
	assert.equal((await stopped).failure().errorText, 'csp');
	await settle(page);
	assert.equal(await page.evaluate(() => window.hacked), undefined);
	page.seen.errors.length = page.seen.requests.length = 0; /* the browser reports what the policy stopped */
});

await check('a hundred benchmarks: those that moved in the chart, small charts of all', 'many', async (page) => {
	assert.deepEqual(await drawn(page), { lines: 8, jumps: 8 });
	assert.equal(await page.locator('#cards .mini').count(), 48);
	const place = () => page.evaluate(() => document.getElementById('cards-more').getBoundingClientRect().top + scrollY);
	const before = await place();
	await page.locator('#cards-more').scrollIntoViewIfNeeded();
	await settle(page);
	assert.equal(await place(), before, 'the button moves away when the charts above it come into view');
	await page.click('#cards-more');
	await page.waitForFunction(() => document.querySelectorAll('#cards .mini').length === 120);
	await page.click('#theme');
	await settle(page);
	assert.equal(await page.locator('#cards .mini').count(), 120, 'another theme took back that all are shown');
	await page.fill('#filter', 'case-113');
	assert.equal(await page.locator('#cards .mini').count(), 1);
	await page.click('#cards .mini');
	assert.deepEqual(await drawn(page), { lines: 1, jumps: 1 });
	await page.waitForSelector('#cards svg .jump');
	await page.fill('#filter', '');
	await page.click('#show-all');
	assert.equal((await drawn(page)).lines, 120);
});

await check('ten thousand revisions can be drawn, zoomed and walked', 'long', async (page) => {
	assert.deepEqual(await drawn(page), { lines: 4, jumps: 5 });
	await page.click('#jump-table tbody tr:has-text("render/svg")');
	await settle(page);
	const { min, max } = await view(page);
	assert.ok(min < 9002 && max > 9003 && max - min < 200, `view is ${min} to ${max}`);
	await page.keyboard.press('ArrowRight');
	await settle(page);
	assert.match(await page.textContent('#spoken'), /render\/svg/);
	await page.click('#zoom-all');
	await page.click('#zoom-in');
	assert.equal(await page.textContent('#reused'), '13332 of 40000 results reused');
	assert.equal(await page.getAttribute('#chart', 'data-reused'), '0', 'marks without room for them');
	const before = await view(page);
	await page.locator('#overview').scrollIntoViewIfNeeded();
	const box = await page.locator('#overview').boundingBox();
	await page.mouse.click(box.x + box.width * 0.85, box.y + box.height / 2);
	assert.ok((await view(page)).min > before.min, 'the overview did not pan');
});

await fact('thinning keeps every extreme', () => {
	const values = Array.from({ length: 10000 }, (_, i) => 100 + ((i * 7919) % 13));
	values[1234] = 500;
	values[8765] = 1;
	values[42] = null;
	const kept = new Set(thin(values, 0, 9999, 700));
	assert.ok(kept.has(1234) && kept.has(8765) && !kept.has(42));
	assert.ok(kept.size <= 1402, `${kept.size} kept`);
});

await check('light and dark follow the system and the button', ['small', { colorScheme: 'dark' }], async (page) => {
	const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	const dark = await ground();
	await page.click('#theme');
	assert.notEqual(await ground(), dark);
	await page.click('#theme');
	assert.equal(await ground(), dark);
});

await check('paper is white and shows no controls', ['many', { colorScheme: 'dark' }], async (page) => {
	await page.emulateMedia({ media: 'print' });
	assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--card').trim()), '#ffffff');
	assert.ok((await page.isHidden('#theme')) && (await page.isHidden('#filter')));
	assert.equal(await page.locator('#legend .entry:visible').count(), 8);
	await page.emulateMedia({ media: 'screen' });
	assert.notEqual(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--card').trim()), '#ffffff');
});

await check('a narrow screen has no sideways scroll', ['small', { viewport: { width: 380, height: 800 } }], async (page) => {
	const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
	assert.ok(over <= 0, `${over} pixels too wide`);
});

await check('every control can be reached and has a name', 'small', async (page) => {
	const nameless = await page.evaluate(() =>
		[...document.querySelectorAll('button, select, input, [tabindex="0"]')]
			.filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length))
			.map((e) => e.outerHTML),
	);
	assert.deepEqual(nameless, []);
	assert.match(await page.getAttribute('#chart', 'aria-label'), /wall time of 6 benchmarks over 30 revisions, 5 jumps/);
});

await check('a jump says by its shape what stands behind it', 'small', async (page) => {
	const shapes = await page.evaluate(() =>
		['suspect', 'confirmed', 'accepted'].flatMap((state) =>
			[true, false].map((regression) => {
				const mark = perfevo.jumpMark({ state, regression }, 8);
				return [...mark.querySelectorAll('path')]
					.map((path) => `${path.getAttribute('d')} ${path.getAttribute('fill') === 'var(--card)' ? 'hollow' : 'full'}`)
					.join(' + ');
			}),
		),
	);
	assert.equal(new Set(shapes).size, 6, shapes.join('\n'));
	assert.equal(new Set(['suspect', 'confirmed', 'accepted'].map((state) => jumpSign({ state, regression: true }))).size, 3);
	const full = await filled(page, '--bad');
	await confirmAll(page);
	assert.ok((await filled(page, '--bad')) > full, 'a confirmed jump is no fuller than a suspected one');
	assert.equal(jumpStateText({ state: 'confirmed', pairs: 12, p: 0.00123, why: null }), 'confirmed by 12 pairs of fresh runs, p 0.0012');
	assert.equal(jumpStateText({ state: 'suspect', pairs: 0, p: null, why: null }), 'suspect');
	assert.equal(jumpStateText({ state: 'suspect', undecided: true, pairs: 135, p: 0.2, why: null }), 'undecided after 135 pairs of fresh runs, p 0.2');
	assert.equal(jumpStateText({ state: 'accepted', pairs: 3, p: 0.5, why: 'bigger tables' }), 'accepted: bigger tables');
});

await check(
	'states and what is known of them stand in the table',
	changedPage('small', 'states', (index) => {
		const jumps = index.lines.flatMap((line) => line.jumps);
		Object.assign(jumps[0], { state: 'confirmed', pairs: 15, p: 0.0004, sure: 0.9999, why: null });
		Object.assign(jumps[1], { state: 'accepted', pairs: 0, p: null, sure: null, why: '<b>known</b>' });
	}),
	async (page) => {
		const states = await page.locator('#jump-table .state').allTextContents();
		assert.equal(states.filter((text) => text === 'confirmed, 99.9 %').length, 1, states.join());
		assert.equal(states.filter((text) => text === 'accepted').length, 1, states.join());
		assert.equal(await page.getAttribute('#jump-table .state.accepted', 'title'), 'accepted: <b>known</b>');
		assert.equal(await page.getAttribute('#jump-table .state.confirmed', 'title'), 'confirmed by 15 pairs of fresh runs, p 0.0004');
		await page.click('#jump-table th button[data-key="state"]');
		assert.equal((await page.locator('#jump-table .state').allTextContents())[0], 'confirmed, 99.9 %');
		await page.click('#jump-table tbody tr:has(.state.confirmed)');
		assert.match(await page.textContent('#details'), /99\.9 % sure that it is here/);
	},
);

const placeOfJump = (page, name) =>
	page.evaluate((n) => {
		const { chart, model } = perfevo.page;
		const box = chart.host.getBoundingClientRect();
		const mark = chart.places.find((place) => model.lines[place.jump.line].name === n);
		return { x: box.left + mark.x, y: box.top + mark.y };
	}, name);

await check('a click on a jump opens its blueprint', 'page-small', async (page) => {
	const place = await placeOfJump(page, 'query[index=hash]');
	await page.mouse.move(place.x, place.y);
	assert.ok((await page.locator('#chart.on-mark').count()) === 1);
	await page.mouse.click(place.x, place.y);
	await ready(page);
	assert.equal(new URL(page.url()).hash, '#/compare/1/0');
	assert.ok(await page.isVisible('#view-compare'));
	assert.match(await page.textContent('#comparison-title'), /4540215f/);
	await page.goBack();
	await ready(page);
	assert.ok(await page.isVisible('#view-evolution'));
	assert.equal(await page.locator('#jump-table .to-comparison').count(), 3);
});

await check('a jump without a comparison says how to get one', 'small', async (page) => {
	const place = await placeOfJump(page, 'query[index=hash]');
	await page.mouse.click(place.x, place.y);
	assert.match(await page.textContent('#details .how-to'), /perfevo compare a708a7ae 4540215f -b 'query\[index=hash\]'/);
	assert.equal(
		compareCommand({ lines: [{ name: "it's; rm" }], revisions: [{ id: 'a' }, { id: 'b' }] }, { line: 0, before: 0, after: 1 }),
		"perfevo compare a b -b 'it'\\''s; rm'",
	);
});

await check('the address names the commit whose details are open', 'page-small', async (page) => {
	await page.click('#failure-rows button');
	const id = await page.evaluate(() => perfevo.page.model.revisions[perfevo.page.model.failures[0].revision].id);
	assert.equal(new URL(page.url()).hash, `#/evolution?commit=${id}`);
	await page.reload();
	await ready(page);
	assert.match(await page.textContent('#details'), new RegExp(id));
	assert.match(await page.textContent('#details'), /Changed methods/);
	await page.click('#details .head button');
	assert.equal(new URL(page.url()).hash, '#/evolution');
	assert.ok(await page.isHidden('#details'));
});

await check('the chart can be kept as a picture', 'small', async (page) => {
	const { name, text } = await downloaded(page, '#chart-svg');
	assert.equal(name, 'roadrunner-evolution-wall.svg');
	assert.equal(await pictureFault(page, text), '');
	assert.equal((text.match(/class="jump /g) || []).length, 5);
	for (const wanted of ['parse/large-file', 'query[index=hash]', '4540215f', '300 %', 'lower is better'])
		assert.ok(text.includes(wanted), `'${wanted}' is not in the picture`);
});

await check('a picture of ten thousand revisions is no larger than the screen can show', 'long', async (page) => {
	const { text } = await downloaded(page, '#chart-svg');
	assert.equal(await pictureFault(page, text), '');
	assert.ok(text.length < 250000, `${text.length} bytes`);
});

const apart = apartPage('many', 'apart');

await check('lines with a block of their own are unpacked when they are drawn', apart, async (page) => {
	const unpacked = () => page.evaluate(() => perfevo.page.model.lines.filter((line) => line.ready).length);
	assert.equal((await drawn(page)).lines, 8);
	const few = await unpacked();
	assert.ok(few < 60, `${few} lines were unpacked`);
	await page.fill('#filter', 'case-113');
	await page.locator('#cards .mini').click();
	await page.waitForFunction(() => document.getElementById('chart').dataset.lines === '1');
	assert.ok(await page.evaluate(() => perfevo.page.chart.lines[0].ready));
	await page.evaluate(() => perfevo.page.chart.on.pick(perfevo.page.chart.lines[0], 30));
	await page.click('#details button:has-text("more benchmark")');
	await page.waitForFunction(() => document.querySelectorAll('#details tbody tr').length >= 119);
	await page.fill('#filter', '');
	await page.click('#show-all');
	await page.waitForFunction(() => document.getElementById('chart').dataset.lines === '120');
});

await fact('a line with more values than pixels keeps its extremes', () => {
	const values = Array.from({ length: 10000 }, (_, i) => 100 + ((i * 7919) % 13));
	values[777] = 900;
	for (let i = 5000; i < 5100; i++) values[i] = null;
	const found = thin(values, 0, 9999, 400);
	assert.ok(found.includes(777) && found.length < 900, `${found.length}`);
	assert.ok(found.every((r, i) => values[r] !== null && (i === 0 || r > found[i - 1])));
});

await fact('values read as the terminal writes them', () => {
	const found = [
		[1.24e6, 'ns'],
		[999.6e3, 'ns'],
		[300e9, 'ns'],
		[3.25 * 1048576, 'bytes'],
		[98080398, '1'],
		[12.3456e9, '1'],
		[17, 'ops/s'],
		[null, 'ns'],
	].map(([v, u]) => formatValue(v, u));
	assert.deepEqual(found, ['1.24 ms', '1.00 ms', '5.00 min', '3.25 MiB', '98,080,398', '12.3 G', '17 ops/s', '–']);
	assert.deepEqual(
		[tickLabels([1.2e6, 1.225e6, 1.25e6], 'ns'), tickLabels([0, 1048576, 2097152], 'bytes'), tickLabels([48000, 48500], 'ops/s')],
		[
			['1.200 ms', '1.225 ms', '1.250 ms'],
			['0 MiB', '1 MiB', '2 MiB'],
			['48.0k', '48.5k'],
		],
	);
	assert.deepEqual([0.1234, -0.04, -0.99996, -1, 0, 0.0004, 2.4, null].map(formatChange), [
		'+12.3 %',
		'−4 %',
		'−99.99 %',
		'−100 %',
		'0 %',
		'+0.04 %',
		'×3.4',
		'new',
	]);
});
