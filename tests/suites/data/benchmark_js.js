// Writes benchmark_js.txt: node benchmark_js.js, with benchmark 2.1.4 beside it (npm install benchmark).
/* global console, process, require */
'use strict';
const Benchmark = require('benchmark');
const suite = new Benchmark.Suite();
const show = (event) => process.stdout.write(' > ' + event.target);

Benchmark.options.maxTime = 0.2;
Benchmark.options.minSamples = 3;
suite
	.add('String#indexOf', () => 'Hello World!'.indexOf('o') > -1)
	.add('Array#join, 10 x 10', () => new Array(100).fill('x').join(''))
	.add('slow', () => {
		for (let end = Date.now() + 20; Date.now() < end;);
	})
	.add('fails', () => {
		throw new Error('not today');
	})
	.on('cycle', (event) => console.log(String(event.target)))
	.run();
// As programs show how far they are: in every cycle, and the end of the line when it is done.
new Benchmark.Suite()
	.add('shown', { fn: () => 'abc'.toUpperCase(), onCycle: show, onComplete: () => console.log() })
	.on('complete', function () {
		console.log('Fastest is ' + this.filter('fastest').map('name'));
	})
	.run();
