/* A library that goes through items one after the other, as it was. */
function eachSeries(items, step, done) {
	let i = 0;
	function iterate() {
		if (i === items.length)
			return done();
		return step(items[i++], iterate);
	}
	iterate();
}
globalThis.eachSeries = eachSeries;
