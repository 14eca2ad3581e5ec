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
			.join(' ')
			.replace(/[^\p{L}\p{N}._-]+/gu, '-')
			.replace(/^-+|-+$/g, '')
			.slice(0, 100) || 'perfevo'
	}.${extension}`;

/** A picture that stands alone, as text: variables of the page's colours become the colours. */
export function svgDocument(width, height, children, title) {
	const style = getComputedStyle(document.documentElement);
	const size = { width, height, viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}` };
	const font = { 'font-family': 'system-ui, "Liberation Sans", Arial, sans-serif', 'font-size': 12 };
	const ground = svg('rect', { width, height, fill: style.getPropertyValue('--card').trim() });
	const picture = svg('svg', { xmlns: 'http://www.w3.org/2000/svg', ...size, ...font }, svg('title', title), ground, children);
	for (const node of picture.querySelectorAll('*'))
		for (const { name, value } of [...node.attributes])
			if (value.includes('var('))
				node.setAttribute(
					name,
					value.replace(/var\((--[\w-]+)\)/g, (all, key) => style.getPropertyValue(key).trim() || 'none'),
				);
	return new XMLSerializer().serializeToString(picture).replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
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
