/* Now each step is put off by a timer, so that no step can starve the rest of the page. */
function defer(callback) {
	setTimeout(callback, 4);
}
function eachSeries(items, step, done) {
	let i = 0;
	function iterate() {
		if (i === items.length)
			return done();
		return step(items[i++], () => defer(iterate));
	}
	iterate();
}
globalThis.eachSeries = eachSeries;
