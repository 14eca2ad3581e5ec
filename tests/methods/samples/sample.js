#!/usr/bin/env node
// One of each way in which JavaScript defines a function.
function plain(a, b = 1) {
	return a;
}

function* generator() {
	yield 1;
}

const arrow = async (x) => x + 1,
	expression = function own() {
		return own();
	};

class Shape extends Base {
	#hidden = 1;
	field = () => this.#hidden;
	constructor() {
		super();
		this.bound = () => 2;
	}
	get area() {
		return 1;
	}
	set area(value) {
		this.v = value;
	}
	static #secret() {}
	async *stream() {}
	[Symbol.iterator]() {}
	'quoted name'() {}
}

Shape.prototype.late = function (x) {
	return x;
};

const api = {
	short() {},
	long: function () {},
	arrow: () => 1,
	nested: {
		deep() {},
	},
};

module.exports = function () {
	function inner() {}
	return inner;
};

export default function () {
	return 0;
}

run(function named() {});
run(() => 1);
