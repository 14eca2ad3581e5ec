/*
 * Verdict: what makes the difference of a pair, in the sentences of report/compare_causes.c. A line whose cause has a place in the delta tree leads there.
 */
import { button, whole, withCode } from './view_common.js';
import { el } from './dom.js';
import { formatChange, formatValue, plural } from './model.js';

const FIRST_LINES = 4; /* the rest on demand */

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

/** A line of the verdict: it leads to its box where it has one. */
function line(cause, pair, follow) {
	if (cause.node === null || cause.node === undefined || pair.delta === null) return el('span.bp-line', ...withCode(cause.text));
	return el('button.bp-line', { dataset: { node: cause.node }, title: 'Show its box', onclick: () => follow(cause.node) }, ...withCode(cause.text));
}

/** What is judged by one value: the whole, its causes, and what is left. */
function report(one, pair, follow) {
	const show = (v) => (one.unit === '1' ? whole(v) : formatValue(v, one.unit));
	const out = [
		el(
			'p.bp-whole',
			one.old > 0 ? el('strong', `${formatChange(one.difference / one.old)}: `) : '',
			...withCode(one.text || ''),
			one.noise > 0 ? el('span.dim', ` (standard error ${show(one.noise)})`) : '',
		),
	];
	const list = el('ol.bp-lines', ...one.causes.map((cause, i) => el('li', { className: i >= FIRST_LINES ? 'more' : '' }, line(cause, pair, follow))));
	out.push(one.causes.length > 0 ? list : el('p.dim', 'No single cause stands out from the noise of the runs.'));
	if (one.causes.length > FIRST_LINES) {
		const more = button(plural(one.causes.length - FIRST_LINES, 'smaller cause'), 'Show the rest of the verdict', () => {
			list.classList.add('all');
			more.remove();
		});
		more.className = 'quiet';
		out.push(more);
	}
	const rest = one.more > 0 ? [`${plural(one.more, 'more cause')} not in this page (--top ${one.causes.length + one.more} has all)`] : [];
	if (one.rest && one.causes.length > 0) rest.push(`${one.rest > 0 ? '+' : '−'}${show(Math.abs(one.rest))} in what is too small to be named`);
	if (one.within_noise > 0) rest.push(`${plural(one.within_noise, 'difference')} within noise left out`);
	if (rest.length > 0) out.push(el('p.dim.bp-rest', `${rest.join('; ')}.`));
	return out;
}

/** The verdict on a pair; `follow` is told the node of a line that was chosen. */
export function verdict(pair, follow) {
	const reports = (pair.raw.judged || []).filter((one) => one.difference !== 0 || one.causes.length > 0);
	return el(
		'section.card.bp-verdict',
		{ 'aria-label': 'Verdict' },
		el('h2', 'What makes the difference'),
		pair.raw.whole ? el('p.dim.bp-untimed', sentence(pair.raw.whole)) : '',
		pair.raw.untimed ? el('p.dim.bp-untimed', sentence(pair.raw.untimed)) : '',
		el('div.bp-reports', ...reports.map((one) => el('div', ...report(one, pair, follow)))),
		reports.length === 0 ? el('p.dim', sentence(pair.raw.unexplained || 'old and new execute the same: nothing to explain')) : '',
	);
}
