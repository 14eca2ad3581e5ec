/*
 * Harness: checks of a page in a browser. Each check is a sentence about the page and opens it; what fails
 * is printed with what was found. On every page nothing may be requested, no error logged and no dialog opened.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import assert from 'node:assert/strict';
import { chromiumPath, launch, fileAddress, settle } from './browser.mjs';

export { settle };

const [fixture] = process.argv.slice(2);
if (!chromiumPath) {
	process.stdout.write('skipped: chromium is not installed (Debian: apt-get install chromium)\n');
	process.exit(77);
}

/** A folder of the test's own. */
export const dir = mkdtempSync(path.join(tmpdir(), 'perfevo-browser-'));
const browser = await launch();
const VIEWPORT = { width: 1300, height: 900 };
let failures = 0;

/** The file with the page of a fixture of that kind; `edit` may change its text. */
export function fileOf(kind, name = kind, edit = (text) => text) {
	const file = path.join(dir, `${name}.html`);
	if (!existsSync(file)) writeFileSync(file, edit(execFileSync(fixture, [kind, 'html'], { maxBuffer: 1 << 28 }).toString()));
	return file;
}

const blockPattern = (name) => new RegExp(`(id="block-${name}">)([^<]*)(</script>)`);

/** What a block of a page holds, read without the page's own scripts. */
export const block = (file, name) => JSON.parse(zlib.inflateSync(Buffer.from(readFileSync(file, 'utf8').match(blockPattern(name))[2], 'base64')));

export const blockOf = (kind, name) => block(fileOf(kind), name);

const pack = (value) => zlib.deflateSync(JSON.stringify(value)).toString('base64');

/**
 * A page like that of `kind` with another index: `change` takes the index and may add blocks to the object that
 * it is given second.
 */
export function changedPage(kind, name, change) {
	const index = blockOf(kind, 'index');
	const blocks = {};
	change(index, blocks);
	const more = Object.entries(blocks)
		.map(([id, value]) => `<script type="application/x-perfevo" id="block-${id}">${pack(value)}</script>\n`)
		.join('');
	const text = readFileSync(fileOf(kind), 'utf8').replace(blockPattern('index'), (all, before, data, after) => `${before}${pack(index)}${after}\n${more}`);
	writeFileSync(path.join(dir, `${name}.html`), text);
	return name;
}

/** A page like that of `kind` with every line in a block of its own, as in histories that are too long to be unpacked whole. */
export const apartPage = (kind, name) =>
	changedPage(kind, name, (index, blocks) => {
		index.lines = index.lines.map((line, i) => {
			const { benchmark, metric, judged, jumps, misses, ...columns } = line;
			const at = (p) => (columns.at ? columns.at[p] : p);
			const known = columns.value.map((v, p) => [at(p), v]).filter(([, v]) => v !== null);
			const values = known.map(([, v]) => v);
			blocks[`l${i}`] = { misses, ...columns };
			return {
				benchmark,
				metric,
				judged,
				jumps,
				misses: misses.map(([p, what]) => [at(p), what]),
				block: `l${i}`,
				first: known[0] || null,
				last: known[known.length - 1] || null,
				low: values.length ? Math.min(...values) : null,
				high: values.length ? Math.max(...values) : null,
			};
		});
	});

/** Until the view that the address names stands. */
export async function ready(page) {
	await page.waitForSelector('html[data-ready="true"]');
	await settle(page);
}

/** A browser's tab that notes requests, errors and dialogs. */
export async function newPage(options) {
	const context = await browser.newContext({ viewport: VIEWPORT, reducedMotion: 'reduce', ...options });
	const page = await context.newPage();
	page.on('request', (request) => page.seen.requests.push(request.url()));
	page.on('pageerror', (error) => page.seen.errors.push(error.message));
	page.on('console', (message) => message.type() === 'error' && page.seen.errors.push(message.text()));
	page.on('dialog', (dialog) => {
		page.seen.dialogs.push(dialog.message());
		dialog.dismiss();
	});
	return page;
}

