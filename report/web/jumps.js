/*
 * Jumps: the table of them, a block a commit, the worst first; or each by itself, sorted as its heads ask.
 */
import { $, el } from './dom.js';
import { comparisonOf, formatChange, jumpSize, shortId } from './model.js';
import { jumpBadge } from './details.js';
import { jumpSource, jumpStanding, jumpStateText, jumpSure } from './graph.js';

const MOST_ROWS = 200; /* before a button asks for the rest */
const STATES = ['confirmed', 'suspect', 'accepted'];

export class JumpTable {
	/** on: { show(jump) } puts a jump into the chart */
	constructor(model, on) {
		Object.assign(this, { model, on, sort: null, matches: () => true });
		this.keys = {
			kind: (jump) => (jump.regression ? 0 : 1),
			state: (jump) => STATES.indexOf(jump.state),
			benchmark: (jump) => model.lines[jump.line].name,
			metric: (jump) => model.metrics[model.lines[jump.line].metric].label,
			change: (jump) => jumpSize(jump),
			revision: (jump) => jump.after,
		};
		$('jumps-more').onclick = () => this.draw(this.matches, true);
		for (const button of document.querySelectorAll('#jump-table th button')) button.onclick = () => this.sortBy(button.dataset.key);
	}

	sortBy(key) {
		const same = this.sort && this.sort.key === key;
		this.sort = { key, down: same ? !this.sort.down : key === 'change' };
		this.draw(this.matches);
	}

	sorted() {
		const jumps = this.model.jumps.filter((jump) => this.matches(this.model.lines[jump.line].name));
		if (this.sort === null) return jumps;
		const rank = new Map(jumps.map((jump, i) => [jump, i]));
		const key = this.keys[this.sort.key];
		const order = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (this.sort.down ? -1 : 1);
		return jumps.sort((a, b) => order(a, b) || rank.get(a) - rank.get(b));
	}

	/** first: it is the first row of its commit, which stands there with its class */
	commit(jump, link, first) {
		const { revisions } = this.model;
		const event = this.model.events[jump.event];
		const functions = jump.functions ? el('span.changed.dim', jump.functions) : '';
		if (!first)
			return el('td.commit', jump.after === event.commit ? '' : el('span.dim', `rather at ${shortId(revisions[jump.after].id)}`), functions, link);
		const after = shortId(revisions[jump.after].id);
		return el(
			'td.commit',
			el('code', jump.commits > 1 ? `in ${shortId(revisions[jump.before].id)}..${after}` : after),
			' ',
			/* Any of several commits: the subject of the last would be read as that of the cause. */
			jump.commits > 1 ? el('span.dim', `(${jump.commits} commits)`) : revisions[jump.after].subject,
			el('span', { className: `class ${event.class}`, title: event.contradiction ?? '' }, event.words),
			functions,
			link,
		);
	}

	state(jump) {
		const text =
			jumpStanding(jump) +
			(jump.layout && jump.state === 'confirmed' ? ', layout' : '') +
			(jump.state !== 'accepted' && jump.sure !== null ? `, ${jumpSure(jump)} %` : '');
		return el('td', el('span', { className: `state ${jump.state}`, title: jumpStateText(jump) }, text));
	}

	/** The cells that a jump has, with what stands for its benchmark and its commit. */
	cells(jump, name, commit) {
		const { label } = this.model.metrics[this.model.lines[jump.line].metric];
		const unknown = jump.low === null || jump.high === null || jump.low === jump.high;
		const interval = unknown ? '' : `${formatChange(jump.low)} to ${formatChange(jump.high)}`;
		return [
			el('td', jumpBadge(jump, false)),
			this.state(jump),
			el('td.name', name),
			el('td.values', label),
			el('td', { className: `num ${jump.regression ? 'bad' : 'good'}` }, el('strong', formatChange(jump.relative))),
			el('td.values.interval.dim', interval, el('span.source', jumpSource(jump))),
			el('td.values', jump.levels),
			commit,
		];
	}

	row(jump, first) {
		const { name } = this.model.lines[jump.line];
		const go = el('button.go', { 'aria-label': `Show the jump of ${name} in the chart` }, name);
		const found = comparisonOf(this.model, jump);
		const target = found && {
			href: `#/compare/${found.number}/${found.pair}`,
			'aria-label': `What changed at the jump of ${name}`,
			onclick: (event) => event.stopPropagation(),
		};
		const link = found && el('a.to-comparison', target, 'what changed');
		const row = el('tr', this.cells(jump, go, this.commit(jump, link, first)));
		row.onclick = () => this.on.show(jump);
		if (first) row.classList.add('first');
		return row;
	}

	/** The jumps of benchmarks whose names match. */
	draw(matches, all = false) {
		this.matches = matches;
		const jumps = this.sorted();
		const shown = all ? jumps : jumps.slice(0, MOST_ROWS);
		const table = $('jump-table');
		table.tBodies[0].replaceChildren(...shown.map((jump, i) => this.row(jump, this.sort !== null || i === 0 || shown[i - 1].event !== jump.event)));
		table.parentElement.hidden = jumps.length === 0;
		$('jumps-none').hidden = jumps.length > 0;
		$('jumps-none').textContent =
			this.model.jumps.length > 0
				? 'No jump of a benchmark with that name.'
				: this.model.lines.some((line) => line.judged)
					? 'No benchmark moved to another level.'
					: 'No changes were looked for: all metrics are recorded only.';
		$('jumps-more').hidden = shown.length === jumps.length;
		$('jumps-more').textContent = `Show all ${jumps.length}`;
		for (const th of table.tHead.rows[0].cells) {
			const button = th.querySelector('button');
			if (button && this.sort && this.sort.key === button.dataset.key) th.setAttribute('aria-sort', this.sort.down ? 'descending' : 'ascending');
			else th.removeAttribute('aria-sort');
		}
	}
}
