/*
 * Flame box: how a call, or a method on one path, is drawn in a flame graph: its width is what both sides took, its
 * colour and sign say what became of it, and a line below the picture says which side is which.
 */
import { fitName, plainName, TEXT_FONT, textWidth } from './view_common.js';
import { el, svg } from './dom.js';

export const ROW = 20;
const KINDS = { more: '+ takes more in new', less: '− takes less in new', none: '= no difference', added: '★ only in new', removed: '✕ only in old' };
const SIGNS = { more: '+', less: '−', none: '=', added: '★', removed: '✕' };

/** How much of a colour: a difference of half the box's own value is all of it. */
const strength = (before, after) => Math.min(1, 0.15 + (1.7 * Math.abs(after - before)) / Math.max(1, before, after));

/** What became of a call; `state` is "added", "removed" or "both". */
export const kindOf = (state, before, after) => (state !== 'both' ? state : after > before ? 'more' : after < before ? 'less' : 'none');

/** A box of a picture: x and width in pixels, y in rows from the top. */
export function flameBox({ x, y, width, kind, name, before, after }) {
	const sign = SIGNS[kind];
	const group = svg('g', { class: `pic-node fl-node fl-${kind}`, transform: `translate(${x.toFixed(2)} ${y * ROW})` });
	const rect = svg('rect.fl-box', { width: Math.max(0.6, width - 0.6).toFixed(2), height: ROW - 1 });
	if (kind === 'more' || kind === 'less') rect.setAttribute('fill-opacity', strength(before, after).toFixed(2));
	group.append(svg('rect.fl-ground', { width: Math.max(0.6, width - 0.6).toFixed(2), height: ROW - 1 }), rect);
	const fitted = width > 34 ? fitName(name, width - 10 - textWidth(`${sign} `, TEXT_FONT), TEXT_FONT) : '';
	if (fitted.replace(/…/g, '').length >= 3 || (fitted !== '' && fitted === name)) group.append(svg('text.fl-text', { x: 4, y: 14 }, `${sign} ${fitted}`));
	else if (width > 16) group.append(svg('text.fl-text', { x: 4, y: 14 }, sign));
	return group;
}

/** The line of a picture that names both sides, in a row of its own. */
export function flameCaption({ entry }, y, width) {
	const name = (side) => plainName((entry && entry[side] && entry[side].name) || side);
	const text = `old: ${name('old')} · new: ${name('new')} · + red: new takes more · − blue: new takes less`;
	return svg('text.fl-caption', { x: 4, y: y * ROW + 15 }, fitName(text, width - 8, TEXT_FONT));
}

export function flameLegend() {
	const key = (className, text) => el('span', el('span', { className: `fl-key ${className}`, 'aria-hidden': 'true' }), text);
	return el(
		'div.bp-legend',
		Object.entries(KINDS).map(([className, text]) => key(className, text)),
	);
}
