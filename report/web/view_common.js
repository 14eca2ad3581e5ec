/*
 * View common: what the views of a comparison share. Elements whose text is text, numbers in words,
 * files to keep. Names come from strangers: they enter the document as text, never as markup.
 */
import { download, el, scroll, svg, table } from './dom.js';
import { formatValue } from './model.js';

const UNITS = { time: 'ns', allocations: '1', bytes: 'bytes', instructions: '1', count: '1' };
export const whole = (v) => Math.round(v).toLocaleString('en');
/** A value of a metric; allocations, instructions and calls are counted, so all their digits are shown. */
export const amount = (v, metric) => (UNITS[metric] === '1' ? whole(v) : formatValue(v, UNITS[metric]));
export const signed = (v, metric) => (v === 0 ? '±0' : v > 0 ? `+${amount(v, metric)}` : `−${amount(-v, metric)}`);

/** A share in percent, always with its sign. */
export function percent(share) {
	const size = Math.abs(share) * 100;
	const digits = size < 0.0095 ? 4 : size < 0.095 ? 3 : size < 0.995 ? 2 : size < 99.5 ? 1 : 0;
	const text = Number(size.toFixed(digits));
	return `${text === 0 ? (share === 0 ? '±' : share > 0 ? '+' : '−') : share < 0 ? '−' : '+'}${text.toLocaleString('en', { maximumFractionDigits: 4 })} %`;
}

const FAMILY = 'system-ui, "Segoe UI", "Helvetica Neue", "Liberation Sans", Arial, sans-serif';
/** What the page writes with, to measure by: the style sheets have the same sizes. */
export const NAME_FONT = `600 12px ${FAMILY}`;
export const TEXT_FONT = `12px ${FAMILY}`;
export const CRUMB_FONT = `13px ${FAMILY}`;
export const VALUE_FONT = `11px ${FAMILY}`;

const measurer = document.createElement('canvas').getContext('2d');
const widths = new Map();
/** Width in pixels of a text in the font of the pictures. */
export function textWidth(text, font) {
	const key = `${font}\n${text}`;
	let width = widths.get(key);
	if (width === undefined) {
		if (widths.size > 20000) widths.clear();
		measurer.font = font;
		width = measurer.measureText(text).width;
		widths.set(key, width);
	}
	return width;
}

const OPERATOR = /operator\s*(?:\(\)|\[\]|[<>=!+\-*/%^&|~,]+)/y;
const TELLING = /[\p{L}\p{N}_]/u;

/**
 * The parts of a name outside of brackets: where each qualifier ends, where parameters begin (-1: nowhere), and
 * the last pair of angle brackets as [from, to]. Brackets that are an operator's are none.
 */
function partsOf(name) {
	const out = { ends: [], open: -1, angle: null };
	const stack = [];
	for (let i = 0; i < name.length; i++) {
		OPERATOR.lastIndex = i;
		const operator = OPERATOR.exec(name);
		const c = name[i];
		if (operator) i += operator[0].length - 1;
		else if ('<([{'.includes(c)) {
			if (c === '(' && stack.length === 0 && i > 0 && name[i - 1] !== ':' && out.open < 0) out.open = i;
			stack.push(i);
		} else if ('>)]}'.includes(c) && name[i - 1] !== '-' && stack.length > 0) {
			const from = stack.pop();
			if (stack.length === 0 && c === '>') out.angle = [from, i + 1];
		} else if (stack.length === 0 && (out.open < 0 || c === ':')) {
			const end = c === ':' && name[i + 1] === ':' ? i + 2 : c === '.' && i > 0 ? i + 1 : 0;
			if (end === 0 || !TELLING.test(name.slice(end))) continue;
			out.ends.push(end);
			out.open = -1;
		}
	}
	return out;
}

/** As much of the beginning of a text as goes before its end. */
function cut(text, end, room, font) {
	let low = 1;
	let high = Math.min(text.length, 400);
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (textWidth(text.slice(0, middle) + end, font) <= room) low = middle;
		else high = middle - 1;
	}
	return text.slice(0, low) + end;
}

