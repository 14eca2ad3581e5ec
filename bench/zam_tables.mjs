/*
 * ZAM's accuracy in its own setting: web pages with real libraries, three kinds of fault, one to five pairs of timelines of
 * headless Chromium (Ocariza and Zhao, section 5).
 *
 *   node zam_tables.mjs PERFEVO [--libraries a,b] [--faults 2] [--seed 1] [--dir DIR] [--keep]
 *
 * Each library comes in two versions: the timelines of the old one are compared with those of the new one, as it is (base)
 * and with one fault at a time, --faults of each kind, in functions drawn from those that a timeline of the new one
 * shows. PERFEVO is the binary; libraries and playwright-core are installed under DIR (build/zam) from zam/package.json.
 * Recordings that DIR has already are taken again with --keep.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import zlib from 'node:zlib';

const here = path.dirname(fileURLToPath(import.meta.url));
const {
	values: options,
	positionals: [perfevo],
} = parseArgs({
	allowPositionals: true,
	options: {
		libraries: { type: 'string' },
		faults: { type: 'string', default: '2' },
		seed: { type: 'string', default: '1' },
		dir: { type: 'string', default: path.join(here, '../build/zam') },
		keep: { type: 'boolean', default: false },
	},
});
if (!perfevo) {
	process.stderr.write('usage: node zam_tables.mjs PERFEVO [--libraries a,b] [--faults 2] [--seed 1] [--dir DIR] [--keep]\n');
	process.exit(129);
}
const PAIRS = 5;
const dir = path.resolve(options.dir);
const records = path.join(dir, 'timelines');
mkdirSync(records, { recursive: true });
for (const file of ['package.json', 'inject.mjs', 'pages.mjs']) copyFileSync(path.join(here, 'zam', file), path.join(dir, file));
if (!existsSync(path.join(dir, 'node_modules/acorn')))
	execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: dir, stdio: 'inherit' });
const { PAGES, app, html } = await import(pathToFileURL(path.join(dir, 'pages.mjs')));
const { functionAt, functionsOf, inject } = await import(pathToFileURL(path.join(dir, 'inject.mjs')));
process.env.PERFEVO_NODE_DIR = dir;
const { launch } = await import('../tests/browser/browser.mjs');

/** Numbers from 0 to 1 (mulberry32). */
function randomOf(seed) {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	};
}

/* --- Recording --- */

const CATEGORIES = ['-*', 'devtools.timeline', 'disabled-by-default-devtools.timeline.stack', 'disabled-by-default-v8.cpu_profiler', 'v8.execute'];

/** The trace of the page's own process: the browser has pages of its own. */
function ofPage({ traceEvents }) {
	const isPage = ({ name, args }) =>
		name === 'ProfileChunk' && args.data.cpuProfile?.nodes?.some(({ callFrame }) => callFrame.url?.startsWith('http://page.test/'));
	const pid = traceEvents.find(isPage)?.pid;
	return JSON.stringify({ traceEvents: traceEvents.filter((event) => event.pid === pid) });
}

async function record(browser, page, source, file, hasFault) {
	const tab = await browser.newPage();
	const errors = [];
	tab.on('pageerror', (error) => errors.push(error.message));
	await tab.route('http://page.test/**', (route) => {
		const body = { '/': html(page), '/lib.js': source, '/app.js': app(page) }[new URL(route.request().url()).pathname];
		route.fulfill(body ? { body, contentType: body.startsWith('<') ? 'text/html' : 'text/javascript' } : { status: 404 });
	});
	await browser.startTracing(tab, { categories: CATEGORIES });
	await tab.goto('http://page.test/');
	for (let i = 0; i < page.steps.length; i++) {
		await tab.click(`#step${i}`);
		await tab.evaluate(
			() =>
				new Promise((done) => {
					requestAnimationFrame(() => setTimeout(done, 0));
				}),
		);
	}
	const trace = await browser.stopTracing();
	const reached = await tab.evaluate(() => Object.keys(globalThis.zamCalls).length);
	await tab.close();
	if (errors.length > 0 || (hasFault && reached === 0)) return errors[0] || 'what was injected is not reached';
	writeFileSync(file, zlib.gzipSync(ofPage(JSON.parse(trace)), { level: 1 }));
	return null;
}

