/* Now each step waits for a frame, so that what it drew is seen. */
function nextFrame(callback) {
	requestAnimationFrame(() => callback());
}
function eachSeries(items, step, done) {
	let i = 0;
	function iterate() {
		if (i === items.length)
			return done();
		return step(items[i++], () => nextFrame(iterate));
	}
	iterate();
}
globalThis.eachSeries = eachSeries;
