/*
 * The commit graph in a browser (pages.mjs). Spark circles are
 * held against the formulas of Spark Circle (section III), worked out here from the page's data.
 */
import assert from 'node:assert/strict';
import { changeHeight, methodsHeight } from '../../report/web/graph.js';
import { formatChange } from '../../report/web/model.js';
import { blockOf, changedPage, check, downloaded, fact, pictureFault, ready, settle } from './harness.mjs';

const ROW = 32;

/** A check of the commits of a page. */
const shows = (sentence, kind, body, options) => check(sentence, [kind, { hash: '#/commits', ...options }], body);

/* ---- what the data say ---- */

/** Note at each commit of an index its revision, null where it has none, and how far back its parents are, 0: not shown. */
function noted(index) {
	const { commits } = index.history;
	const rows = new Map(commits.map(({ id }, row) => [id, row]));
	const revisions = new Map(index.revisions.map(({ id }, r) => [id, r]));
	commits.forEach((commit, row) => {
		commit.revision = commit.measured ? revisions.get(commit.id) : null;
		commit.back = commit.parents.map((id) => (rows.has(id) ? rows.get(id) - row : 0));
	});
	return index;
}

const indexOf = (kind) => noted(blockOf(kind, 'index'));
const lineOf = (index, benchmark, metric) => index.lines.find((l) => l.benchmark === benchmark && l.metric.name === metric);

function valuesOf(index, benchmark, metric) {
	const line = lineOf(index, benchmark, metric);
	const out = new Map();
	if (line) line.value.forEach((v, p) => v !== null && out.set(line.at ? line.at[p] : p, v));
	return out;
}

/** The size of the jump at a commit in a line; null: it has none. */
function jumpOf(index, benchmark, metric, row) {
	const jump = lineOf(index, benchmark, metric)?.jumps.find((j) => j.after === index.history.commits[row].id);
	return jump ? jump.relative : null;
}

/** The change of a commit against its nearest ancestor along first parents that has a value; null: unknown. */
function changeOf(commits, values, row) {
	const to = values.get(commits[row].revision);
	if (commits[row].revision === null || to === undefined) return null;
	for (let at = row; commits[at].back[0] > 0;) {
		at += commits[at].back[0];
		const from = commits[at].revision === null ? undefined : values.get(commits[at].revision);
		if (from !== undefined) return from === to ? 0 : (to - from) / from;
	}
	return null;
}

/** Six steps: 0, 1-2, 3-5, 6-10, 11-25, more. */
const stepOf = (mc) => (mc === 0 ? 0 : mc <= 2 ? 1 : mc <= 5 ? 2 : mc <= 10 ? 3 : mc <= 25 ? 4 : 5) / 5;

/**
 * The sectors that a commit should have: { kind, known, height, dark, noise }. A jump has its size; every other
 * difference is noise, and has no height, for all lines of the fixture are judged.
 */
function expected(index, benchmark, row) {
	const { commits } = index.history;
	const mc = commits[row].changed_methods;
	const methods = { kind: 'methods', known: mc !== null, height: mc === null ? 0 : stepOf(mc), dark: mc > 0, noise: false };
	return [
		methods,
		...['allocations', 'wall'].map((kind) => {
			const jump = jumpOf(index, benchmark, kind, row);
			const change = jump ?? changeOf(commits, valuesOf(index, benchmark, kind), row);
			const noise = jump === null && change !== null && change !== 0;
			return { kind, known: change !== null, height: change === null || noise ? 0 : Math.min(Math.abs(change), 1), dark: !noise && change > 0, noise };
		}),
	];
}

/** The glyphs that are in the document, measured: angles in turns clockwise from the top, radii in pixels. */
const glyphs = (page) =>
	page.evaluate(() =>
		[...document.querySelectorAll('#commit-lanes .node')].map((node) => ({
			row: Number(node.dataset.row),
			plain: node.querySelector('.plain') !== null,
			track: Number(node.querySelector('.track')?.getAttribute('r')),
			sectors: [...node.querySelectorAll('path')].map((path) => {
				const at = (x, y) => ({ radius: Math.hypot(x, y), turn: (Math.atan2(x, -y) / (2 * Math.PI) + 1) % 1 });
				const [a, b, c] = path
					.getAttribute('d')
					.match(/[ML]\S+ \S+?(?=[LA])|A[^LA]+(?=L)/g)
					.map((part) => {
						const numbers = part.slice(1).split(/[ ]/).map(Number);
						return at(numbers[numbers.length - 2], numbers[numbers.length - 1]);
					});
				const style = getComputedStyle(path);
				return {
					kind: path.dataset.kind,
					known: path.classList.contains('sector'),
					inner: a.radius,
					outer: b.radius,
					from: b.turn,
					to: c.turn,
					fill: style.fill,
					stroke: style.stroke,
					dash: style.strokeDasharray,
				};
			}),
		})),
	);