const timeline = (library, name, run) => path.join(records, library, name, `${run}.json.gz`);

/** Runs of one version of a page; false where the page fails with it, or does not come to the fault. */
async function recordAll(browser, library, name, source, runs) {
	mkdirSync(path.dirname(timeline(library, name, 1)), { recursive: true });
	for (let run = 1; run <= runs; run++) {
		const file = timeline(library, name, run);
		if (options.keep && existsSync(file)) continue;
		if (await record(browser, PAGES[library], source, file, name.startsWith('fault'))) return false;
	}
	return true;
}

/* --- Trees --- */

const isNameless = (name) =>
	name.trim() === '' ||
	name === '(anonymous)' ||
	[...name].length === 1 ||
	/^(set(Timeout|Interval|Immediate)|queueMicrotask|request(IdleCallback|AnimationFrame)|runMicrotasks)$/.test(name);

/** A tree as localize sees it: per node its path of names, without those that say nothing, recursion folded. */
function pathsOf(file) {
	const out = execFileSync(perfevo, ['import', '-p', '-q', '--min-share', '0', '--format', 'json', file], {
		maxBuffer: 1 << 30,
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	const { methods, nodes } = JSON.parse(out);
	const paths = [];
	for (const node of nodes) {
		const method = methods[node.method];
		const above = node.parent === null ? [] : paths[node.parent];
		const key = `${method.name} ${method.component}`;
		const at = above.indexOf(key);
		paths.push(node.parent === null || isNameless(method.name) || method.kind === 'waiting' ? above : at >= 0 ? above.slice(0, at + 1) : [...above, key]);
	}
	return paths;
}

function localize(olds, news, args) {
	const work = mkdtempSync(path.join(tmpdir(), 'perfevo-zam-'));
	for (const [side, files] of [
		['old', olds],
		['new', news],
	]) {
		mkdirSync(path.join(work, side));
		files.forEach((file, i) => symlinkSync(file, path.join(work, side, `${i}.json.gz`)));
	}
	const { stdout, status } = spawnSync(
		perfevo,
		['localize', '-q', '--old', path.join(work, 'old'), '--new', path.join(work, 'new'), '--format', 'json', ...args],
		{ maxBuffer: 1 << 30 },
	);
	rmSync(work, { recursive: true });
	if (status !== 0) throw new Error(`perfevo localize ended with ${status}`);
	return JSON.parse(stdout);
}

/** Paths of the critical graph's leaves. */
function leavesOf(graph) {
	const paths = [];
	graph.nodes.forEach((node) => paths.push(node.parent === null ? [] : [...paths[node.parent], `${node.name} ${node.component}`]));
	return graph.nodes.flatMap((node, i) => (node.cause ? [paths[i]] : []));
}

const HELPERS = /^(zamSpin|zamApi|dummyZam|zamOnce) /;
const isPrefix = (a, b) => a.length <= b.length && a.every((key, i) => key === b[i]);

/** What section 5.2 counts, of one critical graph against the function that has the fault. */
function judge(graph, fault, tree) {
	const leaves = leavesOf(graph);
	const isHit = (leaf) => leaf.at(-1) === fault.key || (HELPERS.test(leaf.at(-1)) && leaf.findLast((key) => !HELPERS.test(key)) === fault.key);
	const targets = tree.filter((one) => one.at(-1) === fault.key);
	return {
		leaves: leaves.length,
		hits: leaves.filter(isHit).length,
		partial: leaves.filter((leaf) => isHit(leaf) || targets.some((one) => isPrefix(leaf, one))).length,
	};
}

/* --- Faults --- */

/** Functions of the library that a timeline shows, by place, in the order of their names. */
function candidates(file) {
	const events = JSON.parse(zlib.gunzipSync(readFileSync(file))).traceEvents;
	const found = new Map();
	for (const { args } of events.filter((event) => event.name === 'ProfileChunk'))
		for (const { callFrame } of args.data.cpuProfile?.nodes || [])
			if (callFrame.url === 'http://page.test/lib.js' && !isNameless(callFrame.functionName))
				found.set(`${callFrame.functionName}:${callFrame.lineNumber}`, callFrame);
	return [...found.keys()].sort().map((key) => found.get(key));
}

async function makeFaults(browser, library, source, random) {
	const functions = functionsOf(source);
	const list = candidates(timeline(library, 'base', 1));
	const faults = [];
	for (let kind = 1; kind <= 3; kind++)
		for (let n = 0, tries = 0; n < Number(options.faults) && tries < 30; tries++) {
			const frame = list[Math.floor(random() * list.length)];
			const target = functionAt(functions, source, frame.lineNumber, frame.columnNumber);
			const changed = target && inject(source, kind, target, random);
			const fault = { kind, key: `${frame.functionName} http://page.test/lib.js`, name: `fault${kind}-${n}-${frame.functionName.replace(/\W/g, '_')}` };
			if (!changed || !(await recordAll(browser, library, fault.name, changed, PAIRS))) continue;
			faults.push(fault);
			n++;
		}
	return faults;
}

/* --- Tables --- */

const sum = (values) => values.reduce((a, b) => a + b, 0);
const share = (a, b) => (b > 0 ? `${((100 * a) / b).toFixed(2)}` : '-');
const row = (cells) => process.stdout.write(`| ${cells.join(' | ')} |\n`);
const accuracy = (all) => [
	share(all.filter((one) => one.hits > 0).length, all.length),
	share(all.filter((one) => one.partial > 0).length, all.length),
	share(sum(all.map((one) => one.hits)), sum(all.map((one) => one.leaves))),
	share(sum(all.map((one) => one.partial)), sum(all.map((one) => one.leaves))),
];
const runsOf = (library, name, from, n) => Array.from({ length: n }, (unused, i) => timeline(library, name, from + i));

const libraries = options.libraries ? options.libraries.split(',') : Object.keys(PAGES);
const subjects = [];
const began = performance.now();
const browser = await launch();
for (const [index, library] of libraries.entries()) {
	const random = randomOf(Number(options.seed) * 1000 + index);
	const sourceOf = (version) => readFileSync(path.join(dir, 'node_modules', `${library}-${version}`, PAGES[library].file), 'utf8');
	if (!(await recordAll(browser, library, 'old', sourceOf('old'), PAIRS)) || !(await recordAll(browser, library, 'base', sourceOf('new'), PAIRS)))
		throw new Error(`the page of ${library} fails`);
	const faults = await makeFaults(browser, library, sourceOf('new'), random);
	subjects.push({ program: library, faults });
	process.stderr.write(`${library}: ${faults.map((fault) => fault.name).join(' ')}\n`);
}
await browser.close();
process.stderr.write(`recorded in ${((performance.now() - began) / 1000).toFixed(0)} s\n`);

for (const subject of subjects) for (const fault of subject.faults) fault.tree = pathsOf(timeline(subject.program, fault.name, 1));

/** All faults of a subject, judged. */
const judged = (subject, pairs, args) =>
	subject.faults.map((fault) =>
		judge(localize(runsOf(subject.program, 'old', 1, pairs), runsOf(subject.program, fault.name, 1, pairs), args), fault, fault.tree),
	);
const baseLeaves = (subject, pairs, args) => localize(runsOf(subject.program, 'old', 1, pairs), runsOf(subject.program, 'base', 1, pairs), args).causes;

const MU = ['--min-diff', '50ms'];
row(['', 'node recall, %', 'path recall, %', 'node precision, %', 'path precision, %', 'paths in base']);
row(['---', '---:', '---:', '---:', '---:', '---:']);
for (const [title, pairs, args] of [
	['mu 50 ms', 3, MU],
	['mu from noise', 3, []],
	['mu 50 ms, one pair', 1, MU],
	['mu 50 ms, five pairs', 5, MU],
	['hybrid matching', 3, [...MU, '--match', 'hybrid']],
	['relaxed matching', 3, [...MU, '--match', 'relaxed']],
	['subsequence matching', 3, [...MU, '--match', 'subsequence']],
])
	row([title, ...accuracy(subjects.flatMap((subject) => judged(subject, pairs, args))), sum(subjects.map((subject) => baseLeaves(subject, pairs, args)))]);
