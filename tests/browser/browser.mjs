/* What the tests, scripts/screenshot.mjs and bench/page.mjs share: playwright-core, chromium, and pages from files. */
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import path from 'node:path';

/* installed in the build directory, which PERFEVO_NODE_DIR names, or beside this file */
const home = process.env.PERFEVO_NODE_DIR || path.dirname(fileURLToPath(import.meta.url));

/* Debian's program itself: the script around it turns on what takes a sixth more processor time. */
export const chromiumPath =
	process.env.CHROMIUM ||
	['/usr/lib/chromium/chromium', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((file) => existsSync(file));

/** A package that the tests have from npm. */
export const npm = createRequire(path.join(home, 'package.json'));

/* Processes forked by a zygote, and one for drawing, take a third more processor time to load the same page. */
export const launch = () =>
	npm('playwright-core').chromium.launch({
		executablePath: chromiumPath,
		args: ['--no-sandbox', '--no-zygote', '--in-process-gpu', '--disable-gpu', '--disable-gpu-compositing', '--disable-dev-shm-usage'],
	});

export const fileAddress = (file) => pathToFileURL(path.resolve(file)).href;

/** Until what was asked for has been painted: two frames. */
export const settle = (page) =>
	page.evaluate(
		() =>
			new Promise((done) => {
				requestAnimationFrame(() => requestAnimationFrame(done));
			}),
	);
