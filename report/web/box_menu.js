/* Box menu: the four actions on a box of the blueprint, by mouse and by keyboard; and what hovers beside a box. */
import { el } from './dom.js';

const ACTIONS = [
	['hot', 'Show delta hot path', 'p'],
	['children', 'Show children', 'c'],
	['below', 'Show all below', 'a'],
	['hide', 'Hide all below', 'h'],
];

/** Put a box that is fixed on the screen beside a point, wholly in sight. */
function placeNear(box, x, y, gap) {
	const { offsetWidth, offsetHeight } = box;
	const left = x + gap + offsetWidth > innerWidth ? x - gap - offsetWidth : x + gap;
	box.style.left = `${Math.max(4, left)}px`;
	box.style.top = `${Math.max(4, Math.min(innerHeight - offsetHeight - 4, y + gap * 0.8))}px`;
}

/** Values beside the pointer. */
export class Tip {
	constructor() {
		this.element = el('div.tip.bp-tip', { hidden: true, role: 'tooltip' });
		this.node = null;
	}

	/** Show what `fill` returns for a node, which is asked once a node. */
	show(node, x, y, fill) {
		if (this.node !== node) {
			this.node = node;
			this.element.replaceChildren(...fill(node));
		}
		this.element.hidden = false;
		placeNear(this.element, x, y, 18);
	}

	hide() {
		this.element.hidden = true;
		this.node = null;
	}
}

export class BoxMenu {
	/**
	 * @param run   (action, node): "hot", "children", "below" or "hide"
	 * @param back  takes the focus when the menu goes away
	 */
	constructor(run, back) {
		this.run = run;
		this.back = back;
		this.element = el('div.bp-menu', { role: 'menu', hidden: true, 'aria-label': 'Actions', onkeydown: (event) => this.key(event) });
	}

	get isOpen() {
		return !this.element.hidden;
	}

	open(node, x, y) {
		const choose = (action) => () => {
			this.close();
			this.run(action, node);
		};
		const entry = ([action, text, key]) =>
			el('button', { role: 'menuitem', tabIndex: -1, dataset: { action }, onclick: choose(action) }, text, el('kbd', key));
		this.element.replaceChildren(...ACTIONS.map(entry));
		this.element.hidden = false;
		placeNear(this.element, x, y, 0);
		this.element.firstElementChild.focus();
	}

	close() {
		if (!this.isOpen) return;
		this.element.hidden = true;
		this.back.focus({ preventScroll: true });
	}

	key(event) {
		const items = [...this.element.children];
		const at = items.indexOf(document.activeElement);
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
		const chosen = ACTIONS.findIndex(([, , key]) => key === event.key);
		if (event.key === 'Escape' || event.key === 'Tab') this.close();
		else if (to !== undefined) items[(to + items.length) % items.length].focus();
		else if (chosen >= 0) items[chosen].click();
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
}
