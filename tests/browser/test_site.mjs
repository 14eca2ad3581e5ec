/*
 * A static site in a browser: node test_site.mjs PERFEVO SOURCE_DIR. The repository is that of tests/cli/site, with a branch and a
 * subject that are markup.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import assert from 'node:assert/strict';
import { fileAddress } from './browser.mjs';
import { dir, finish, newPage, run } from './harness.mjs';

const [perfevo, source] = process.argv.slice(2);
const site = path.join(dir, 'site');
const script =
	'. "$SOURCE_DIR/tests/cli/lib.sh"; . "$SOURCE_DIR/tests/cli/site/lib.sh"; branches_repo; perfevo site -q "$SITE" --branch main --branch "$hostile"';
execFileSync('sh', ['-c', script], {
	cwd: dir,
	stdio: ['ignore', 'ignore', 'pipe'],
	env: {
		HOME: dir,
		PATH: `${path.dirname(perfevo)}:/usr/local/bin:/usr/bin:/bin`,
		LC_ALL: 'C.UTF-8',
		GIT_CONFIG_NOSYSTEM: '1',
		PERFEVO_VALGRIND: '',
		SOURCE_DIR: source,
		SITE: site,
	},
});

/** A check of a file of the site: no script fails, nothing is fetched from elsewhere, no dialog opens. */
const check = (sentence, file, body, options) =>
	run(
		sentence,
		async () => {
			const page = await newPage(options);
			Object.assign(page, { seen: { requests: [], errors: [], dialogs: [] }, site: (url) => url.startsWith('file:') });
			page.on('requestfailed', (request) => page.seen.errors.push(`failed: ${request.url()}`));
			await page.goto(fileAddress(path.join(site, file)));
			return page;
		},
		body,
	);

const texts = (page, selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent));

for (const javaScriptEnabled of [true, false])
	await check(
		`the index has a row a branch and the confirmed changes, ${javaScriptEnabled ? 'with' : 'without'} scripts`,
		'index.html',
		async (page) => {
			const [branches, changes] = await page.$$('table');
			assert.deepEqual(await texts(branches, 'tbody th'), ['main', 'w/é&<b>"ñ']);
			assert.deepEqual(await texts(branches, 'tbody td:nth-child(3)'), ['no change', 'faster']);
			const [faster, slower] = await texts(changes, 'tbody td:last-child');
			assert.match(faster, /^faster: score score −50 %.*<\/title><script>alert\(1\)<\/script> & \]\]>$/);
			assert.match(slower, /^slower: score score \+100 %.*double the score$/);
		},
		{ javaScriptEnabled },
	);

await check('every link of the index leads to a file', 'index.html', async (page) => {
	const links = await page.$$eval('a, link[rel=alternate]', (all) => all.map((one) => one.getAttribute('href').split('#')[0]));
	assert.ok(links.length >= 8);
	for (const link of links) assert.ok(existsSync(path.join(site, decodeURIComponent(link))), link);
});

await check('a change leads to its commit in the report of its branch', 'index.html', async (page) => {
	await page.click('table >> nth=1 >> tbody tr:nth-child(2) a');
	await page.waitForSelector('html[data-ready="true"]');
	assert.match(page.url(), /\/main\/index\.html#\/evolution\?commit=[0-9a-f]{40}$/);
	assert.ok((await page.textContent('#details')).includes('double the score'));
});

await check('the report of a branch shows its commits', 'index.html', async (page) => {
	await page.click('tbody tr:nth-child(2) th a');
	await page.waitForSelector('html[data-ready="true"]');
	assert.equal(await page.$$eval('#jump-table tbody tr.first, #jump-table tbody tr', (all) => all.length > 0), true);
	assert.ok((await page.textContent('#jump-table')).includes('<script>alert(1)</script>'));
});

await check('latest/ leads to the first branch', 'latest/index.html', async (page) => {
	await page.waitForURL(/\/main\/index\.html$/);
});

await check('a badge is a picture with the latest change', 'main/badge.svg', async (page) => {
	assert.match(await page.textContent('title'), /^performance: slower at [0-9a-f]{8}$/);
});

await check(
	'a narrow screen does not scroll sideways, and the dark theme is dark',
	'index.html',
	async (page) => {
		assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
		assert.match(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), /^rgb\(1\d, 2\d, 2\d\)$/);
	},
	{ viewport: { width: 360, height: 700 }, colorScheme: 'dark' },
);

await finish();