/*
 * Checks share one tab, which is brought back to how it began: a new one a check costs a second of a processor. The page
 * itself is loaded anew each time. A script that runs before it stays in its tab, which is therefore another one.
 */
let shared = null;

async function sharedPage({ viewport = VIEWPORT, colorScheme = null }) {
	if (shared === null) {
		shared = await newPage({});
		shared.stays = true;
	} else {
		await shared.evaluate(() => localStorage.clear());
		await shared.goto('about:blank');
	}
	await shared.mouse.move(0, 0);
	await shared.setViewportSize(viewport);
	await shared.emulateMedia({ media: null, colorScheme });
	return shared;
}

/** Open a fixture's page; requests, errors and dialogs are collected. options.hash: where; options.before: a script. */
async function open(kind, { hash = '', before = null, ...options } = {}) {
	const file = fileOf(kind);
	const page = before ? await newPage(options) : await sharedPage(options);
	page.seen = { requests: [], errors: [], dialogs: [] };
	if (before) await page.addInitScript(before);
	await page.goto(fileAddress(file) + hash);
	await ready(page);
	page.file = fileAddress(file);
	return page;
}

/** On every page nothing but the page itself, or its site, is asked for. */
function seenNothing(page) {
	assert.deepEqual(page.seen.errors, [], 'errors on the page');
	assert.deepEqual(page.seen.dialogs, [], 'dialogs');
	const own = (url) => url.split('#')[0] === page.file || page.site?.(url) || url.startsWith('data:') || url.startsWith('blob:');
	assert.deepEqual(
		page.seen.requests.filter((url) => !own(url)),
		[],
		'requests',
	);
}

/** A check of the page that `opened` opens. */
export async function run(sentence, opened, body) {
	if (!sentence.includes(process.env.CHECK || '')) return;
	let page;
	try {
		page = await opened();
		await body(page);
		if (page) seenNothing(page);
		process.stdout.write(`ok    ${sentence}\n`);
	} catch (error) {
		failures++;
		process.stdout.write(`FAIL  ${sentence}\n      ${error.message.replace(/\n/g, '\n      ')}\n`);
	}
	if (page && !page.stays) await page.context().close();
}

/** A check of a fixture's page; `of` is its kind, or the kind and options; `body` gets the page. */
export const check = (sentence, of, body) => run(sentence, () => open(...[of].flat()), body);

/** A check of the page's modules, which needs no page. */
export const fact = (sentence, body) => run(sentence, () => null, body);

/** The file that a click gives, as { name, text }. */
export async function downloaded(page, selector) {
	const [download] = await Promise.all([page.waitForEvent('download'), page.click(selector)]);
	return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
}

/** What is wrong with a picture that should stand alone; '' when nothing is. */
export async function pictureFault(page, text) {
	const other = await page.context().newPage(); /* a page whose policy does not matter */
	const fault = await other.evaluate((source) => {
		const picture = new DOMParser().parseFromString(source, 'image/svg+xml');
		if (picture.querySelector('parsererror')) return picture.querySelector('parsererror').textContent;
		if (/var\(--|https?:(?!\/\/www\.w3\.org)|<script|<image|NaN|undefined|\[object/.test(source))
			return `it has ${source.match(/.{30}(var\(--|https?:(?!\/\/www\.w3\.org)|<script|<image|NaN|undefined|\[object).{30}/s)}`;
		return picture.documentElement.localName === 'svg' ? '' : 'it is no picture';
	}, text);
	await other.close();
	return fault;
}

/** Close the browser and say how it went: the exit status of the test. */
export async function finish() {
	await browser.close();
	rmSync(dir, { recursive: true, force: true });
	process.stdout.write(failures === 0 ? 'all checks passed\n' : `${failures} failed\n`);
	process.exit(failures === 0 ? 0 : 1);
}
