/* Jumps: the table of them, worst first, sorted as its heads ask. */
import { $, el } from './dom.js';
import { comparisonOf, formatChange, formatValue, jumpSize, shortId } from './model.js';
import { jumpBadge } from './details.js';
import { jumpSource, jumpStanding, jumpStateText } from './graph.js';

const MOST_ROWS = 200; /* before a button asks for the rest */
const STATES = ['confirmed', 'suspect', 'accepted'];
const byRank = (a, b) => (a.state === 'accepted') - (b.state === 'accepted') || b.regression - a.regression || jumpSize(b) - jumpSize(a) || a.after - b.after;

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
		if (this.sort === null) return jumps.sort(byRank);
		const key = this.keys[this.sort.key];
		const order = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (this.sort.down ? -1 : 1);
		return jumps.sort((a, b) => order(a, b) || byRank(a, b));
	}

	commit(jump, link) {
		const { revisions } = this.model;
		const after = shortId(revisions[jump.after].id);
		return el(
			'td.commit',
			el('code', jump.commits > 1 ? `in ${shortId(revisions[jump.before].id)}..${after}` : after),
			' ',
			jump.commits > 1 ? el('span.dim', `(${jump.commits} commits) `) : '',
			revisions[jump.after].subject,
			link,
		);
	}

	state(jump) {
		const text =
			jumpStanding(jump) +
			(jump.layout && jump.state === 'confirmed' ? ', layout' : '') +
			(jump.state !== 'accepted' && jump.sure !== null ? `, ${Math.round(jump.sure * 100)} %` : '');
		return el('td', el('span', { className: `state ${jump.state}`, title: jumpStateText(jump) }, text));
	}

	row(jump) {
		const line = this.model.lines[jump.line];
		const { unit, label } = this.model.metrics[line.metric];
		const go = el('button.go', { 'aria-label': `Show the jump of ${line.name} in the chart` }, line.name);
		const found = comparisonOf(this.model, jump);
		const target = found && {
			href: `#/compare/${found.number}/${found.pair}`,
			'aria-label': `What changed at the jump of ${line.name}`,
			onclick: (event) => event.stopPropagation(),
		};
		const link = found && el('a.to-comparison', target, 'what changed');
		const unknown = jump.low === null || jump.high === null || jump.low === jump.high;
		const interval = unknown ? '' : `${formatChange(jump.low)} to ${formatChange(jump.high)}`;
		const row = el(
			'tr',
			el('td', jumpBadge(jump, false)),
			this.state(jump),
			el('td.name', go),
			el('td.figures', label),
			el('td', { className: `num ${jump.regression ? 'bad' : 'good'}` }, el('strong', formatChange(jump.relative))),
			el('td.figures.interval.dim', interval, el('span.source', jumpSource(jump))),
			el('td.figures', `${formatValue(jump.oldLevel, unit)} → ${formatValue(jump.newLevel, unit)}`),
			this.commit(jump, link),
		);
		row.onclick = () => this.on.show(jump);
		return row;
	}

	/** The jumps of benchmarks whose names match. */
	draw(matches, all = false) {
		this.matches = matches;
		const jumps = this.sorted();
		const rows = all ? jumps : jumps.slice(0, MOST_ROWS);
		const table = $('jump-table');
		table.tBodies[0].replaceChildren(...rows.map((jump) => this.row(jump)));
		table.parentElement.hidden = jumps.length === 0;
		$('jumps-none').hidden = jumps.length > 0;
		$('jumps-none').textContent =
			this.model.jumps.length > 0
				? 'No jump of a benchmark with that name.'
				: this.model.lines.some((line) => line.judged)
					? 'No benchmark moved to another level.'
					: 'No changes were looked for: all metrics are recorded only.';
		$('jumps-more').hidden = rows.length === jumps.length;
		$('jumps-more').textContent = `Show all ${jumps.length}`;
		for (const th of table.tHead.rows[0].cells) {
			const button = th.querySelector('button');
			if (button && this.sort && this.sort.key === button.dataset.key) th.setAttribute('aria-sort', this.sort.down ? 'descending' : 'ascending');
			else th.removeAttribute('aria-sort');
		}
	}
}
