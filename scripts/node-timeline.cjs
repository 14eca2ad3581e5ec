/*
 * A timeline of a Node program, in Chrome's trace format:
 *
 *   node --require ./node-timeline.cjs PROGRAM     writes timeline.json, or what PERFEVO_TIMELINE names
 *
 * It holds V8's CPU profile and, for each timer, callback and promise, who asked for it and when it ran: what Chrome's own
 * traces have and --cpu-prof lacks. `perfevo localize` names by it who waits. A sample is taken every 200 µs, or
 * PERFEVO_TIMELINE_US.
 */
'use strict';
const { createHook } = require('node:async_hooks');
const { Session } = require('node:inspector');
const { pathToFileURL } = require('node:url');
const fs = require('node:fs');

const file = process.env.PERFEVO_TIMELINE || 'timeline.json';
/* A stack an event: beyond this it is memory that would decide. */
const MOST_EVENTS = 500000;
const events = [];
const running = [];
const kinds = new Map();
const session = new Session();

/** Microseconds of the clock that V8's profiles use. */
const now = () => Number(process.hrtime.bigint() / 1000n);

const EVENTS = {
	timer: ['TimerInstall', 'TimerFire', 'timerId'],
	task: ['SchedulePostTaskCallback', 'RunPostTaskCallback', 'taskId'],
	response: ['ResourceSendRequest', 'ResourceReceiveResponse', 'requestId'],
};

/* Ticks run in the turn that asked for them, and are its own. */
function kindOf(type) {
	if (type === 'Timeout') return 'timer';
	if (type === 'TickObject') return null;
	return type === 'PROMISE' || type === 'Immediate' || type === 'Microtask' ? 'task' : 'response';
}

const addressOf = (name) => (name && name.startsWith('/') ? pathToFileURL(name).href : name || '');

/** The calls that lead here, innermost first, without Node's own that asked in the program's stead. */
function stack() {
	const { prepareStackTrace, stackTraceLimit } = Error;
	let calls;
	Error.stackTraceLimit = 200;
	Error.prepareStackTrace = (error, sites) => sites;
	calls = new Error().stack.map((site) => ({ functionName: site.getFunctionName() || '', url: addressOf(site.getFileName()) }));
	Object.assign(Error, { prepareStackTrace, stackTraceLimit });
	/* Samples have no builtins between. */
	calls = calls.filter((call) => call.url !== '' && call.url !== addressOf(__filename));
	while (calls.length > 0 && calls[0].url.startsWith('node:')) calls.shift();
	return calls;
}

function add(name, id, data) {
	if (events.length < MOST_EVENTS)
		events.push({ name, cat: 'devtools.timeline', ph: 'I', pid: process.pid, tid: process.pid, ts: now(), args: { data: { ...id, ...data } } });
	return events.length <= MOST_EVENTS ? events.at(-1) : null;
}

const hook = createHook({
	init(id, type) {
		const kind = kindOf(type);
		if (!kind || events.length >= MOST_EVENTS) return;
		kinds.set(id, kind);
		add(EVENTS[kind][0], { [EVENTS[kind][2]]: id }, { stackTrace: stack() });
	},
	before(id) {
		const kind = kinds.get(id);
		running.push(kind ? add(EVENTS[kind][1], { [EVENTS[kind][2]]: id }) : null);
	},
	after() {
		const event = running.pop();
		if (event) Object.assign(event, { ph: 'X', dur: now() - event.ts });
	},
	destroy(id) {
		kinds.delete(id);
	},
});

/** Its own functions lose their names: what they take is the caller's. */
function withoutSelf(nodes) {
	const self = addressOf(__filename);
	for (const { callFrame } of nodes) if (callFrame.url === self) callFrame.functionName = '';
	return nodes;
}

function write(profile) {
	const base = { cat: 'disabled-by-default-v8.cpu_profiler', ph: 'P', pid: process.pid, tid: process.pid, id: '0x1', ts: profile.startTime };
	const { samples, timeDeltas } = profile;
	const nodes = withoutSelf(profile.nodes);
	const traceEvents = [
		{ ...base, name: 'Profile', args: { data: { startTime: profile.startTime } } },
		...events,
		{ ...base, name: 'ProfileChunk', args: { data: { cpuProfile: { nodes, samples }, timeDeltas } } },
	];
	fs.writeFileSync(file, `{"traceEvents":[\n${traceEvents.map((event) => JSON.stringify(event)).join(',\n')}\n]}\n`);
}

session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: Number(process.env.PERFEVO_TIMELINE_US || 200) });
session.post('Profiler.start', () => {
	hook.enable();
	process.on('exit', () => {
		hook.disable();
		session.post('Profiler.stop', (error, result) => {
			if (error) process.stderr.write(`node-timeline: ${error.message}\n`);
			else write(result.profile);
		});
	});
});
