/*
 * A picture of a page: node screenshot.mjs PAGE.html OUT.png [--dark] [--width=1200] [--height=900] [--full]
 * [--click=SELECTOR]. playwright-core is found from the directory it is installed in: PERFEVO_NODE_DIR, or
 * beside this file.
 */
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import path from 'node:path';

const require = createRequire(path.join(process.env.PERFEVO_NODE_DIR || path.dirname(fileURLToPath(import.meta.url)), 'package.json'));
const { chromium } = require('playwright-core');

const options = new Map(process.argv.slice(2).filter((arg) => arg.startsWith('--')).map((arg) => {
	const [key, ...value] = arg.slice(2).split('=');
	return [key, value.join('=')];
}));
const [page_path, out] = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
if (!page_path || !out) {
	process.stderr.write('usage: node screenshot.mjs PAGE.html OUT.png [--dark] [--width=N] [--height=N] [--full] [--click=SELECTOR]\n');
	process.exit(129);
}

const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
	args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
const page = await browser.newPage({
	viewport: { width: Number(options.get('width') || 1200), height: Number(options.get('height') || 900) },
	deviceScaleFactor: Number(options.get('scale') || 1),
	colorScheme: options.has('dark') ? 'dark' : 'light',
});
page.on('pageerror', (error) => process.stderr.write(`page error: ${error.message}\n${error.stack}\n`));
page.on('console', (message) => process.stderr.write(`console: ${message.text()}\n`));
await page.goto(pathToFileURL(path.resolve(page_path)).href);
if (options.has('click'))
	await page.click(options.get('click'));
if (options.has('hover')) {
	const [x, y] = options.get('hover').split(',').map(Number);
	await page.mouse.move(x, y);
}
await page.waitForTimeout(150);
await page.screenshot({ path: out, fullPage: options.has('full') });
await browser.close();
