/*
 * A picture of a page: node screenshot.mjs PAGE.html OUT.png [--dark] [--width=N] [--height=N] [--scale=N]
 * [--full] [--click=SELECTOR] [--hover=X,Y]
 */
import { launch, fileAddress } from './browser.mjs';

const args = process.argv.slice(2);
const options = new Map(args.filter((arg) => arg.startsWith('--')).map((arg) => {
	const [key, ...value] = arg.slice(2).split('=');
	return [key, value.join('=')];
}));
const [source, target] = args.filter((arg) => !arg.startsWith('--'));
if (!source || !target) {
	process.stderr.write('usage: node screenshot.mjs PAGE.html OUT.png [--dark] [--width=N] [--height=N] [--scale=N]\n'
		+ '       [--full] [--click=SELECTOR] [--hover=X,Y]\n');
	process.exit(129);
}

const browser = await launch();
const page = await browser.newPage({
	viewport: { width: Number(options.get('width') || 1200), height: Number(options.get('height') || 900) },
	deviceScaleFactor: Number(options.get('scale') || 1),
	reducedMotion: 'reduce',
	colorScheme: options.has('dark') ? 'dark' : 'light',
});
page.on('pageerror', (error) => process.stderr.write(`page error: ${error.message}\n`));
page.on('console', (message) => process.stderr.write(`console: ${message.text()}\n`));
await page.goto(fileAddress(source));
if (options.has('click'))
	await page.click(options.get('click'));
if (options.has('hover')) {
	const [x, y] = options.get('hover').split(',').map(Number);
	await page.mouse.move(x, y);
}
/* two frames: what the last step asked for has been painted */
await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
await page.screenshot({ path: target, fullPage: options.has('full') });
await browser.close();