/** A variable of the page as the browser writes colours. */
const colour = (page, name) =>
	page.evaluate((variable) => {
		const probe = document.createElement('i');
		probe.style.color = `var(${variable})`;
		document.body.append(probe);
		const found = getComputedStyle(probe).color;
		probe.remove();
		return found;
	}, name);

const near = (a, b, within, what) => assert.ok(Math.abs(a - b) <= within, `${what}: ${a} in place of ${b}`);

/* ---- spark circles ---- */

const FILLS = { methods: '--pink', allocations: '--orange', wall: '--blue' };

await shows('spark circles have the angles, heights and colours of their values', 'page-small', async (page) => {
	const index = indexOf('page-small');
	const fills = {};
	for (const [kind, name] of Object.entries(FILLS)) fills[kind] = await Promise.all(['', '-light', '-dark'].map((shade) => colour(page, name + shade)));
	const grey = await colour(page, '--noise');
	const seen = { dark: 0, light: 0, noise: 0, unknown: 0, full: 0, plain: 0 };
	for (const benchmark of ['parse/large-file', 'compress/text']) {
		await page.selectOption('#commit-benchmark', benchmark);
		await settle(page);
		const shown = await glyphs(page);
		assert.ok(shown.length >= 20, `${shown.length} glyphs`);
		for (const glyph of shown) {
			const wanted = expected(index, benchmark, glyph.row);
			if (glyph.plain) {
				assert.ok(
					wanted.every((sector) => !sector.known),
					`row ${glyph.row} is known, and has a plain dot`,
				);
				seen.plain++;
				continue;
			}
			assert.deepEqual(
				glyph.sectors.map((s) => [s.kind, s.known]),
				wanted.map((s) => [s.kind, s.known]),
				`row ${glyph.row} of ${benchmark}`,
			);
			glyph.sectors.forEach((sector, i) => {
				const what = `${sector.kind} of row ${glyph.row}, ${benchmark}`;
				near(sector.from, i / 3, 0.012, `beginning of ${what}`);
				near(sector.to, (i + 1) / 3, 0.012, `end of ${what}`);
				if (!sector.known) {
					assert.notEqual(sector.dash, 'none', `${what} is unknown, and does not look so`);
					assert.equal(sector.fill, 'none');
					seen.unknown++;
					return;
				}
				const room = glyph.track - 1 - sector.inner;
				near(sector.outer - sector.inner, Math.max(0.9, room * wanted[i].height), 0.03, `height of ${what}`);
				assert.equal(sector.fill, fills[sector.kind][0], what);
				assert.equal(sector.stroke, wanted[i].noise ? grey : fills[sector.kind][wanted[i].dark ? 2 : 1], `border of ${what}`);
				seen[wanted[i].noise ? 'noise' : wanted[i].dark ? 'dark' : 'light']++;
				seen.full += wanted[i].height === 1;
			});
		}
	}
	assert.ok(
		Object.entries(seen).every(([what, n]) => n > 0 || what === 'plain'),
		JSON.stringify(seen),
	);
});

await fact('the six steps of changed methods begin where they should', () => {
	const steps = [0, 1, 2, 3, 5, 6, 10, 11, 25, 26, 900];
	assert.deepEqual(
		steps.map((mc) => methodsHeight(mc)),
		steps.map(stepOf),
	);
	assert.deepEqual([0, 0.05, -0.05, 1, -1, 7].map(changeHeight), [0, 0.05, 0.05, 1, 1, 1]);
});