/** A component of a name without parameters of a lambda or of a function around it: "{lambda(int)#1}" is "{lambda#1}". */
const plainPart = (text) =>
	text.startsWith('{') || (text.endsWith('::') && text[0] !== '(') ? text.replace(/(?<=[^(])\([^()]*\)(?: const)?(?=[#:]|$)/g, '') : text;

/**
 * The forms of a name, from the one that says most: parameters go first, then template arguments, then
 * qualifiers from the left, never the last component (report/short_name.h has the same rules in C).
 */
function formsOf(text) {
	const { ends, open } = partsOf(text);
	const named = open > 0 ? text.slice(0, open) : text;
	const parts = [0, ...ends].map((from, i) => {
		const to = i < ends.length ? ends[i] : named.length;
		const part = named.slice(from, to);
		const { angle } = partsOf(part);
		const args = angle !== null && angle[0] > 0 ? angle : [part.length, part.length];
		return { base: plainPart(part.slice(0, args[0])), args: part.slice(...args), end: part.slice(args[1]) };
	});
	const last = parts.length - 1;
	const written = (first, qualifierArgs, lastArgs, marks) =>
		(first > 0 ? '…' : '') +
		parts
			.slice(first)
			.map(({ base, args, end }, i) => {
				const isLast = first + i === last;
				const shown = args === '' || (!isLast && !marks) ? '' : (isLast ? lastArgs : qualifierArgs) ? args : '<…>';
				return base + shown + end;
			})
			.join('');
	return [
		text,
		...(open > 0 ? [`${written(0, true, true, true)}(…)`] : []),
		written(0, true, true, true),
		written(0, false, true, true),
		written(0, false, false, true),
		...parts.map((_, first) => written(first, false, false, false)),
		parts[last].base + parts[last].end,
	];
}

/** A name within so many pixels; what is too long even so loses its end. */
export function fitName(name, room, font) {
	const fits = (text) => textWidth(text, font) <= room;
	const forms = formsOf(name.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' '));
	const found = forms.find(fits);
	if (found !== undefined) return found;
	const last = forms[forms.length - 1];
	return cut(last, last.startsWith('<') && last.endsWith('>') ? '…>' : '…', room, font);
}

/**
 * Names of one picture within so many pixels, as a map from each: different ones stay different, since those
 * that would look alike show from where they differ.
 */
export function fitNames(names, room, font) {
	const out = new Map([...new Set(names)].map((name) => [name, fitName(name, room, font)]));
	for (let pass = 0; pass < 8; pass++) {
		const groups = new Map();
		for (const [name, shown] of out) groups.set(shown, [...(groups.get(shown) || []), name]);
		const alike = [...groups.values()].filter((group) => group.length > 1);
		if (alike.length === 0) break;
		for (const group of alike) showDifference(out, group, room, font);
	}
	return out;
}

/** Show names that look alike with the place from where they differ. */
function showDifference(out, names, room, font) {
	const longest = Math.max(...names.map((name) => name.length));
	let at = 0;
	while (at < longest && names.every((name) => name[at] === names[0][at])) at++;
	while (at > 0 && TELLING.test(names[0][at - 1])) at--;
	for (const name of names) {
		const { ends, open } = partsOf(name);
		const start = ends.length > 0 ? ends[ends.length - 1] : 0;
		const forms = formsOf(name);
		const last = forms[forms.length - 1];
		const before = at > start && textWidth(last, font) < room * 0.75 ? last : '';
		const behind = at < start && (open < 0 || at < open) ? last : '';
		const text = `${before}${at > 0 ? '…' : ''}${name.slice(at, behind === '' ? name.length : start)}`;
		const kept = cut(text, '…', Math.max(room - textWidth(behind, font), room / 3), font);
		out.set(name, textWidth(text + behind, font) <= room ? text + behind : kept + behind);
	}
}

/** Names in titles and rows: without control characters, which could turn the text around them. */
export const plainName = (name) => name.replace(/[\p{Cc}\p{Cf}]+/gu, '�');

/** Text whose names stand in backticks. */
export const withCode = (text) => text.split('`').map((part, i) => (i % 2 ? el('code', plainName(part)) : part));

/** A method with the file it is in. */
export const method = (name, component) => [el('code', plainName(name)), component ? el('div.dim.mono', plainName(component)) : ''];

/** A table of the first rows, and a button for all. */
export function folded(selector, columns, rows, most) {
	const body = el('div', scroll(table(selector, columns, rows.slice(0, most))));
	const all = () => body.replaceChildren(scroll(table(selector, columns, rows)));
	if (rows.length > most) body.append(el('button.quiet', { onclick: all }, `… and ${whole(rows.length - most)} more: show all ${whole(rows.length)}`));
	return body;
}

/** "compare-3f2a91c0-8be01234-blueprint.svg" */
export function pictureName(context, what) {
	const part = (side) =>
		String((context.entry && context.entry[side] && context.entry[side].name) || side)
			.replace(/[^A-Za-z0-9._-]+/g, '-')
			.slice(-24);
	return `${part('old')}-${part('new')}-${what}`;
}

/** A text for Graphviz. */
export const dotQuoted = (text) => `"${text.split('\n').map(plainName).join('\n').replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;

/** The variables that pictures are drawn with, as they stand now: a saved picture has no page around it. */
function resolved(names) {
	const style = getComputedStyle(document.documentElement);
	return `svg{${names.map((name) => `${name}:${style.getPropertyValue(name).trim()}`).join(';')}}`;
}

/** The rules of the page that pictures use. */
function pictureRules() {
	const rules = [];
	for (const sheet of document.styleSheets)
		for (const rule of sheet.cssRules) if (rule.selectorText && rule.selectorText.includes('.pic')) rules.push(rule.cssText);
	return rules.join('\n');
}

const VARIABLES = (
	'--ink --dim --card --line --accent --soft --bp-red --bp-light-red --bp-green --bp-light-green ' +
	'--bp-yellow --bp-gray --bp-neutral --bp-border --bp-mark --bp-cause --bp-edge --bp-box-ink --bp-flame-old --bp-flame-new --bp-flame-none'
).split(' ');

/** A picture as a file of its own; `group` has been drawn whole, in a box of these sizes. */
export function saveSvg(name, group, box, title) {
	const margin = 16;
	const size = { width: Math.ceil(box.width + 2 * margin), height: Math.ceil(box.height + 2 * margin) };
	const viewBox = `${box.x - margin} ${box.y - margin} ${box.width + 2 * margin} ${box.height + 2 * margin}`;
	const ground = svg('rect', { x: box.x - margin, y: box.y - margin, width: '100%', height: '100%', fill: 'var(--card)' });
	const style = svg('style', `${resolved(VARIABLES)}\n${pictureRules()}`);
	const picture = svg('svg.pic', { ...size, viewBox }, svg('title', title), style, ground, group);
	/* control characters cannot stand in XML at all, not even escaped */
	const text = new XMLSerializer().serializeToString(picture).replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd');
	download(name, `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`, 'image/svg+xml');
}

/** A choice that is a row of buttons, one of them pressed. */
export function choice(label, name, values, chosen, pick) {
	const group = el('span.bp-choice', { role: 'group', 'aria-label': label, dataset: { choice: name } });
	for (const [value, text, why] of values)
		group.append(el('button', { title: why || '', dataset: { value }, 'aria-pressed': String(value === chosen), onclick: () => pick(value) }, text));
	return el('span.bp-field', el('span.dim', label), group);
}

/** Whether a key was meant for a field, or for the browser. */
export const typing = (event) =>
	event.ctrlKey || event.metaKey || event.altKey || (event.target instanceof Element && event.target.closest('input, select, textarea, dialog') !== null);

/** What a view remembers in the address. Written only once a while: browsers refuse more than a few changes a second. */
export class Memory {
	constructor(context) {
		this.context = context;
		this.timer = 0;
	}

	/** Take changes; null forgets a key. */
	set(changes) {
		const { context } = this;
		const state = Object.entries({ ...context.state, ...changes }).filter(([, value]) => value !== null && value !== undefined);
		context.state = Object.fromEntries(state);
		clearTimeout(this.timer);
		this.timer = setTimeout(() => context.go(context.state, { replace: true }), 200);
	}

	release() {
		clearTimeout(this.timer);
	}
}

export const empty = (headline, ...why) => el('div.bp-empty', el('h3', headline), ...why.map((text) => el('p.dim', text)));

/** A button of a bar; `key` is the key that does the same. */
export const button = (text, title, run, key) => el('button', { onclick: run, title: key ? `${title} (${key})` : title }, text);

/** A view of a pair of executions; it ends with its page, and writes what it remembers into the address. */
export class PairView {
	constructor(element, context) {
		Object.assign(this, { element, context, abort: new AbortController(), memory: new Memory(context) });
	}

	/** The metric that is chosen, the first one where the delta tree has not got that. */
	get metric() {
		const { metric } = this.context.state;
		return this.delta.metrics.includes(metric) ? metric : this.delta.metrics[0];
	}

	/** In place of a picture: why there is none. */
	nothing(headline, why) {
		this.element.append(el('section.card', empty(headline, why)));
	}

	/** Draw again whenever the box of the picture gets wider or narrower. */
	followWidth() {
		let width = this.box.clientWidth;
		const observer = new ResizeObserver(() => {
			if (this.box.clientWidth === width) return;
			width = this.box.clientWidth;
			this.draw();
		});
		observer.observe(this.box);
		this.abort.signal.addEventListener('abort', () => observer.disconnect());
	}

	/** Empty the search on Escape and give the picture the keys; false: the event is another one. */
	leaveSearch(event) {
		if (event.key !== 'Escape' || event.target !== this.query) return false;
		this.query.value = '';
		this.find();
		this.box.focus();
		return true;
	}

	release() {
		this.abort.abort();
		this.memory.release();
		this.chart?.release();
		this.element.replaceChildren();
	}
}

/** What the shell knows of a view: `View` is made when it is put up, and kept as `view` until it is taken down. */
export const asView = (title, View, keys) => ({
	title,
	keys,
	view: null,
	mount(element, context) {
		this.view = new View(element, context);
	},
	unmount() {
		this.view.release();
		this.view = null;
	},
});
