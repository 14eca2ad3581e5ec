/*
 * Source pane: a method's text of both revisions side by side. Which lines are equal was found when the page was
 * written; here they are set beside each other, coloured, and what differs within a line is marked. The colours
 * come from highlight.js, of which only the tree of tokens is used: its text becomes text.
 */
import hljs from '@highlightjs/cdn-assets/es/core.min.js';
import c from '@highlightjs/cdn-assets/es/languages/c.min.js';
import cpp from '@highlightjs/cdn-assets/es/languages/cpp.min.js';
import go from '@highlightjs/cdn-assets/es/languages/go.min.js';
import java from '@highlightjs/cdn-assets/es/languages/java.min.js';
import javascript from '@highlightjs/cdn-assets/es/languages/javascript.min.js';
import python from '@highlightjs/cdn-assets/es/languages/python.min.js';
import ruby from '@highlightjs/cdn-assets/es/languages/ruby.min.js';
import rust from '@highlightjs/cdn-assets/es/languages/rust.min.js';
import typescript from '@highlightjs/cdn-assets/es/languages/typescript.min.js';
import { el } from './dom.js';
import { plainName } from './view_common.js';
import { plural } from './model.js';

const FOLD = 14; /* equal lines in a row before their middle is folded */
const KEEP = 4; /* of them stay at either end */
const MOST_COLOURED = 200000; /* characters of a text; a longer one stays plain */

/** Those that analysis/methods/languages.c reads, by the endings of their files. */
const LANGUAGES = [
	['c', c, /\.(c|h)$/],
	['cpp', cpp, /\.(cc|cpp|cxx|c\+\+|C|hh|hpp|hxx|h\+\+|H|ipp|inl|tpp|txx)$/],
	['python', python, /\.(py|pyi|pyw)$/],
	['javascript', javascript, /\.(js|mjs|cjs|jsx)$/],
	['typescript', typescript, /\.(ts|mts|cts|tsx)$/],
	['java', java, /\.java$/],
	['go', go, /\.go$/],
	['rust', rust, /\.rs$/],
	['ruby', ruby, /\.(rb|rake|gemspec|ru)$/],
];
for (const [language, grammar] of LANGUAGES) hljs.registerLanguage(language, grammar);

const languageOf = (path) => LANGUAGES.find(([, , ending]) => ending.test(path))?.[0];

/** A text as lines of [text, class] pieces. */
function colour(text, path) {
	const lines = [[]];
	const put = (piece, scope) => {
		piece.split('\n').forEach((part, i) => {
			if (i > 0) lines.push([]);
			if (part !== '') lines[lines.length - 1].push([part, scope]);
		});
	};
	const language = languageOf(path);
	if (!language || text.length > MOST_COLOURED) {
		put(text, '');
		return lines;
	}
	const result = hljs.highlight(text, { language, ignoreIllegals: true });
	const todo = [[result._emitter.rootNode, '']];
	while (todo.length > 0) {
		const [piece, scope] = todo.pop();
		if (typeof piece === 'string') {
			put(piece, scope);
			continue;
		}
		const own = piece.scope ? piece.scope.split('.')[0] : scope;
		for (let i = piece.children.length - 1; i >= 0; i--) todo.push([piece.children[i], own]);
	}
	return lines;
}