await shows(
	'what was measured beside the line of the evolution has its circle, and its jump',
	changedPage('page-small', 'beside', (index) => {
		const { commits } = noted(index).history;
		const row = commits.findIndex((commit) => commit.revision === null && commit.back[0] > 0);
		const line = lineOf(index, 'parse/large-file', 'wall');
		const before = commits[row + 1].id;
		const jump = { before, after: commits[row].id, commits: 1, old_level: 100, new_level: 150, relative: 0.42, low: 0.4, high: 0.44 };
		Object.assign(jump, { regression: true, state: 'confirmed', pairs: 40, p: 0.001, sure: 0.99, why: null, source: 'pairs' });
		commits[row].beside = [[index.lines.indexOf(line), 100, 151, before, 1, jump]];
	}),
	async (page) => {
		await page.selectOption('#commit-benchmark', 'parse/large-file');
		await settle(page);
		const found = await page.evaluate(() => {
			const { commits } = perfevo.page;
			const commit = commits.history.commits.find((one) => one.beside.size > 0);
			const s = commits.sectors(commit).find((one) => one.kind.key === 'wall');
			return { height: s.height, dark: s.dark, noise: s.noise, row: commit.row, text: commits.describe(commit) };
		});
		assert.deepEqual({ height: found.height, dark: found.dark, noise: found.noise }, { height: 0.42, dark: true, noise: false });
		assert.match(found.text, /wall time \+42 %, confirmed, 40 fresh pairs/);
		const glyph = (await glyphs(page)).find((one) => one.row === found.row);
		assert.ok(glyph && !glyph.plain, 'a commit that was measured is drawn as one that was not');
		await page.click(`#commit-${found.row}`);
		assert.match(await page.textContent('#commit-details'), /It was measured, but is none of the commits/);
		assert.match(await page.textContent('#commit-details'), /perfevo compare [0-9a-f]{8} [0-9a-f]{8} -b parse\/large-file/);
	},
);

await shows(
	'the steps are those that the config asked for',
	changedPage('page-small', 'steps', (index) => {
		index.history.steps = [2, 4, 8, 16, 32];
	}),
	async (page) => {
		const found = await page.evaluate(() => {
			const { model, commits } = perfevo.page;
			const kind = commits.sectorsShown.find((one) => one.key === 'methods');
			return [1, 2, 7, 8, 31, 32].map((mc) => perfevo.sector(kind, { mc }, model).height);
		});
		assert.deepEqual(found, [0, 0.2, 0.4, 0.6, 0.8, 1]);
		assert.equal(await page.textContent('#commit-steps'), '0, 2, 4, 8, 16 and 32');
	},
);

await shows('other metrics join the circle, and one is enough', 'page-small', async (page) => {
	const sectors = async () => (await glyphs(page)).find((glyph) => !glyph.plain && glyph.sectors.length > 0).sectors;
	await page.click('.menu summary');
	await page.check('#commit-kinds input[data-kind="throughput"]');
	await settle(page);
	const four = await sectors();
	assert.deepEqual(
		four.map((s) => s.kind),
		['methods', 'allocations', 'wall', 'throughput'],
	);
	four.forEach((s, i) => near(s.from, i / 4, 0.012, `sector ${i}`));
	for (const kind of ['methods', 'allocations', 'throughput']) await page.uncheck(`#commit-kinds input[data-kind="${kind}"]`);
	await settle(page);
	assert.equal((await sectors()).length, 1);
	await page.click('#commit-kinds input[data-kind="wall"]');
	assert.ok(await page.isChecked('#commit-kinds input[data-kind="wall"]'), 'the last one went');
	assert.match(await page.textContent('#commit-legend'), /wall time/);
	assert.doesNotMatch(await page.textContent('#commit-legend'), /changed methods/);
});

await shows(
	'a change is against the nearest ancestor that was measured',
	changedPage('page-small', 'gap', (index) => {
		const line = lineOf(noted(index), 'parse/large-file', 'wall');
		const main = index.history.commits.findIndex((commit) => commit.revision === index.revisions.length - 1);
		const parent = main + index.history.commits[main].back[0];
		const p = line.at ? line.at.indexOf(index.history.commits[parent].revision) : index.history.commits[parent].revision;
		for (const column of ['value', 'q25', 'q75', 'min', 'max', 'mad']) if (line[column]) line[column][p] = null;
	}),
	async (page) => {
		const index = indexOf('gap');
		await page.selectOption('#commit-benchmark', 'parse/large-file');
		const { commits } = index.history;
		const main = commits.findIndex((commit) => commit.revision === index.revisions.length - 1);
		const parent = commits[main + commits[main].back[0]];
		const base = await page.evaluate(
			([row]) => {
				const view = perfevo.page.commits;
				return view.sectors(view.history.commits[row]).find((s) => s.kind.key === 'wall').before;
			},
			[main],
		);
		assert.equal(base, commits[main + commits[main].back[0] + parent.back[0]].id);
		const wanted = changeOf(commits, valuesOf(index, 'parse/large-file', 'wall'), main);
		assert.equal(await page.textContent(`#commit-${main} .delta`), (wanted === 0 ? '' : '~') + formatChange(wanted));
	},
);

