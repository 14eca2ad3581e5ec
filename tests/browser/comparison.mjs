/*
 * What the tests of a comparison's views share: pages out of fixtures, opened at one view, and the data they carry.
 */
import { downloaded, newPage, ready, run } from './harness.mjs';
import { fileAddress } from './browser.mjs';

export { block, fileOf as pageFile, settle } from './harness.mjs';

/** Numbers of nodes out of their distances from the one before; -1 where there is none. */
function numbers(distances) {
	let last = -1;
	return distances.map((distance) => (distance === 0 ? -1 : (last += distance)));
}

/*
 * All checks share one tab, which is brought back to how it began. The same page is not loaded again, which costs half a
 * second of a processor: it leaves its view, forgets the comparison with what was shown of it, and mounts the next one.
 */
let tab = null;

async function open(file, route) {
	if (tab === null) {
		tab = await newPage({});
		tab.stays = true;
	}
	await tab.setViewportSize({ width: 1300, height: 1000 });
	const again = tab.file === fileAddress(file);
	Object.assign(tab, { seen: { requests: [], errors: [], dialogs: [] }, file: fileAddress(file) });
	await tab.mouse.move(0, 0);
	await tab.emulateMedia({ media: null });
	if (again) {
		await tab.goto(`${tab.file}#/compare`);
		await ready(tab);
		await tab.evaluate(() => perfevo.page.compare.blocks.clear());
	}
	await tab.goto(`${tab.file}#${route}`);
	await ready(tab);
	return tab;
}

/** A check of a page at a route: "/compare/0/0/blueprint". */
export const check = (sentence, file, route, body) => run(sentence, () => open(file, route), body);

/** What is wrong with a picture as a document, how many elements of some kinds it has: [error|null, counts...]. */
export async function readSvg(page, text, ...selectors) {
	const other = await page.context().newPage(); /* a page whose policy does not matter */
	const read = await other.evaluate(
		([svg, kinds]) => {
			const picture = new DOMParser().parseFromString(svg, 'image/svg+xml');
			return [picture.querySelector('parsererror')?.textContent || null, ...kinds.map((kind) => picture.querySelectorAll(kind).length)];
		},
		[text, selectors],
	);
	await other.close();
	return read;
}

/** The file that a button hands out: [name, text]. */
export async function saved(page, selector) {
	const { name, text } = await downloaded(page, selector);
	return [name, text];
}

/**
 * The delta tree of a pair as the page carries it, with the ends of subtrees, and by metric column what each node took with
 * all below it on both sides.
 */
export function treeOf(raw) {
	const parent = raw.parent.map((distance, i) => (distance > 0 ? i - distance : -1));
	const end = parent.map((_, i) => i + 1);
	for (let i = parent.length - 1; i > 0; i--) end[parent[i]] = Math.max(end[parent[i]], end[i]);
	const sides = [numbers(raw.old), numbers(raw.new)];
	const total = (column, side, node) => (sides[side][node] < 0 ? 0 : raw[column][side].slice(node, end[node]).reduce((sum, v) => sum + v, 0));
	return {
		...raw,
		n: parent.length,
		parent,
		end,
		old: sides[0],
		new: sides[1],
		total,
		children: (node) => parent.flatMap((p, i) => (p === node ? [i] : [])),
	};
}
