/*
 * Pictures of a page, to be looked at or shown.
 *
 *   node screenshot.mjs PAGE.html FOLDER                every view, light, dark, narrow and printed
 *   node screenshot.mjs PAGE.html OUT.png [OPTION...]   one picture
 *
 * Options: --at=#/commits --dark --width=N --height=N --scale=N --full --click=SELECTOR --hover=SELECTOR
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { launch, fileAddress, settle } from '../tests/browser/browser.mjs';

const args = process.argv.slice(2);
const options = new Map(
	args
		.filter((arg) => arg.startsWith('--'))
		.map((arg) => {
			const [key, ...value] = arg.slice(2).split('=');
			return [key, value.join('=')];
		}),
);
const [source, target] = args.filter((arg) => !arg.startsWith('--'));
if (!source || !target) {
	process.stderr.write(
		'usage: node screenshot.mjs PAGE.html FOLDER|OUT.png [--at=#/VIEW] [--dark] [--width=N] [--height=N]\n' +
			'       [--scale=N] [--full] [--click=SELECTOR] [--hover=SELECTOR]\n',
	);
	process.exit(129);
}

const browser = await launch();

async function open({ at = '', dark = false, width = 1300, height = 900, scale = 1 }) {
	const page = await browser.newPage({
		viewport: { width, height },
		deviceScaleFactor: scale,
		reducedMotion: 'reduce',
		colorScheme: dark ? 'dark' : 'light',
	});
	page.on('pageerror', (error) => process.stderr.write(`page error: ${error.message}\n`));
	page.on('console', (message) => process.stderr.write(`console: ${message.text()}\n`));
	await page.goto(fileAddress(source) + at);
	await page.waitForSelector('html[data-ready="true"]');
	return page;
}

async function shoot(page, file, full) {
	await settle(page);
	await page.screenshot({ path: file, fullPage: full });
	await page.close();
}

async function shootOne() {
	const number = (key, otherwise) => Number(options.get(key) || otherwise);
	const page = await open({
		at: options.get('at'),
		dark: options.has('dark'),
		width: number('width', 1200),
		height: number('height', 900),
		scale: number('scale', 1),
	});
	if (options.has('click')) await page.click(options.get('click'));
	if (options.has('hover')) await page.hover(options.get('hover'));
	await shoot(page, target, options.has('full'));
}

/** The addresses of a page's views, by name. */
async function viewsOf(page) {
	return page.evaluate(() => {
		const { model } = perfevo.page;
		const out = { evolution: '#/evolution' };
		if (model.history) {
			out.commits = '#/commits';
			out.commit = `#/commits/${(model.history.commits.find((commit) => commit.revision !== null) || model.history.commits[0]).id}`;
		}
		out.comparisons = '#/compare';
		if (model.comparisons.length > 0) for (const name of Object.keys(perfevo.views || {})) out[name] = `#/compare/0/0/${name}`;
		return out;
	});
}

async function shootAll() {
	mkdirSync(target, { recursive: true });
	const first = await open({});
	const views = await viewsOf(first);
	await first.close();
	for (const [name, at] of Object.entries(views)) {
		const file = (kind) => path.join(target, `${name}-${kind}.png`);
		await shoot(await open({ at }), file('light'), true);
		await shoot(await open({ at, dark: true }), file('dark'), false);
		await shoot(await open({ at, width: 400, height: 860 }), file('narrow'), false);
		const paper = await open({ at, width: 794, height: 1123 });
		await paper.emulateMedia({ media: 'print' });
		await paper.evaluate(() => dispatchEvent(new Event('beforeprint')));
		await shoot(paper, file('print'), true);
	}
}

await (/\.(png|jpe?g)$/.test(target) ? shootOne() : shootAll());
await browser.close();
