/*
 * Required by each process of Node that a profiled benchmark starts (NODE_OPTIONS, so that npm and npx pass it on): it
 * leaves V8's CPU profile of each thread in the folder PERFEVO_PROFILE. --cpu-prof is refused in NODE_OPTIONS.
 *
 * A function that V8 has compiled into its caller is the caller in V8's profile; but the lines of the samples are its
 * own. Samples whose line is outside of the function that they are counted for go to the callee that has this line.
 */
'use strict';
const { Session } = require('node:inspector');
const { threadId } = require('node:worker_threads');
const { fileURLToPath } = require('node:url');
const fs = require('node:fs');
const path = require('node:path');

const DEPTH = 4; // of calls that are looked through for a line

const session = new Session();
const file = path.join(process.env.PERFEVO_PROFILE, `${process.pid}-${threadId}`);

const key = (url, name, line) => `${url}\n${name}\n${line}`;

/* Numbers of lines, from 1, by offset. */
function lineFinder(text) {
	const starts = [0];

	for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
	return (offset) => {
		let low = 0;
		let high = starts.length;

		while (high - low > 1) {
			const middle = (low + high) >> 1;

			if (starts[middle] <= offset) low = middle;
			else high = middle;
		}
		return low + 1;
	};
}

/* The last line of each function, by script, name and first line; null: two of them end differently. */
function findEnds(scripts) {
	const ends = new Map();

	for (const script of scripts) {
		if (!script.url.startsWith('file://')) continue;
		const lineOf = lineFinder(fs.readFileSync(fileURLToPath(script.url), 'utf8'));

		for (const one of script.functions) {
			const { startOffset, endOffset } = one.ranges[0];
			const name = key(script.url, one.functionName, lineOf(startOffset));
			const end = lineOf(endOffset);

			ends.set(name, ends.has(name) && ends.get(name) !== end ? null : end);
		}
	}
	return ends;
}

/* The nearest callee that has a line. */
function findCallee(node, line, nodes, holds) {
	let level = [node];

	for (let depth = 0; depth < DEPTH && level.length > 0; depth++) {
		level = level.flatMap((one) => (one.children ?? []).map((id) => nodes.get(id)));
		const found = level.find((one) => holds(one, line));

		if (found) return found;
	}
	return node;
}

/* How many of a node's samples are whose: [{ id, ticks, due }]. */
function share(node, nodes, holds) {
	const ticks = new Map();

	for (const at of node.positionTicks ?? []) {
		const owner = holds(node, at.line) ? node : findCallee(node, at.line, nodes, holds);

		ticks.set(owner.id, (ticks.get(owner.id) ?? 0) + at.ticks);
	}
	return [...ticks].map(([id, n]) => ({ id, ticks: n, due: 0 }));
}

function giveBack(profile, ends) {
	const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
	const endOf = (node) => {
		const { url, functionName, lineNumber } = node.callFrame;

		return ends.get(key(url, functionName, lineNumber + 1));
	};
	const holds = (node, line) => line > node.callFrame.lineNumber && line <= endOf(node);
	const shares = new Map(profile.nodes.map((node) => [node.id, endOf(node) ? share(node, nodes, holds) : []]));

	/* Which of a node's samples had which line is not said: they are dealt out in turn. */
	profile.samples = profile.samples.map((id) => {
		const all = shares.get(id);
		const total = all.reduce((sum, one) => sum + one.ticks, 0);

		if (all.length < 2 && all[0]?.id === id) return id;
		for (const one of all) one.due += one.ticks;
		const next = all.reduce((most, one) => (one.due > most.due ? one : most), all[0]);

		if (!next) return id;
		next.due -= total;
		return next.id;
	});
}

session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: 1000 });
session.post('Profiler.start');
process.on('exit', () => {
	session.post('Profiler.stop', (error, stopped) => {
		if (error) return;
		session.post('Profiler.getBestEffortCoverage', (none, coverage) => {
			try {
				if (!none) giveBack(stopped.profile, findEnds(coverage.result));
			} catch {
				/* A script that cannot be read any more: the samples stay where V8 put them. */
			}
		});
		fs.writeFileSync(file, JSON.stringify(stopped.profile));
	});
});
