/*
 * How large the report is and how soon it shows something, in headless chromium:
 *
 *   node page.mjs BUILD_DIR [RUNS]     RUNS browsers a page, 5 by default; BUILD_DIR holds an optimised build
 *
 * For each page its bytes; the first paint, when all is drawn, and when a comparison that is opened first is
 * drawn: the medians over the runs, with the slowest behind. The bars are 400 kB for what every page has, and for
 * 100 revisions of 10 benchmarks with five comparisons of 10,000 nodes 5 MB and a first paint within a second; a tree
 * of 100,000 nodes is open within two. What misses one is said, and the exit status is 1.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const [build, runs = '5'] = process.argv.slice(2);
if (!build) {
	process.stderr.write('usage: node page.mjs BUILD_DIR [RUNS]\n');
	process.exit(129);
}
process.env.PERFEVO_NODE_DIR ||= path.join(build, 'tests/browser');
const { launch, fileAddress } = await import('../tests/browser/browser.mjs');
const { giant, withBlock } = await import('../tests/browser/giant.mjs');

const PAGES = [
	['empty', 'nothing: what every page has', { bytes: 400e3 }],
	['page-small', '30 revisions, three comparisons of 25 nodes', {}],
	['page-large', '100 revisions of 10 benchmarks, five comparisons of 10,000 nodes', { bytes: 5e6, paint: 1000 }],
	['giant', 'a comparison of 100,000 nodes', { opened: 2000 }],
	['page-history', '10,000 revisions, 15,000 commits', {}],
	['huge', '10,000 revisions of 100 benchmarks', {}],
];

const dir = mkdtempSync(path.join(tmpdir(), 'perfevo-bench-'));
const middle = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const shown = (values) => (values.length > 0 ? `${middle(values).toFixed(0)} ms (${Math.max(...values).toFixed(0)})` : '-');
let missed = 0;

/** A fresh browser, so that nothing is warm: the first paint and when the page says that it is ready, in ms. */
async function load(file, hash) {
	const browser = await launch();
	const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
	await page.goto(fileAddress(file) + hash, { waitUntil: 'commit' });
	const times = await page.evaluate(async () => {
		while (document.documentElement?.dataset.ready !== 'true')
			await new Promise((done) => {
				setTimeout(done, 2);
			});
		await new Promise((done) => {
			requestAnimationFrame(() => requestAnimationFrame(done));
		});
		const ready = performance.now();
		const [paint] = performance.getEntriesByName('first-contentful-paint');
		return { ready, paint: paint ? paint.startTime : ready };
	});
	await browser.close();
	return times;
}

/** The text of a page. */
function textOf(kind) {
	if (kind === 'giant') return withBlock(textOf('page-small').toString(), 'c0', giant(100000));
	return execFileSync(path.join(build, 'tests/report/pe_fixture_report'), [kind, 'html'], { maxBuffer: 1 << 30 });
}

function bar(what, found, most) {
	if (most === undefined || found <= most) return;
	missed++;
	process.stdout.write(`  MISSED: ${what} is ${found.toFixed(0)}, the bar ${most}\n`);
}

process.stdout.write(`medians of ${runs} browsers (the slowest)\n`);
for (const [kind, what, bars] of PAGES) {
	const file = path.join(dir, `${kind}.html`);
	writeFileSync(file, textOf(kind));
	const { size } = statSync(file);
	const first = [];
	const opened = [];
	for (let run = 0; run < Number(runs); run++) {
		first.push(await load(file, ''));
		if (kind === 'page-large' || kind === 'giant') opened.push((await load(file, '#/compare/0')).ready);
	}
	process.stdout.write(
		`${what}\n  ${(size / 1e6).toFixed(2)} MB, first paint ${shown(first.map((t) => t.paint))}, all drawn ` +
			`${shown(first.map((t) => t.ready))}${opened.length > 0 ? `, opened at a comparison ${shown(opened)}` : ''}\n`,
	);
	bar('its size in bytes', size, bars.bytes);
	bar('the first paint in ms', middle(first.map((t) => t.paint)), bars.paint);
	bar('what opening a comparison takes in ms', opened.length > 0 ? middle(opened) : 0, bars.opened);
}
rmSync(dir, { recursive: true });
process.exit(missed === 0 ? 0 : 1);
