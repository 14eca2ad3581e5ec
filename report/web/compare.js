/*
 * Compare: the list of comparisons; above the views of one, what is compared, its benchmarks and their values.
 */
import { $, el, tab, tableHead } from './dom.js';
import { block, formatChange, formatValue, plural, shortId } from './model.js';
import { blueprint } from './blueprint.js';
import { critical } from './critical.js';
import { flame } from './flame.js';
import { methods } from './methods.js';
import { stages } from './stages.js';
import { timeline } from './timeline.js';
import { learnNames, withCode } from './view_common.js';

/** The views of a pair by the names that addresses have for them, in the order of their tabs. */
export const views = { blueprint, critical, stages, flame, timeline, methods };
const NONE = 'This page has no comparisons: `perfevo report` explains the largest jumps, and `perfevo compare A B --format html` any two revisions.';
const COLUMNS = ['Metric', 'Old|num', 'New|num', 'Change|num', '95 % interval', 'Runs|num', 'Verdict'];

const pairName = (name, other) => (name === null ? 'execution' : other && other !== name ? `${name} → ${other}` : name);

/** "+4 % to +9 %"; an interval that has no end says so. */
function intervalText(metric) {
	if (metric.exact) return 'exact';
	if (metric.relative === null) return '';
	const ends = [metric.low, metric.high].map((v) => (v === null || !Number.isFinite(v) ? null : formatChange(v)));
	return ends.every((end) => end === null) ? 'too few runs' : `${ends[0] ?? 'less'} to ${ends[1] ?? 'more'}`;
}

const WORDS = { worse: ['▲', 'bad'], better: ['▼', 'good'], undecided: ['?', 'dim'], different: ['≠', 'dim'], same: ['=', 'dim'] };

function verdictPill(word) {
	const [sign, kind] = WORDS[word] || ['', 'dim'];
	return el('span', { className: `pill ${kind}` }, `${sign} ${word}`.trim());
}

function metricRow(metric) {
	const kind = metric.verdict === 'worse' ? 'bad' : metric.verdict === 'better' ? 'good' : '';
	return el(
		'tr',
		{ className: metric.judged ? '' : 'recorded' },
		el('th', { scope: 'row' }, metric.label || metric.name),
		el('td.num', formatValue(metric.old, metric.unit)),
		el('td.num', formatValue(metric.new, metric.unit)),
		el('td', { className: `num ${kind}` }, el('strong', formatChange(metric.relative))),
		el(
			'td.values.dim',
			intervalText(metric),
			metric.basis ? el('span.source', `jump at ${metric.basis}`) : '',
			metric.layout ? el('span.source', 'layout: only placement in memory differs') : '',
		),
		el('td.num.dim', `${metric.old_runs} / ${metric.new_runs}`),
		el('td', verdictPill(metric.verdict)),
	);
}

export class Compare {
	/** on: { href(number, pair, view, state), remember(number, pair, view, state) } */
	constructor(model, on) {
		Object.assign(this, { model, on, blocks: new Map(), shown: null }); /* shown: the view */
	}

	/* ---- the list ---- */

	side(side) {
		const revision = side.revision === null || side.revision === undefined ? null : this.model.revisions[side.revision];
		const subject = side.subject || (revision ? revision.subject : '');
		return el('span.side', el('code', side.name || (side.id ? shortId(side.id) : '?')), subject ? el('span.subject', ` ${subject}`) : '');
	}

	/** Lines of the verdict, with the benchmark where there are several. */
	verdictLines(entry, number, most) {
		if (entry.lines.length === 0) return el('p.dim', 'No cause was found.');
		const several = entry.benchmarks.length > 1;
		const rest = entry.lines.length - most;
		const lines = entry.lines.slice(0, most).map((line) => {
			const to = this.on.href(number, line.pair, 'blueprint', line.node === null ? {} : { node: String(line.node) });
			return el('li', el('a', { href: to }, withCode(line.text)), several ? el('span.dim', ` ${pairName(entry.benchmarks[line.pair])}`) : '');
		});
		return el('ol.verdict', lines, rest > 0 ? el('li.dim.more', el('a', { href: this.on.href(number, 0, null, {}) }, `and ${rest} more`)) : '');
	}

