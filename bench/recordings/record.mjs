/*
 * Record the timelines of tests/profile/imports/turns again: of one app over three versions of a library, in Node and in headless
 * Chromium.
 *
 *   node record.mjs OUT [RUNS]     OUT/{node,cpuprofile}/{old,timer}, OUT/chromium/{old,timer,frame}, RUNS of each (2)
 *
 * Chromium is driven by playwright-core, which is looked for where PERFEVO_NODE_DIR says. Of its traces stays what tells
 * of scripts, so that a file has some kilobytes.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, '../..');
const [out, runs = '2'] = process.argv.slice(2);
if (!out) {
	process.stderr.write('usage: node record.mjs OUT [RUNS]\n');
	process.exit(129);
}

const LIBRARIES = { old: 'queue.js', timer: 'queue-timer.js', frame: 'queue-frame.js' };
const CATEGORIES = ['-*', 'devtools.timeline', 'disabled-by-default-devtools.timeline.stack', 'disabled-by-default-v8.cpu_profiler', 'v8.execute'];
const KEPT = /^(Profile|ProfileChunk|TimerInstall|TimerFire|RequestAnimationFrame|FireAnimationFrame|thread_name)$/;

function keep(environment, version, run, text) {
	const dir = path.join(out, environment, version);
	mkdirSync(dir, { recursive: true });
	writeFileSync(path.join(dir, `${run}.json.gz`), zlib.gzipSync(text, { level: 9 }));
}

/** The events that matter, without what differs from machine to machine. */
function trimmed(trace) {
	const pid = trace.traceEvents.find((event) => event.name === 'Profile').pid;
	const events = trace.traceEvents.filter((event) => KEPT.test(event.name) && event.pid === pid);
	for (const event of events) {
		const data = event.args?.data;
		delete event.tts;
		delete event.tdur;
		delete data?.sampleTraceId;
		delete data?.lines;
		delete data?.columns;
		delete data?.cpuProfile?.trace_ids;
	}
	return `{"traceEvents":[\n${events.map((event) => JSON.stringify(event)).join(',\n')}\n]}\n`;
}

function recordNode(version, run) {
	const dir = mkdtempSync(path.join(tmpdir(), 'perfevo-turns-'));
	const program = path.join(dir, 'main.cjs');
	const file = path.join(dir, 'timeline.json');
	writeFileSync(program, `require('./queue.js');\nrequire('./app.js');\nrunApp();\n`);
	writeFileSync(path.join(dir, 'queue.js'), readFileSync(path.join(here, LIBRARIES[version])));
	writeFileSync(path.join(dir, 'app.js'), readFileSync(path.join(here, 'app.js')));
	const take = (environment, options) => {
		execFileSync(process.execPath, [...options, program], { env: { ...process.env, PERFEVO_TIMELINE: file } });
		keep(environment, version, run, readFileSync(file, 'utf8').replaceAll(dir, '/app').replaceAll(path.join(root, 'scripts'), '/perfevo'));
	};
	take('node', ['--require', path.join(root, 'scripts/node-timeline.cjs')]);
	take('cpuprofile', ['--cpu-prof', '--cpu-prof-dir', dir, '--cpu-prof-name', 'timeline.json']);
	rmSync(dir, { recursive: true });
}

async function recordChromium(browser, version, run) {
	const page = await browser.newPage();
	await page.route('http://app.test/**', (route) => {
		const name = new URL(route.request().url()).pathname.slice(1);
		const body = name === '' ? '<!DOCTYPE html><title>app</title><script src="queue.js"></script><script src="app.js"></script>'
			: readFileSync(path.join(here, name === 'queue.js' ? LIBRARIES[version] : name), 'utf8');
		route.fulfill({ body, contentType: name === '' ? 'text/html' : 'text/javascript' });
	});
	await page.goto('http://app.test/');
	await browser.startTracing(page, { categories: CATEGORIES });
	await page.evaluate(() => runApp());
	keep('chromium', version, run, trimmed(JSON.parse(await browser.stopTracing())));
	await page.close();
}

process.env.PERFEVO_NODE_DIR ||= path.join(root, 'build/dev/tests/browser');
const { launch } = await import(path.join(root, 'tests/browser/browser.mjs'));
const browser = await launch();
for (let run = 1; run <= Number(runs); run++) {
	for (const version of ['old', 'timer'])
		recordNode(version, run);
	for (const version of Object.keys(LIBRARIES))
		await recordChromium(browser, version, run);
}
await browser.close();