await shows(
	'where first parents lead out of the picture, the value before counts',
	changedPage('page-small', 'cut', (index) => {
		/* the picture ends where the last commits stand that were measured in a row */
		const { commits } = noted(index).history;
		const last = commits.findIndex((commit) => commit.revision === 20);
		commits.length = last + 1;
		index.history.cut = true;
	}),
	async (page) => {
		const index = indexOf('cut');
		await page.selectOption('#commit-benchmark', 'parse/large-file');
		await page.evaluate(() => {
			document.getElementById('commit-scroll').scrollTop = 1e6;
		});
		await settle(page);
		const row = index.history.commits.length - 1;
		const values = valuesOf(index, 'parse/large-file', 'wall');
		const before = [...values.keys()].filter((r) => r < 20).pop();
		assert.equal(await page.textContent(`#commit-${row} .delta`), `~${formatChange((values.get(20) - values.get(before)) / values.get(before))}`);
		assert.match(await page.textContent('#commit-count'), /older ones are not shown/);
	},
);

/* ---- lanes and rows ---- */

await shows('lanes are those of the data, and rows stand on them', 'page-small', async (page) => {
	const { commits } = indexOf('page-small').history;
	const found = await page.evaluate(() => {
		const view = perfevo.page.commits;
		const x = (lane) => view.scale.x(lane);
		return {
			lanes: [0, 1, 2, 3].map(x),
			nodes: [...document.querySelectorAll('#commit-lanes .node')].map((node) => {
				const { e, f } = node.transform.baseVal.getItem(0).matrix;
				return { row: Number(node.dataset.row), x: e, y: f };
			}),
			edges: [...document.querySelectorAll('#commit-lanes .edge')].map((path) => {
				const length = path.getTotalLength();
				const top = path.parentElement.transform.baseVal.getItem(0).matrix.f;
				return [path.getPointAtLength(0), path.getPointAtLength(length)]
					.map((p) => [p.x, p.y + top])
					.flat()
					.map((v) => Math.round(v * 10) / 10);
			}),
		};
	});
	for (const node of found.nodes) {
		near(node.x, found.lanes[commits[node.row].lane], 0.1, `lane of row ${node.row}`);
		near(node.y, node.row * ROW + ROW / 2, 0.1, `height of row ${node.row}`);
	}
	const wanted = found.nodes.flatMap(({ row }) => {
		const edges = commits[row].edges;
		return edges.map(([from, to]) => [found.lanes[from], row * ROW + ROW / 2, found.lanes[to], (row + 1) * ROW + ROW / 2]);
	});
	const sort = (list) => list.map((edge) => edge.join(' ')).sort();
	assert.deepEqual(sort(found.edges), sort(wanted));
	assert.ok(
		wanted.some(([from, , to]) => from !== to),
		'the fixture has no branch',
	);
});

await shows('rows tell subject, author, date and names of the commit', 'page-small', async (page) => {
	const { commits } = indexOf('page-small').history;
	for (const row of [0, 2, 8]) {
		const text = await page.textContent(`#commit-${row}`);
		for (const wanted of [commits[row].subject, commits[row].author, commits[row].id.slice(0, 8), commits[row].time.slice(0, 10)])
			assert.ok(text.includes(wanted), `'${wanted}' is not in: ${text}`);
		assert.equal(await page.locator(`#commit-${row} .ref`).count(), commits[row].refs.length);
	}
	const marked = await page.locator('.commit-row:has(.jumps)').evaluateAll((rows) => rows.map((row) => Number(row.dataset.row)));
	const { lines } = indexOf('page-small');
	const jumped = new Set(lines.flatMap((line) => line.jumps.map((jump) => jump.after)));
	assert.deepEqual(
		marked.sort((a, b) => a - b),
		commits
			.map((c, row) => [c, row])
			.filter(([c, row]) => jumped.has(c.id) && row <= Math.max(...marked))
			.map(([, row]) => row),
	);
});