	drawList() {
		const found = this.model.comparisons.map((entry, number) => {
			const sides = [this.side(entry.old), el('span.arrow', ' → '), this.side(entry.new)];
			const what = entry.benchmarks.length === 1 ? pairName(entry.benchmarks[0]) : plural(entry.benchmarks.length, 'benchmark');
			const title = el('h2', el('a', { href: this.on.href(number, 0, null, {}) }, sides));
			return el('article.card.comparison', title, el('p.dim', what), this.verdictLines(entry, number, 3));
		});
		$('comparison-list').replaceChildren(...(found.length > 0 ? found : [el('p.card.dim', withCode(NONE))]));
	}

	/* ---- one comparison ---- */

	async block(number) {
		if (!this.blocks.has(number)) this.blocks.set(number, await block(this.model.comparisons[number].block));
		learnNames(this.blocks.get(number).frames);
		return this.blocks.get(number);
	}

	drawHead(entry) {
		const open = (side) =>
			side.revision === null || side.revision === undefined || !this.model.revisions[side.revision]
				? null
				: `#/evolution?commit=${this.model.revisions[side.revision].id}`;
		const part = (term, side) =>
			el('div.side-line', el('span.term.dim', term), open(side) ? el('a', { href: open(side) }, this.side(side)) : this.side(side));
		$('comparison-title').replaceChildren(part('old', entry.old), part('new', entry.new));
	}

	drawPairs(number, pair, view, comparison) {
		$('pair-tabs').hidden = comparison.pairs.length < 2;
		const tabs = comparison.pairs.map((p, i) => {
			const judged = p.metrics.filter((metric) => metric.judged);
			const main = judged.find((metric) => metric.verdict === 'worse') || judged.find((metric) => metric.verdict === 'better');
			const [sign, kind] = main ? WORDS[main.verdict] : [];
			const change = main ? el('span', { className: kind }, ` ${sign} ${formatChange(main.relative)}`) : '';
			return tab(this.on.href(number, i, view, {}), i === pair, pairName(p.name, p.with), change);
		});
		$('pair-tabs').replaceChildren(...tabs);
	}

	drawMetrics(data, stored) {
		const rows = [...data.metrics].sort((a, b) => b.judged - a.judged);
		$('metrics').hidden = rows.length === 0;
		const judged = rows.filter((metric) => metric.judged);
		$('metrics-title').textContent = `Metrics of ${pairName(data.name, data.with)}`;
		$('metrics-note').textContent = [
			data.same ? 'Both sides execute the same.' : judged.length < rows.length ? 'Below the line: recorded only.' : '',
			stored ? 'Made of what was stored: nothing was built, so whether machine code changed is not known.' : '',
		]
			.filter(Boolean)
			.join(' ');
		$('metrics-table').replaceChildren(tableHead(COLUMNS), el('tbody', rows.map(metricRow)));
		$('metrics-table').querySelector('tr.recorded')?.classList.add('first');
	}

	drawViews(number, pair, view) {
		const tabs = Object.keys(views).map((name) => tab(this.on.href(number, pair, name, {}), name === view, views[name].title));
		$('view-tabs').replaceChildren(...tabs);
	}

	/** Show a view of a pair. */
	async show({ number, pair, view, state }) {
		const entry = this.model.comparisons[number];
		const comparison = await this.block(number);
		const at = comparison.pairs[pair] ? pair : 0;
		const name = Object.hasOwn(views, view) ? view : 'blueprint';
		this.leave();
		this.drawHead(entry);
		this.drawPairs(number, at, name, comparison);
		this.drawMetrics(comparison.pairs[at], comparison.stored === true);
		this.drawViews(number, at, name);
		const context = {
			comparison,
			entry,
			pair: at,
			state,
			remember: () => this.on.remember(number, at, name, context.state),
			href: (other, next = {}) => this.on.href(number, at, other, next),
		};
		const element = el('div.view-body');
		$('view').replaceChildren(element);
		this.shown = views[name];
		this.shown.mount(element, context);
	}

	/** Take the view down. */
	leave() {
		this.shown?.unmount();
		this.shown = null;
	}
}
