/*
 * Jumps: the table of them, worst first, sorted as its heads ask. Those of many benchmarks that have one cause are one
 * row, which opens to them.
 */
import { $, el } from './dom.js';
import { byEvent, comparisonOf, formatChange, formatValue, jumpSize, plural, shortId } from './model.js';
import { jumpBadge } from './details.js';
import { jumpSource, jumpStanding, jumpStateText } from './graph.js';

const MOST_ROWS = 200; /* before a button asks for the rest */
const MOST_FUNCTIONS = 3; /* named of an event */
const STATES = ['confirmed', 'suspect', 'accepted'];
const byRank = (a, b) => (a.state === 'accepted') - (b.state === 'accepted') || b.regression - a.regression || jumpSize(b) - jumpSize(a) || a.after - b.after;
/* Of an event as everywhere else: what is confirmed stands for it. */
const byStanding = (a, b) =>
	(a.state === 'accepted') - (b.state === 'accepted') || b.regression - a.regression || STATES.indexOf(a.state) - STATES.indexOf(b.state) || byRank(a, b);

export class JumpTable {
	/** on: { show(jump) } puts a jump into the chart */
	constructor(model, on) {
		Object.assign(this, { model, on, sort: null, matches: () => true, open: new Set() });
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
			/* Any of several commits: the subject of the last would be read as that of the cause. */
			jump.commits > 1 ? el('span.dim', `(${jump.commits} commits)`) : revisions[jump.after].subject,
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

	/** The cells that a jump has, with what stands for its benchmark and its commit. */
	cells(jump, name, commit) {
		const { unit, label } = this.model.metrics[this.model.lines[jump.line].metric];
		const unknown = jump.low === null || jump.high === null || jump.low === jump.high;
		const interval = unknown ? '' : `${formatChange(jump.low)} to ${formatChange(jump.high)}`;
		return [
			el('td', jumpBadge(jump, false)),
			this.state(jump),
			el('td.name', name),
			el('td.values', label),
			el('td', { className: `num ${jump.regression ? 'bad' : 'good'}` }, el('strong', formatChange(jump.relative))),
			el('td.values.interval.dim', interval, el('span.source', jumpSource(jump))),
			el('td.values', `${formatValue(jump.oldLevel, unit)} → ${formatValue(jump.newLevel, unit)}`),
			commit,
		];
	}

	row(jump) {
		const { name } = this.model.lines[jump.line];
		const go = el('button.go', { 'aria-label': `Show the jump of ${name} in the chart` }, name);
		const found = comparisonOf(this.model, jump);
		const target = found && {
			href: `#/compare/${found.number}/${found.pair}`,
			'aria-label': `What changed at the jump of ${name}`,
			onclick: (event) => event.stopPropagation(),
		};
		const link = found && el('a.to-comparison', target, 'what changed');
		const row = el('tr', this.cells(jump, go, this.commit(jump, link)));
		row.onclick = () => this.on.show(jump);
		return row;
	}

	/** How many benchmarks jumps made worse and better: one that is worse in any metric is not better. */
	counts(jumps) {
		const names = (some) => some.map((jump) => this.model.lines[jump.line].name);
		const worse = new Set(names(jumps.filter((jump) => jump.regression)));
		const better = new Set(names(jumps).filter((name) => !worse.has(name)));
		if (worse.size === 0) return `${plural(better.size, 'benchmark')} better`;
		return `${plural(worse.size, 'benchmark')} worse${better.size > 0 ? `, ${better.size.toLocaleString('en')} better` : ''}`;
	}

	/** The row of an event, which shows its worst jump, and those of its jumps below it while it is open. */
	eventRows(jumps) {
		const sorted = [...jumps].sort(byStanding);
		const [worst] = sorted;
		const { commit, functions } = this.model.events[worst.event];
		const at = sorted.find((jump) => jump.after === commit) ?? worst;
		const open = this.open.has(worst.event);
		const go = el('button.go', { 'aria-expanded': String(open) }, this.counts(jumps));
		const name = [go, el('span.worst.dim', `${worst.regression ? 'worst' : 'most'}: ${this.model.lines[worst.line].name}`)];
		const more = functions.length > MOST_FUNCTIONS ? ` and ${functions.length - MOST_FUNCTIONS} more` : '';
		const changed = functions.length > 0 && el('span.changed.dim', `changed: ${functions.slice(0, MOST_FUNCTIONS).join(', ')}${more}`);
		const rows = sorted.map((jump) => this.row(jump));
		for (const row of rows) row.classList.add('part');
		const head = el('tr.event', this.cells(worst, name, this.commit(at, changed || '')));
		head.onclick = () => {
			const shown = this.open.delete(worst.event);
			if (!shown) this.open.add(worst.event);
			go.setAttribute('aria-expanded', String(!shown));
			if (shown) for (const row of rows) row.remove();
			else head.after(...rows);
		};
		return open ? [head, ...rows] : [head];
	}

	/** The jumps of benchmarks whose names match. */
	draw(matches, all = false) {
		this.matches = matches;
		const events = byEvent(this.model, this.sorted());
		const shown = all ? events : events.slice(0, MOST_ROWS);
		const table = $('jump-table');
		table.tBodies[0].replaceChildren(...shown.flatMap((jumps) => (jumps.length > 1 ? this.eventRows(jumps) : this.row(jumps[0]))));
		table.parentElement.hidden = events.length === 0;
		$('jumps-none').hidden = events.length > 0;
		$('jumps-none').textContent =
			this.model.jumps.length > 0
				? 'No jump of a benchmark with that name.'
				: this.model.lines.some((line) => line.judged)
					? 'No benchmark moved to another level.'
					: 'No changes were looked for: all metrics are recorded only.';
		$('jumps-more').hidden = shown.length === events.length;
		$('jumps-more').textContent = `Show all ${events.length}`;
		for (const th of table.tHead.rows[0].cells) {
			const button = th.querySelector('button');
			if (button && this.sort && this.sort.key === button.dataset.key) th.setAttribute('aria-sort', this.sort.down ? 'descending' : 'ascending');
			else th.removeAttribute('aria-sort');
		}
	}
}
