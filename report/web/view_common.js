/*
 * View common: what the views of a comparison share. Elements whose text is text, numbers in words,
 * files to keep. Names come from strangers: they enter the document as text, never as markup.
 */
import { METRICS } from './blueprint_model.js';
import { el, fileName, scroll, table } from './dom.js';
import { formatValue } from './model.js';

export const whole = (v) => Math.round(v).toLocaleString('en');
/** A value of a metric; allocations, instructions and calls are counted, so all their digits are shown. */
export const amount = (v, metric) => (METRICS[metric]?.unit === '1' ? whole(v) : formatValue(v, METRICS[metric]?.unit));
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

const shortForms = new Map();

/** Remember the shorter forms of names that a comparison brings along, the one that says most first. */
export function learnNames({ name, short }) {
	name.forEach((text, f) =>
		shortForms.set(
			text,
			short.map((forms) => forms[f]).filter((form) => form !== null),
		),
	);
}

/** A name within so many pixels; what is too long even so loses its end. */
export function fitName(name, room, font) {
	const forms = [name.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' '), ...(shortForms.get(name) || [])];
	return forms.find((form) => textWidth(form, font) <= room) ?? cut(forms.at(-1), '…', room, font).replace(/…+$/, '…');
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

/** "3f2a91c0-8be01234-blueprint.svg" */
export const pictureName = ({ entry }, what) => fileName([...['old', 'new'].map((side) => (entry[side].name || side).slice(-24)), what], 'svg');

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

/** Values beside the pointer, wholly in sight. */
export class Tip {
	constructor() {
		this.element = el('div.tip.bp-tip', { hidden: true, role: 'tooltip' });
		this.node = null;
	}

	/** Show what `fill` returns for a node, which is asked once a node. */
	show(node, x, y, fill) {
		const { element } = this;
		if (this.node !== node) element.replaceChildren(...fill(node));
		this.node = node;
		element.hidden = false;
		const left = x + 18 + element.offsetWidth > innerWidth ? x - 18 - element.offsetWidth : x + 18;
		element.style.left = `${Math.max(4, left)}px`;
		element.style.top = `${Math.max(4, Math.min(innerHeight - element.offsetHeight - 4, y + 14))}px`;
	}

	hide() {
		this.element.hidden = true;
		this.node = null;
	}
}

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
		this.timer = setTimeout(context.remember, 200);
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

	/** In place of a picture why there is none: the builds are the same, the pair has a problem, or what the view says. */
	nothing(headline, why, { same, problem } = this.context.comparison.pairs[this.context.pair]) {
		const equal = ['Both sides execute the same', 'The builds of old and new are identical, so their executions were not compared.'];
		this.element.append(el('section.card', same ? empty(...equal) : empty(headline, problem || why)));
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