/** Where two lines begin and cease to differ: [start, end of a, end of b]; null when they have little in common. */
export function within(a, b) {
	let start = 0;
	while (start < a.length && start < b.length && a[start] === b[start]) start++;
	let tail = 0;
	while (tail < a.length - start && tail < b.length - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
	/* whole words: half of a name that differs says nothing */
	const word = /[\p{L}\p{N}_]/u;
	while (start > 0 && word.test(a[start - 1]) && (word.test(a[start] || '') || word.test(b[start] || ''))) start--;
	while (tail > 0 && word.test(a[a.length - tail]) && (word.test(a[a.length - tail - 1] || '') || word.test(b[b.length - tail - 1] || ''))) tail--;
	const common = a.slice(0, start).trim().length + a.slice(a.length - tail).trim().length;
	return common * 3 < Math.max(a.trim().length, b.trim().length) ? null : [start, a.length - tail, b.length - tail];
}

/** A line as elements; from `start` to `end` it differs from the other side. */
function lineElement(pieces, start, end) {
	const code = el('code');
	let at = 0;
	for (const [text, scope] of pieces) {
		const cuts = [0, start - at, end - at, text.length].map((cut) => Math.min(text.length, Math.max(0, cut)));
		for (let i = 0; i < 3; i++) {
			const part = text.slice(cuts[i], cuts[i + 1]);
			if (part === '') continue;
			const className = `${scope ? `hl-${scope}` : ''}${i === 1 && end > start ? ' hl-differs' : ''}`.trim();
			code.append(className ? el('span', { className }, part) : part);
		}
		at += text.length;
	}
	return code;
}

/**
 * Rows of [old line, new line], numbers from 0 or -1, with the kind same, changed, removed or added.
 *
 * @param same  runs of equal lines: old line, new line, count, from 1
 */
export function align(nOld, nNew, same) {
	const rows = [];
	let a = 0;
	let b = 0;
	const differ = (toA, toB) => {
		while (a < toA || b < toB) {
			const left = a < toA ? a++ : -1;
			const right = b < toB ? b++ : -1;
			rows.push([left, right, left < 0 ? 'added' : right < 0 ? 'removed' : 'changed']);
		}
	};
	for (let i = 0; i + 2 < same.length; i += 3) {
		differ(same[i] - 1, same[i + 1] - 1);
		for (let k = 0; k < same[i + 2] && a < nOld && b < nNew; k++) rows.push([a++, b++, 'same']);
	}
	differ(nOld, nNew);
	return rows;
}

const NOTES = { same: ' ', changed: '~', removed: '−', added: '+' };

function row(sides, numbers, [left, right, kind]) {
	const texts = [left, right].map((line, side) => (line < 0 ? null : sides[side][line]));
	const plain = texts.map((pieces) => (pieces ? pieces.map(([text]) => text).join('') : ''));
	const parts = kind === 'changed' ? within(...plain) : null;
	const cells = [0, 1].flatMap((side) => {
		const line = side === 0 ? left : right;
		const which = kind === 'same' ? 'same' : line < 0 ? 'none' : side === 0 ? 'removed' : 'added';
		return [
			el('td', { className: `line ${which}` }, line < 0 ? '' : String(numbers[side] + line)),
			el(
				'td',
				{ className: `code ${which}` },
				line < 0 ? '' : el('span.note', { 'aria-hidden': 'true' }, which === 'same' ? ' ' : side === 0 ? '−' : '+'),
				line < 0 ? '' : lineElement(texts[side], parts ? parts[0] : 0, parts ? parts[1 + side] : 0),
			),
		];
	});
	return el('tr', { className: kind, dataset: { kind, note: NOTES[kind] } }, ...cells);
}

/** A button in place of equal lines. */
function fold(rows, draw) {
	const open = () => folded.replaceWith(...rows.map(draw));
	const folded = el('tr.fold', el('td', { colSpan: 4 }, el('button.quiet', { onclick: open }, plural(rows.length, 'equal line'))));
	return folded;
}

/** Rows; of a long stretch of equal lines the middle is folded. */
function body(rows, draw) {
	const out = el('tbody');
	for (let i = 0, to; i < rows.length; i = to) {
		for (to = i; to < rows.length && rows[to][2] === 'same';) to++;
		const from = i === 0 ? i : i + KEEP;
		const until = to === rows.length ? to : to - KEEP;
		const long = to - i > FOLD && to - i < rows.length;
		to = Math.max(to, i + 1);
		if (long) out.append(...rows.slice(i, from).map(draw), fold(rows.slice(from, until), draw), ...rows.slice(until, to).map(draw));
		else out.append(...rows.slice(i, to).map(draw));
	}
	return out;
}

/**
 * The pane of a method's source.
 *
 * @param source  as report/page.h describes it
 * @param names   of old and new
 */
export function pane(source, names) {
	const texts = [0, 1].map((side) => {
		if (source.path[side] === null) return null;
		return source.text[side] === null ? source.text[1 - side] : source.text[side];
	});
	const equal = source.path[0] !== null && source.path[1] !== null && (source.text[0] === null || source.text[1] === null || texts[0] === texts[1]);
	const sides = texts.map((text, side) => (text === null ? [] : colour(text.replace(/\r\n?/g, '\n').replace(/\n$/, ''), source.path[side])));
	const same = equal ? [1, 1, sides[0].length] : source.same || [];
	const rows = align(sides[0].length, sides[1].length, same);
	const count = (kind) => rows.filter((one) => one[2] === kind || (one[2] === 'changed' && kind !== 'same')).length;
	const head = (side, word) =>
		el(
			'th',
			{ colSpan: 2, scope: 'col' },
			el('strong', word),
			` ${plainName(names[side])}  `,
			el('span.mono', source.path[side] === null ? 'not there' : `${plainName(source.path[side])}:${source.line[side]}`),
		);
	const summary = equal
		? 'The text is the same in old and new.'
		: texts[0] === null
			? 'Only new has this method.'
			: texts[1] === null
				? 'Only old had this method.'
				: `${plural(count('removed'), 'line')} of old, ${plural(count('added'), 'line')} of new differ.`;
	const columns = el('colgroup', ...['n', 'c', 'n', 'c'].map((kind) => el('col', { className: `src-${kind}` })));
	const heads = el('thead', el('tr', head(0, 'old'), head(1, 'new')));
	const region = { tabIndex: 0, role: 'region', 'aria-label': 'Source of old and new, side by side' };
	const lines = el(
		'table.src-table',
		columns,
		heads,
		body(rows, (one) => row(sides, source.line, one)),
	);
	return el('div.src', el('p.dim', summary), el('div.src-scroll', region, lines));
}