await shows('ten thousand commits need no more rows than the screen', 'page-history', async (page) => {
	const rows = () => page.locator('#commit-rows .commit-row').count();
	const { commits } = indexOf('page-history').history;
	assert.ok(commits.length >= 10000);
	assert.match(await page.textContent('#commit-count'), /15,000 commits/);
	const first = await rows();
	assert.ok(first > 15 && first < 80, `${first} rows`);
	for (const share of [0.2, 0.5, 0.7, 1]) {
		await page.evaluate((s) => {
			const list = document.getElementById('commit-scroll');
			list.scrollTop = (list.scrollHeight - list.clientHeight) * s;
		}, share);
		await settle(page);
		assert.ok((await rows()) < 80, `${await rows()} rows at ${share}`);
		const glyphCount = await page.locator('#commit-lanes .node').count();
		assert.equal(glyphCount, await rows());
	}
	assert.ok(await page.isVisible(`#commit-${commits.length - 1}`));
	/* every row that can be seen is there */
	const holes = await page.evaluate(() => {
		const list = document.getElementById('commit-scroll');
		list.scrollTop = 123457;
		list.dispatchEvent(new Event('scroll'));
		const from = Math.floor(list.scrollTop / 32);
		const shown = new Set([...document.querySelectorAll('#commit-rows .commit-row')].map((row) => row.offsetTop / 32));
		return Array.from({ length: Math.floor(list.clientHeight / 32) }, (_, i) => from + i).filter((i) => !shown.has(i));
	});
	assert.deepEqual(holes, []);
});

/* ---- ways through it ---- */

await shows('the keyboard walks, opens, and finds jumps and parents', 'page-small', async (page) => {
	const { commits } = indexOf('page-small').history;
	const active = () => page.getAttribute('#commit-scroll', 'aria-activedescendant');
	await page.focus('#commit-scroll');
	assert.equal(await active(), 'commit-0');
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('ArrowDown');
	assert.equal(await active(), 'commit-2');
	assert.ok(await page.isVisible('#commit-tip'));
	await page.keyboard.press('p');
	assert.equal(await active(), `commit-${2 + commits[2].back[0]}`);
	await page.keyboard.press('Home');
	await page.keyboard.press('n');
	const jump = Number((await active()).slice(7));
	assert.equal(await page.locator(`#commit-${jump} .jumps`).count(), 1);
	await page.keyboard.press('Enter');
	assert.match(await page.textContent('#commit-details'), new RegExp(commits[jump].id));
	assert.match(await page.textContent('#commit-details'), /regression|improvement/);
	await page.keyboard.press('ArrowUp');
	assert.match(await page.textContent('#commit-details'), new RegExp(commits[jump - 1].id), 'open details follow');
	await page.keyboard.press('Escape');
	assert.ok(await page.isHidden('#commit-details'));
	await page.keyboard.press('End');
	assert.equal(await active(), `commit-${commits.length - 1}`);
	assert.ok(await page.isVisible(`#commit-${commits.length - 1}`));
	assert.equal(await page.getAttribute(`#commit-${commits.length - 1}`, 'aria-posinset'), String(commits.length));
	await page.keyboard.press('/');
	assert.ok(await page.evaluate(() => document.activeElement.id === 'commit-filter'));
});

await shows('a click shows a commit, and its jump leads to the blueprint', 'page-small', async (page) => {
	const index = indexOf('page-small');
	const entry = index.comparisons[1];
	const row = index.history.commits.findIndex((commit) => commit.revision === entry.new.revision);
	await page.evaluate((r) => {
		document.getElementById('commit-scroll').scrollTop = Math.max(0, r * 32 - 200);
	}, row);
	await settle(page);
	await page.click(`#commit-${row} .subject`);
	const id = index.history.commits[row].id;
	assert.equal(new URL(page.url()).hash, `#/commits/${id}`);
	assert.match(await page.textContent('#commit-details'), new RegExp(id));
	await page.click('#commit-details .jump-line .to-comparison');
	await ready(page);
	assert.equal(new URL(page.url()).hash, '#/compare/1/0');
	await page.goBack();
	await ready(page);
	assert.ok(await page.isVisible('#view-commits'));
	assert.match(await page.textContent('#commit-details'), new RegExp(id));
	await page.goBack();
	await ready(page);
	assert.ok(await page.isHidden('#commit-details'));
	await page.goForward();
	await page.reload();
	await ready(page);
	assert.match(await page.textContent('#commit-details'), new RegExp(id), 'the address opens the commit');
	await page.click('#commit-details a[href^="#/evolution"]');
	await ready(page);
	assert.match(await page.textContent('#details'), new RegExp(id));
});

