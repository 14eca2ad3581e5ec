/*
 * Document: elements, pictures and files out of values. Text enters as text nodes, never as markup: names and
 * messages come from strangers.
 */

export const $ = (id) => document.getElementById(id);

const isProperties = (value) => value?.constructor === Object;
const isChild = (child) => child !== null && child !== undefined && child !== '' && !isProperties(child);

/**
 * An element of a name with classes, as in "td.num"; then its properties or attributes, if any (`dataset` is an object),
 * and its children.
 */
export function el(selector, ...rest) {
	const [name, ...classes] = selector.split('.');
	const element = document.createElement(name);
	element.classList.add(...classes);
	if (name === 'button') element.type = 'button';
	for (const [key, value] of Object.entries(isProperties(rest[0]) ? rest[0] : {})) {
		if (key === 'dataset') Object.assign(element.dataset, value);
		else if (key in element && key !== 'role') element[key] = value;
		else element.setAttribute(key, value);
	}
	element.append(...rest.flat(Infinity).filter(isChild));
	return element;
}

/** An element of a picture, likewise; attributes that are null are left out. */
export function svg(selector, ...rest) {
	const [name, ...classes] = selector.split('.');
	const element = document.createElementNS('http://www.w3.org/2000/svg', name);
	element.classList.add(...classes);
	for (const [key, value] of Object.entries(isProperties(rest[0]) ? rest[0] : {}))
		if (value !== null && value !== undefined) element.setAttribute(key, typeof value === 'number' ? Number(value.toFixed(2)) : value);
	element.append(...rest.flat(Infinity).filter(isChild));
	return element;
}

/** Give the reader a file. */
export function download(name, text, type) {
	const address = URL.createObjectURL(new Blob([text], { type }));
	const link = el('a', { href: address, download: name });
	document.body.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** A name of a file out of words: "zlib evolution wall.svg" without what file systems refuse. */
export const fileName = (words, extension) =>
	`${
		words
			.join('-')
			.replace(/[^\p{L}\p{N}._-]+/gu, '-')
			.replace(/^-+|-+$/g, '')
			.slice(0, 100) || 'perfevo'
	}.${extension}`;

/** A text with the page's colours in place of their variables. */
function resolved(text) {
	const style = getComputedStyle(document.documentElement);
	return text.replace(/var\((--[\w-]+)\)/g, (all, name) => style.getPropertyValue(name).trim() || 'none');
}

/** The rules of the page that pictures use. */
function pictureRules() {
	const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
	return rules.filter((rule) => rule.selectorText?.includes('.pic')).map((rule) => rule.cssText);
}

/** A picture as a file of its own: shapes in a box of these sizes, with the page's rules for them, and its colours as they are now. */
export function savePicture(name, { x = 0, y = 0, width, height }, shapes, title) {
	const margin = 16;
	const place = { x: x - margin, y: y - margin, width: Math.ceil(width + 2 * margin), height: Math.ceil(height + 2 * margin) };
	const size = { width: place.width, height: place.height, viewBox: Object.values(place).join(' '), 'font-size': 12 };
	const style = svg('style', resolved(pictureRules().join('\n')));
	const picture = svg('svg.pic', size, svg('title', title), style, svg('rect', { ...place, fill: 'var(--card)' }), shapes);
	for (const node of picture.querySelectorAll('*')) for (const { name: key, value } of [...node.attributes]) node.setAttribute(key, resolved(value));
	/* control characters cannot stand in XML at all, not even escaped */
	const text = new XMLSerializer().serializeToString(picture).replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
	download(name, `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`, 'image/svg+xml');
}

/** A button that copies a text; where the browser does not allow it, the text before it is selected. */
export function copyButton(text) {
	const button = el('button.quiet', 'copy');
	button.onclick = async () => {
		try {
			await navigator.clipboard.writeText(text);
			button.textContent = 'copied';
		} catch {
			getSelection().selectAllChildren(button.previousElementSibling);
		}
	};
	return button;
}

/** Beside the pointer, and within what holds it. */
export function placeTip(tip, { x, y }) {
	tip.hidden = false;
	const room = tip.parentElement.clientWidth;
	const left = x + 18 + tip.offsetWidth > room ? x - 18 - tip.offsetWidth : x + 18;
	tip.style.left = `${Math.max(0, left)}px`;
	tip.style.top = `${Math.max(-20, y - tip.offsetHeight / 2)}px`;
}

/** A term with its description in a dl. */
export const fact = (term, ...description) => el('div', el('dt', term), el('dd', ...description));

/** A table's head, of "text" or "text|class" a column. */
export function tableHead(columns) {
	const cells = columns
		.map((column) => column.split('|'))
		.map(([text, className = '']) => (text === '' ? el('td') : el('th', { scope: 'col', className }, text)));
	return el('thead', el('tr', cells));
}

/** A table of rows of cells, which have the classes of their columns. */
export function table(selector, columns, rows) {
	const classes = columns.map((column) => column.split('|')[1] ?? '');
	const row = (cells) => cells.map((cell, i) => el('td', { className: classes[i] }, cell ?? '–'));
	return el(
		selector,
		tableHead(columns),
		el(
			'tbody',
			rows.map((cells) => el('tr', row(cells))),
		),
	);
}

/** Let keys reach what is scrolled, wherever it is wider than its place. */
export function reachable(element) {
	const watch = new ResizeObserver(() => {
		if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
		else element.removeAttribute('tabindex');
	});
	for (const one of [element, ...element.children]) watch.observe(one);
	return element;
}

/** What may be wider than the page. */
export const scroll = (...children) => reachable(el('div.scroll', children));

/** A part of the page with a border. */
export const card = (label, ...children) => el('section.card', { 'aria-label': label }, children);

/** One of several addresses to choose from. */
export const tab = (href, current, ...children) => el('a.tab', { href, 'aria-current': current ? 'page' : 'false' }, children);

/** What a select offers: [value, text]. */
export const options = (rows) => rows.map(([value, text]) => el('option', { value }, text));

/** A small picture around (0, 0), beside a text that says the same. */
export function icon(size, ...shapes) {
	const viewBox = `${-size / 2} ${-size / 2} ${size} ${size}`;
	return svg('svg', { width: size, height: size, viewBox, 'aria-hidden': 'true' }, shapes);
}
