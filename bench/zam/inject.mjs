/*
 * Faults, as ZAM's section 5.2 injects them: 1, a call to an API sleeps; 2, a loop at the beginning of a function; 3, a
 * condition that is checked again by a function of its own. What is injected stops after some calls of one page, so
 * that a function that is called a thousand times does not take minutes.
 */
import { parse } from 'acorn';

const MOST_CALLS = { 1: 3, 2: 3, 3: 20 };

/* By names of its own, which are in the critical graph below the function. */
export const HELPERS = `
function zamSpin(ms) { const end = performance.now() + ms; while (performance.now() < end); }
function zamOnce(site, most) { return (globalThis.zamCalls[site] = (globalThis.zamCalls[site] || 0) + 1) <= most; }
function zamApi(site, ms) { if (zamOnce(site, ${MOST_CALLS[1]})) zamSpin(ms); }
function dummyZam(site) { if (zamOnce(site, ${MOST_CALLS[3]})) zamSpin(10); return true; }
`;

/** Nodes below one, each with the functions around it. */
function* walk(node, around = []) {
	yield [node, around];
	const inner = /Function/.test(node.type) ? [...around, node] : around;
	for (const value of Object.values(node))
		for (const child of Array.isArray(value) ? value : [value]) if (child && typeof child.type === 'string') yield* walk(child, inner);
}

/** Functions of a library with bodies, calls of methods and conditions of their own. */
export function functionsOf(source) {
	const found = new Map();
	for (const [node, around] of walk(parse(source, { ecmaVersion: 'latest', sourceType: 'script' }))) {
		const owner = around.at(-1);
		if (/Function/.test(node.type) && node.body.type === 'BlockStatement')
			found.set(node, { start: node.start, end: node.end, body: node.body, calls: [], conditions: [] });
		if (!found.has(owner)) continue;
		if (
			node.type === 'CallExpression' &&
			node.callee.type === 'MemberExpression' &&
			node.callee.property.type === 'Identifier' &&
			/^(push|slice|replace|indexOf|test|exec|join|split|concat|charAt|charCodeAt|match|call|apply|keys|forEach|map|substr|substring|toLowerCase|createElement|appendChild|setAttribute)$/.test(
				node.callee.property.name,
			)
		)
			found.get(owner).calls.push(node);
		if ((node.type === 'IfStatement' || node.type === 'WhileStatement' || node.type === 'ForStatement') && node.test)
			found.get(owner).conditions.push(node.test);
	}
	return [...found.values()];
}

/** The innermost function at a place as V8 counts it, line and column from 0. */
export function functionAt(functions, source, line, column) {
	let offset = column;
	for (let i = 0, at = 0; i < line; i++) {
		at = source.indexOf('\n', at) + 1;
		offset = at + column;
	}
	return functions
		.filter((one) => one.start <= offset && offset < one.end && offset <= one.body.start)
		.sort((a, b) => a.end - a.start - (b.end - b.start))[0];
}

const between = (random, low, high) => low + Math.floor(random() * (high - low));

/** The source with a fault of a kind in a function; null where it has no place for it. */
export function inject(source, kind, target, random) {
	const put = (at, text) => source.slice(0, at) + text + source.slice(at);
	const site = `'${kind}'`;
	if (kind === 1 && target.calls.length > 0) {
		const call = target.calls[between(random, 0, target.calls.length)];
		return `${source.slice(0, call.start)}(zamApi(${site}, ${between(random, 100, 200)}), ${source.slice(call.start, call.end)})${source.slice(call.end)}${HELPERS}`;
	}
	if (kind === 2)
		return (
			put(
				target.body.start + 1,
				`\nif (zamOnce(${site}, ${MOST_CALLS[2]})) { const zamEnd = performance.now() + ${between(random, 100, 200)}; for (let zamI = 0; performance.now() < zamEnd; zamI++); }`,
			) + HELPERS
		);
	if (kind !== 3) return null;
	if (target.conditions.length === 0)
		return (
			source.slice(0, target.body.start + 1) +
			` if (dummyZam(${site})) {` +
			source.slice(target.body.start + 1, target.body.end - 1) +
			'}}' +
			source.slice(target.body.end) +
			HELPERS
		);
	const test = target.conditions[between(random, 0, target.conditions.length)];
	return `${source.slice(0, test.start)}dummyZam(${site}) && (${source.slice(test.start, test.end)})${source.slice(test.end)}${HELPERS}`;
}