await shows('the pointer shows all values of a commit', 'page-small', async (page) => {
	const index = indexOf('page-small');
	await page.selectOption('#commit-benchmark', 'compress/text');
	const line = index.lines.find((l) => l.benchmark === 'compress/text' && l.jumps.length > 0);
	const row = index.history.commits.findIndex((commit) => commit.id === line.jumps[0].after);
	await page.hover(`#commit-${row} .subject`);
	const text = await page.textContent('#commit-tip');
	for (const wanted of ['wall time ×3.6', 'allocations', 'changed method', 'regression of compress/text', 'against', ' → '])
		assert.ok(text.includes(wanted), `'${wanted}' is not in: ${text}`);
	await page.mouse.move(5, 5);
	assert.ok(await page.isHidden('#commit-tip'));
});

await shows('the filter leaves what matches, and lanes only where all is shown', 'page-history', async (page) => {
	const { commits } = indexOf('page-history').history;
	assert.ok((await page.locator('#commit-lanes .edge').count()) > 0);
	await page.fill('#commit-filter', 'HASH keys');
	await settle(page);
	const n = commits.filter((commit) => commit.subject.includes('hash keys')).length;
	assert.match(await page.textContent('#commit-count'), new RegExp(`^${n.toLocaleString('en')} of 15,000 commits$`));
	assert.equal(await page.locator('#commit-lanes .edge').count(), 0);
	assert.ok((await page.locator('#commit-rows .subject').allTextContents()).every((text) => text.includes('hash keys')));
	await page.fill('#commit-filter', commits[7000].id.slice(0, 12));
	assert.equal(await page.locator('#commit-rows .commit-row').count(), 1);
	await page.fill('#commit-filter', 'nothing is called this');
	assert.ok(await page.isVisible('#commit-none'));
	await page.fill('#commit-filter', '');
	await page.selectOption('#commit-which', 'jumps');
	const jumped = await page.locator('#commit-rows .commit-row').count();
	assert.ok(jumped > 0 && jumped === (await page.locator('#commit-rows .jumps').count()));
	/* an address of a commit that the filter hides takes the filter away */
	await page.evaluate((id) => {
		location.hash = `#/commits/${id}`;
	}, commits[9000].id);
	await page.waitForSelector(`#commit-9000`);
	assert.match(await page.textContent('#commit-details'), new RegExp(commits[9000].id));
});

await shows('what is shown can be kept as a picture', 'page-small', async (page) => {
	const { name, text } = await downloaded(page, '#commit-svg');
	assert.equal(name, 'roadrunner-commits.svg');
	assert.equal(await pictureFault(page, text), '');
	const shown = await page.evaluate(() => Math.ceil(document.getElementById('commit-scroll').clientHeight / 32));
	assert.equal((text.match(/class="node"/g) || []).length, shown);
	assert.ok(text.includes('class="spark"') && text.includes('class="edge"'));
});

await shows(
	'names, subjects and tags of strangers stay text',
	changedPage('page-hostile', 'hostile-refs', (index) => {
		index.history.commits[0].refs = ['<img src=x onerror="window.hacked=1">', 'tag: </script><script>window.hacked=1</script>'];
		index.history.commits[1].author = '<b>author</b>\u0001\u202e';
	}),
	async (page) => {
		for (let i = 0; i < 14; i++) {
			await page.focus('#commit-scroll');
			await page.keyboard.press('ArrowDown');
			await page.keyboard.press('Enter');
		}
		await page.hover('#commit-0 .subject');
		assert.equal(await page.evaluate(() => window.hacked), undefined);
		assert.equal(await page.locator('main img, main iframe, main object, main b:not(.tile b)').count(), 0);
		assert.match(await page.textContent('#commit-0'), /<img src=x/);
		assert.equal(await page.evaluate(() => [...document.scripts].filter((script) => !script.nonce && script.type !== 'application/x-perfevo').length), 0);
		const { text } = await downloaded(page, '#commit-svg');
		assert.doesNotMatch(text, /<img|<b>/);
		assert.equal(await pictureFault(page, text), '');
	},
);

await shows(
	'a narrow screen has no sideways scroll',
	'page-small',
	async (page) => {
		const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
		assert.ok(over <= 0, `${over} pixels too wide`);
		await page.click('#commit-2 .subject');
		assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
	},
	{ viewport: { width: 380, height: 800 } },
);

await shows('every control can be reached and has a name', 'page-small', async (page) => {
	const nameless = await page.evaluate(() =>
		[...document.querySelectorAll('.top button, #view-commits :is(button, select, input, [tabindex="0"])')]
			.filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length))
			.map((e) => e.outerHTML),
	);
	assert.deepEqual(nameless, []);
	assert.match(await page.getAttribute('#commit-2', 'aria-label'), /Edsger Dijkstra.*wall time/);
});
