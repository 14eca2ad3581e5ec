/*
 * Required by each process of Node that a profiled benchmark starts (NODE_OPTIONS, so that npm and npx pass it on): it
 * leaves V8's CPU profile of each thread in the folder PERFEVO_PROFILE. --cpu-prof is refused in NODE_OPTIONS.
 */
'use strict';
const { Session } = require('node:inspector');
const { threadId } = require('node:worker_threads');
const fs = require('node:fs');
const path = require('node:path');

const session = new Session();
const file = path.join(process.env.PERFEVO_PROFILE, `${process.pid}-${threadId}`);

session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: 1000 });
session.post('Profiler.start');
process.on('exit', () => {
	session.post('Profiler.stop', (error, result) => {
		if (!error) fs.writeFileSync(file, JSON.stringify(result.profile));
	});
});
