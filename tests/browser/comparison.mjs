/*
 * What the tests of a comparison's views share: pages out of fixtures, opened at one view, and the data they carry,
 * read here from its blocks and not by the page's own scripts. Each check is a sentence about the page; a request
 * to anywhere, an error or a dialog fails it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { inflateSync } from 'node:zlib';
import path from 'node:path';
import assert from 'node:assert/strict';
import { chromiumPath, launch, fileAddress } from './browser.mjs';

const [fixture] = process.argv.slice(2);
if (!chromiumPath) {
	process.stdout.write('skipped: chromium is not installed (Debian: apt-get install chromium)\n');
	process.exit(77);
}

const dir = mkdtempSync(path.join(tmpdir(), 'perfevo-browser-'));
const browser = await launch();
let failures = 0;

const fixtureText = (kind, format) => execFileSync(fixture, [kind, format], { maxBuffer: 1 << 28 });

/** The file of a fixture's page; `edit` may change its text. */
export function pageFile(kind, name = kind, edit = (text) => text) {
	const file = path.join(dir, `${name}.html`);
	if (!existsSync(file)) writeFileSync(file, edit(fixtureText(kind, 'html').toString()));
	return file;
}

/** Numbers of nodes out of their distances from the one before; -1 where there is none. */
function numbers(distances) {
	let last = -1;
	return distances.map((distance) => (distance === 0 ? -1 : (last += distance)));
}

/** A comparison of a page, unpacked. */
export function block(file, name) {
	const found = readFileSync(file, 'utf8').match(new RegExp(`id="block-${name}">([^<]*)<`));
	return JSON.parse(inflateSync(Buffer.from(found[1], 'base64')).toString());
}

/** Until what was asked for has been painted. */
export const settle = (page) =>
	page.evaluate(
		() =>
			new Promise((done) => {
				requestAnimationFrame(() => requestAnimationFrame(done));
			}),
	);

/*
 * All checks share one tab, which is brought back to how it began: a new one a check costs half a second of a
 * processor. The same page is not loaded again, which costs as much: it leaves its view, forgets the
 * comparison with what was shown of it, and mounts the next one.
 */
let tab = null;

async function newTab() {
	const context = await browser.newContext({ viewport: { width: 1300, height: 1000 }, reducedMotion: 'reduce', acceptDownloads: true });
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

async function open(file, route) {
	if (tab !== null) {
		await tab.mouse.move(0, 0);
		await tab.emulateMedia({ media: null });
	}
	const page = (tab ??= await newTab());
	const again = page.file === fileAddress(file);
	page.seen = { requests: [], errors: [], dialogs: [] };
	page.file = fileAddress(file);
	if (again) {
		await page.goto(`${page.file}#/compare`);
		await page.waitForSelector('html[data-ready="true"]');
		await page.evaluate(() => perfevo.page.compare.blocks.clear());
	}
	await page.goto(`${page.file}#${route}`);
	await page.waitForSelector('html[data-ready="true"]');
	await settle(page);
	return page;
}

/** Run a body over a page at a route: "/compare/0/0/blueprint". */
export async function check(sentence, file, route, body) {
	try {
		const page = await open(file, route);
		await body(page);
		assert.deepEqual(page.seen.errors, [], 'errors on the page');
		assert.deepEqual(page.seen.dialogs, [], 'dialogs');
		assert.deepEqual(
			page.seen.requests.filter((url) => !url.startsWith(page.file) && !url.startsWith('data:') && !url.startsWith('blob:')),
			[],
			'requests',
		);
		process.stdout.write(`ok    ${sentence}\n`);
	} catch (error) {
		failures++;
		process.stdout.write(`FAIL  ${sentence}\n      ${error.message.replace(/\n/g, '\n      ')}\n`);
	}
}

/** What is wrong with a picture as a document, how many elements of some kinds it has: [error|null, counts...]. */
export async function readSvg(page, text, ...selectors) {
	const other = await page.context().newPage(); /* a page whose policy does not matter */
	const read = await other.evaluate(
		([svg, kinds]) => {
			const picture = new DOMParser().parseFromString(svg, 'image/svg+xml');
			return [picture.querySelector('parsererror')?.textContent || null, ...kinds.map((kind) => picture.querySelectorAll(kind).length)];
		},
		[text, selectors],
	);
	await other.close();
	return read;
}

/** The file that a button hands out: [name, text]. */
export async function saved(page, selector) {
	const [download] = await Promise.all([page.waitForEvent('download'), page.click(selector)]);
	return [download.suggestedFilename(), readFileSync(await download.path(), 'utf8')];
}

export async function finish() {
	await browser.close();
	rmSync(dir, { recursive: true });
	process.stdout.write(failures === 0 ? 'all as it should be\n' : `${failures} failed\n`);
	process.exit(failures === 0 ? 0 : 1);
}

/**
 * The delta tree of a pair as the page carries it, with the ends of subtrees, and by metric column what each node took with
 * all below it on both sides.
 */
export function treeOf(raw) {
	const parent = raw.parent.map((distance, i) => (distance > 0 ? i - distance : -1));
	const end = parent.map((_, i) => i + 1);
	for (let i = parent.length - 1; i > 0; i--) end[parent[i]] = Math.max(end[parent[i]], end[i]);
	const sides = [numbers(raw.old), numbers(raw.new)];
	const total = (column, side, node) => (sides[side][node] < 0 ? 0 : raw[column][side].slice(node, end[node]).reduce((sum, v) => sum + v, 0));
	return {
		...raw,
		n: parent.length,
		parent,
		end,
		old: sides[0],
		new: sides[1],
		total,
		children: (node) => parent.flatMap((p, i) => (p === node ? [i] : [])),
	};
}
