/* Details: everything about one revision, and about a jump, below the evolution's chart. */
import { compareCommand, comparisonOf, formatChange, formatDate, formatValue, load, plural, previous, relativeChange, shortId } from './model.js';
import { copyButton, el, fact, scroll, table } from './dom.js';
import { jumpSign, jumpSizes, jumpStateText, jumpSure } from './graph.js';

export const jumpBadge = (jump, withChange = true) =>
	el(
		'span',
		{ className: `pill ${jump.state === 'accepted' ? 'known' : jump.regression ? 'bad' : 'good'} ${jump.state}`, title: jumpStateText(jump) },
		`${jumpSign(jump)} ${jump.regression ? 'regression' : 'improvement'}${withChange ? ` ${formatChange(jump.relative)}` : ''}`,
	);

/** Where a jump leads: to its comparison, or to the command that makes one. */
export function jumpLink(model, jump) {
	const found = comparisonOf(model, jump);
	if (found !== null) return el('a.to-comparison', { href: `#/compare/${found.number}/${found.pair}` }, 'See what changed: blueprint');
	const command = compareCommand(model, jump);
	return el('span.how-to.dim', 'To see what changed: ', el('code', command), copyButton(command));
}

/** Programs colour their output for a terminal; here the codes would only be noise. */
export const plainLog = (log) => log.replace(/\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-Z\\-_]/g, '');

export function logOf(failure) {
	if (!failure.log) return el('span.dim', 'no output');
	return el('details', el('summary', failure.cut ? 'the end of its output' : 'output'), el('pre', plainLog(failure.log)));
}

/** The size of the jump at a value; else, with a '~', how it differs from the one before; '' for the first. */
export function changeText(line, r) {
	const before = previous(line, r);
	const jump = line.jumps.find((j) => j.after === r);
	if (jump) return formatChange(jump.relative);
	if (before === null || line.value[before] === line.value[r]) return before === null ? '' : formatChange(0);
	const share = relativeChange(line.value[before], line.value[r]);
	return (share === null ? '' : '~') + formatChange(share);
}

/** Where a value comes from that was not measured at its revision. */
export const reusedText = (model, line, r) =>
	line.reused.has(r)
		? `reused from ${shortId(model.revisions[line.reused.get(r)].id)} (${line.skipped.has(r) ? 'executes the same' : 'identical build'})`
		: '';

const MOST_ROWS = 200;
const COLUMNS = ['Benchmark|name', 'Metric', 'Value|num', 'Change|num', 'MAD|num', 'Middle 50 %|values', 'Runs|num', ''];

export class Details {
	/** on: { close() } */
	constructor(host, model, on) {
		Object.assign(this, { host, model, on });
	}

	row(line, r) {
		const { unit, label } = this.model.metrics[line.metric];
		const jump = line.jumps.find((j) => j.after === r);
		const value = (v) => formatValue(v, unit);
		const reused = line.reused.has(r) ? el('span.dim', reusedText(this.model, line, r)) : '';
		const spread = `${value(line.q25[r])} – ${value(line.q75[r])}`;
		return [line.name, label, value(line.value[r]), changeText(line, r), value(line.mad[r]), spread, line.n(r), [jump ? jumpBadge(jump) : '', reused]];
	}

	/** Lines that have not been unpacked are asked for, because all of them at once take a while. */
	table(line, r, metric, visible) {
		const wanted = this.model.lines.filter((l) => l.metric === metric || l.jumps.some((j) => j.after === r));
		const rows = wanted.filter((l) => l.ready && l.value[r] != null);
		rows.sort((a, b) => Number(b === line) - Number(a === line) || visible.has(b.name) - visible.has(a.name));
		const missing = wanted.filter((l) => !l.ready);
		const more = el('button', `Show ${plural(missing.length, 'more benchmark')}`);
		more.onclick = async () => {
			more.disabled = true;
			more.textContent = 'Unpacking…';
			await load(this.model, missing);
			this.show(line, r, metric, visible);
		};
		if (rows.length === 0 && missing.length === 0) return [el('p.dim', 'Nothing was measured at this revision.')];
		return [
			scroll(
				table(
					'table',
					COLUMNS,
					rows.slice(0, MOST_ROWS).map((l) => this.row(l, r)),
				),
			),
			rows.length > MOST_ROWS ? el('p.dim', `and ${plural(rows.length - MOST_ROWS, 'more benchmark')}: the chart's filter by name chooses`) : '',
			missing.length > 0 ? more : '',
		];
	}

	jumps(r) {
		return this.model.jumps
			.filter((jump) => jump.after === r)
			.map((jump) => {
				const line = this.model.lines[jump.line];
				const parts = [
					` ${line.name}, ${this.model.metrics[line.metric].label}: ${jumpStateText(jump)}`,
					`; ${jumpSizes(jump)}`,
					jump.commits > 1 ? `; in ${plural(jump.commits, 'commit')}` : '',
					jump.sure === null ? '' : `; ${jumpSure(jump)} % sure that it is here`,
				];
				return el('div.jump-line', el('p', jumpBadge(jump), parts), jumpLink(this.model, jump));
			});
	}

	/** Everything about revision r; the line that was pointed at comes first, or null. */
	show(line, r, metric, visible) {
		const { model } = this;
		const revision = model.revisions[r];
		const mc = revision.mc ?? model.history?.commits[model.history.rowOf(r)]?.mc ?? null;
		const failures = model.failures.filter((failure) => failure.revision === r);
		const close = el('button.quiet', { onclick: () => this.on.close() }, 'close');
		this.host.replaceChildren(
			el('div.head', el('h2', { id: 'details-title' }, revision.subject, revision.decoration ? el('span.tag', revision.decoration) : ''), close),
			el(
				'dl',
				fact('Commit', el('code', revision.id), copyButton(revision.id)),
				fact('Author', revision.author),
				fact('Date', formatDate(revision.time)),
				mc === null ? '' : fact('Changed methods', mc.toLocaleString('en')),
				fact('Place', `${(r + 1).toLocaleString('en')} of ${model.revisions.length.toLocaleString('en')}`),
				model.history && model.history.rowOf(r) !== undefined ? fact('Graph', el('a', { href: `#/commits/${revision.id}` }, 'among its commits')) : '',
			),
			...failures.map((failure) =>
				el('p', el('strong.bad', `${failure.benchmark === null ? 'Build' : failure.benchmark}: ${failure.outcome}`), ' ', logOf(failure)),
			),
			...this.jumps(r),
			...this.table(line, r, metric, visible),
		);
		this.host.hidden = false;
	}
}
